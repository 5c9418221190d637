import type { AnswerError, Report } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import type { ExitCode } from "@atomic/terminal/exit-codes";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { ContentEntity, WorkflowContent } from "../../packages/manifest/content.ts";
import { hasErrors, type Problem } from "../author/problem.ts";
import type { Built } from "../build.ts";
import { formatPairs, type Pair } from "./pairs.ts";

export const reportBuild: Report<Built> = { text, notes, json, exitCode, error };

function text(built: Built, page: Page): string {
  const { content, delivery } = built;
  const name = built.name ?? "The package";
  const pairs = listsOf(content).map(([key, list]): Pair => {
    return { lead: "  ", subject: key, text: safeLine(list.map((entity) => entity.name).join(", ")) || "none" };
  });
  const how = delivery === "plugin" ? "OpenCode loads it as a plugin" : "Hugo copies its files";
  return [
    paragraph(safe`${name}: ${how}`, page, { indent: "  " }),
    formatPairs(pairs, page),
    paragraph(manifestLine(built), page, { lead: "  ", indent: "    " }),
    checkLine(built, page),
  ].join("");
}

function listsOf({ agents, commands, skills, workflows = [] }: WorkflowContent): [string, readonly ContentEntity[]][] {
  return Object.entries({ agents, commands, skills, ...(workflows.length > 0 && { workflows }) });
}

function manifestLine({ manifest, dryRun }: Built): string {
  if (manifest === "withheld") return "workflow.json is not written, because of the errors";
  if (manifest === "unchanged") return "workflow.json is up to date";
  return dryRun ? "workflow.json would be written" : "workflow.json is written";
}

function checkLine({ check }: Built, page: Page): string {
  if (check?.kind !== "asked") return "";
  const paint = painter(page.colour);
  const verdict = hasErrors(check.problems)
    ? paint("red", "OpenCode does not have all of it")
    : paint("green", "OpenCode has all of it");
  return paragraph(verdict, page, { lead: "  ", indent: "    " });
}

function notes(built: Built, page: Page): string {
  const all = allProblems(built);
  const errors = all.filter(({ severity }) => severity === "error").length;
  const warnings = all.length - errors;
  const total = [
    ...(errors > 0 ? [count(errors, "error")] : []),
    ...(warnings > 0 ? [count(warnings, "warning")] : []),
  ];
  return [
    ...all.map((problem) => problemLines(problem, page)),
    total.length === 0 ? "" : `${total.join(", ")}\n`,
    ...unknown(built).map((line) => paragraph(safeLine(line), page, { indent: "" })),
  ].join("");
}

function problemLines({ severity, message, at, hint }: Problem, page: Page): string {
  const paint = painter(page.colour);
  const lead = `${severity === "error" ? paint("red", "error") : paint("yellow", "warning")}: `;
  const place = at === undefined ? "" : `${at} `;
  return [
    paragraph(safeLine(`${place}${message}`), page, { lead, indent: "  " }),
    hint === "" ? "" : paragraph(safeLine(hint), page, { lead: "  ", indent: "  " }),
  ].join("");
}

const INSTALL_OPENCODE = "`npm install -g opencode-ai` installs it; HUGO_OPENCODE can name its path.";

/** What was not checked, and why. */
function unknown({ packed, check, manifest }: Built): string[] {
  return [
    ...(packed.kind === "unknown" && manifest !== "withheld"
      ? [`Not checked what would be packed: ${packed.because}.`]
      : []),
    ...(check?.kind === "impossible" ? [`Not checked in OpenCode: ${check.because}. ${INSTALL_OPENCODE}`] : []),
  ];
}

function json(built: Built): object {
  const { folder, name, delivery, content, manifest, packed, check, dryRun } = built;
  const names = Object.fromEntries(listsOf(content).map(([key, list]) => [key, list.map((entity) => entity.name)]));
  return {
    folder,
    package: name ?? null,
    delivery,
    ...names,
    manifest,
    dryRun,
    problems: allProblems(built),
    packed: packed.kind === "known" ? [...packed.files].sort() : null,
    opencode: check === undefined ? "not asked" : check.kind === "asked" ? "asked" : check.because,
  };
}

function allProblems({ problems, check }: Built): Problem[] {
  return [...problems, ...(check?.kind === "asked" ? check.problems : [])];
}

function exitCode(built: Built): ExitCode {
  if (hasErrors(allProblems(built))) return 1;
  return built.check?.kind === "impossible" ? 6 : 0;
}

function error(built: Built): AnswerError {
  const errors = allProblems(built).filter(({ severity }) => severity === "error");
  const [first, ...others] = errors;
  if (first === undefined) {
    const because = built.check?.kind === "impossible" ? built.check.because : "";
    return { code: "opencode-missing", message: `Not checked in OpenCode: ${because}`, hint: INSTALL_OPENCODE };
  }
  if (others.length === 0) return { code: "package-invalid", message: first.message, at: first.at, hint: first.hint };
  const message = `the package has ${count(errors.length, "error")}`;
  return { code: "package-invalid", message, at: first.at, hint: "`problems` lists them all." };
}
