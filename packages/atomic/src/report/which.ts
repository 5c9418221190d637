import type { Report } from "../command.ts";
import type { Match, WhichResult } from "../commands/which.ts";
import type { Page } from "../context.ts";
import type { Reader } from "../readers.ts";
import { formatDiagnostic, inOrder } from "./diagnostics.ts";
import { type Colour, painter } from "./paint.ts";
import { shortPath } from "./path.ts";
import { describeRestrictions } from "./restrictions.ts";
import { safe, safeLine } from "./safe-text.ts";
import { paragraph } from "./wrap.ts";

export const whichReport: Report<WhichResult> = {
  text: (result, page) => result.matches.map((match) => block(match, result, page)).join("\n"),
  notes: (result, page) => {
    if (result.matches.length === 0) return notFound(result, page);
    const diagnostics = inOrder(result.matches.flatMap((match) => match.diagnostics));
    return diagnostics.map((diagnostic) => formatDiagnostic(diagnostic, result.where, page)).join("");
  },
  json: ({ where, asked, matches, suggestions }) => ({
    version: 1,
    project: where.project,
    home: where.home,
    name: asked.name,
    matches,
    suggestions,
  }),
  exitCode: ({ matches }) => (matches.length === 0 ? 1 : 0),
};

/** What is told about an entity: a label, foreign or own text, and how to show it. */
type Fact = readonly [label: string, text: string, colour?: Colour];

const labelWidth = 11;
const factIndent = " ".repeat(labelWidth + 2);

function block(match: Match, { where, asked }: WhichResult, page: Page): string {
  const paint = painter(page.colour);
  const title = `${paint("dim", match.type)} ${paint("bold", safeLine(match.qualifiedName))}`;
  const facts: Fact[] = [
    ["file", fileOf(match, where)],
    standingFact(match, asked.name),
    ...(match.disabledBecause === undefined ? [] : [["disabled", match.disabledBecause, "red"] as const]),
    ["about", match.description],
    ["aliases", match.aliases.join(", ")],
    ["arguments", match.argumentHint ?? ""],
    ["tools", toolsOf(match)],
    ["model", match.modelId ?? match.model ?? ""],
    ...match.readers.map(readerFact),
  ];
  const lines = facts.filter(([, text]) => text !== "").map((fact) => factLine(fact, page));
  return `${title}\n${lines.join("")}`;
}

function factLine([label, text, colour]: Fact, page: Page): string {
  const paint = painter(page.colour);
  const shown = safeLine(text);
  const lead = `  ${paint("dim", label)}${" ".repeat(labelWidth - label.length)}`;
  return paragraph(colour === undefined ? shown : paint(colour, shown), page, { lead, indent: factIndent });
}

function fileOf({ path, pointer }: Match, where: WhichResult["where"]): string {
  if (path === undefined) return "";
  return pointer === undefined ? shortPath(path, where) : `${shortPath(path, where)} ${pointer}`;
}

/** Of a disabled one nobody knows, and a workflow has none. */
function toolsOf({ type, restrictions, disabledBecause }: Match): string {
  return type === "workflow" || disabledBecause !== undefined ? "" : describeRestrictions(restrictions);
}

function standingFact({ type, name, standing }: Match, asked: string): Fact {
  switch (standing.kind) {
    case "only":
      return ["wins", `the only ${type} of this name`, "green"];
    case "winner":
      return ["wins", `over ${standing.over}: ${standing.because}`, "green"];
    case "answers-alias":
      return ["wins", `"${asked}" is an alias for ${name}`, "green"];
    case "shadowed":
      return ["loses", `to ${standing.by}: ${standing.because}`, "yellow"];
    case "beaten-alias":
      return ["loses", `to ${standing.by}: "${asked}" is only an alias here; ${standing.because}`, "yellow"];
  }
}

function readerFact(reader: Reader): Fact {
  const { tool, loads, kind, as, because, fatal } = reader;
  if (fatal === true) return [tool, `does not start because of this file: ${because}`, "red"];
  if (!loads) return [tool, `does not read it: ${because}`, "dim"];
  const remark = because === undefined ? "" : ` (${because})`;
  const but = butOf(reader);
  return [tool, `${but === "" ? "loads" : "would load"} it as ${kind} ${as}${remark}${but}`];
}

function butOf({ shadowedBy, byChance, broken }: Reader): string {
  if (broken !== undefined) return `, but does not start because of ${broken}`;
  if (shadowedBy === undefined) return byChance === true ? ", or by chance a namesake" : "";
  return byChance === true ? `, or by chance ${shadowedBy}` : `, but takes ${shadowedBy} instead`;
}

function notFound({ asked, where, suggestions }: WhichResult, page: Page): string {
  const nobody = asked.type.length === 0 ? "Nothing" : `No ${asked.type.join(" or ")}`;
  const meant = suggestions.map((name) => safe`"${name}"`).join(" or ");
  const suggestion = meant === "" ? "" : ` (did you mean ${meant}?)`;
  const lookedIn = safe`Looked in ${where.project} and in ${where.home}; \`atomic entities\` lists what is there.`;
  return [`${safe`${nobody} is called "${asked.name}"`}${suggestion}`, lookedIn]
    .map((text) => paragraph(text, page, { indent: "  " }))
    .join("");
}
