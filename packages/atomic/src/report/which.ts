import type { AnswerError, Report } from "@atomic/terminal/command";
import type { Page } from "@atomic/terminal/page";
import { safe } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { Match, WhichResult } from "../commands/which.ts";
import { formatDiagnostic, inOrder } from "./diagnostics.ts";
import { type Fact, factSheet } from "./facts.ts";
import { shortPath } from "./path.ts";
import { readerFact } from "./reader.ts";
import { describeRestrictions } from "./restrictions.ts";

export const whichReport: Report<WhichResult> = {
  text: (result, page) => result.matches.map((match) => sheet(match, result, page)).join("\n"),
  notes: (result, page) => {
    const diagnostics = inOrder([...result.unread, ...result.matches.flatMap((match) => match.diagnostics)]);
    const problems = diagnostics.map((diagnostic) => formatDiagnostic(diagnostic, result.where, page)).join("");
    if (result.matches.length > 0) return problems;
    const { message, hint } = notFound(result);
    return [message, hint].map((text) => paragraph(text, page, { indent: "  " })).join("") + problems;
  },
  json: ({ where, asked, matches, suggestions, unread }) => ({
    version: 1,
    project: where.project,
    home: where.home,
    name: asked.name,
    matches,
    suggestions,
    ...(unread.length > 0 && { unread }),
  }),
  exitCode: ({ matches }) => (matches.length === 0 ? 1 : 0),
  error: notFound,
};

function sheet(match: Match, { where, asked }: WhichResult, page: Page): string {
  const facts: Fact[] = [
    ["file", fileOf(match, where)],
    ["workflow", match.workflow ?? ""],
    standingFact(match, asked.name),
    ["disabled", match.disabledBecause ?? "", "red"],
    ["about", match.description],
    ["aliases", match.aliases.join(", ")],
    ["arguments", match.argumentHint ?? ""],
    ["tools", toolsOf(match)],
    ["model", match.modelId ?? match.model ?? ""],
    ...match.readers.map(readerFact),
  ];
  return factSheet(match.type, match.qualifiedName, facts, page);
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

function notFound({ asked, where, suggestions, unread: [file] }: WhichResult): AnswerError & { readonly hint: string } {
  const subject = asked.type.length === 0 ? "Nothing" : `No ${asked.type.join(" or ")}`;
  const meant = suggestions.map((name) => safe`"${name}"`).join(" or ");
  const suggestion = meant === "" ? "" : ` (did you mean ${meant}?)`;
  return {
    code: "entity-not-found",
    message: `${safe`${subject} is called "${asked.name}"`}${suggestion}`,
    // A file that may hold the name, but cannot be read.
    at: file?.path && [file.path, file.line, file.column].filter((part) => part !== undefined).join(":"),
    hint: safe`Looked in ${where.project} and in ${where.home}; \`atomic entities\` lists what is there.`,
  };
}
