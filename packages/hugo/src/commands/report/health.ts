import type { AnswerError, Report } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import type { ExitCode } from "@atomic/terminal/exit-codes";
import type { Page } from "@atomic/terminal/page";
import { type Colour, painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { displayWidth, padEnd } from "@atomic/terminal/width";
import { paragraph } from "@atomic/terminal/wrap";
import { versionLabel } from "../../packages/version-label.ts";
import { type HealthFinding, isHealthy, type LoadState, type WorkflowHealth } from "../health/finding.ts";
import type { Health } from "../health.ts";
import { formatPairs } from "./pairs.ts";

export const reportHealth: Report<Health> = { text, notes, json, exitCode, error };

function text({ workflows }: Health, page: Page): string {
  if (workflows.length === 0) return "No workflow is enabled here.\n";
  const widths = workflows.map((workflow) => displayWidth(title(workflow)));
  const width = Math.max(0, ...widths.filter((each) => each <= widest));
  return workflows.map((workflow) => workflowLines(workflow, width, page)).join("");
}

/** A longer name pushes its own state aside, and not that of all others. */
const widest = 40;

function title({ workflow, version }: WorkflowHealth): string {
  return safe`${workflow} ${versionLabel(version)}`;
}

function workflowLines(workflow: WorkflowHealth, width: number, page: Page): string {
  const [colour, text] = stateWords(workflow);
  const fits = page.columns === undefined || width + 2 + displayWidth(text) <= page.columns;
  const subject = padEnd(title(workflow), fits ? width : 0);
  return [
    formatPairs([{ lead: "", subject, text, colour }], page),
    ...workflow.findings.map((finding) => findingLines(finding, page)),
  ].join("");
}

function stateWords(workflow: WorkflowHealth): [Colour, string] {
  const { state, findings, version } = workflow;
  switch (state.kind) {
    case "loaded":
      return [isHealthy(workflow) ? "green" : "red", loaded(state, version)];
    case "not-loaded":
      return ["red", safeLine(`not loaded: ${state.because}`)];
    case "disabled":
      return ["dim", "disabled"];
    case "unknown":
      return findings.length === 0
        ? ["dim", "no problem in its files; not checked in OpenCode"]
        : ["yellow", "not checked in OpenCode"];
  }
}

function loaded({ version }: Extract<LoadState, { kind: "loaded" }>, installed: string): string {
  return version === undefined || version === installed || installed.length === 40
    ? "loaded"
    : safeLine(`loaded ${version}`);
}

function findingLines({ severity, message, hint }: HealthFinding, page: Page): string {
  const paint = painter(page.colour);
  const marks = { problem: paint("red", "✗"), warning: paint("yellow", "!"), note: paint("dim", "·") };
  return [
    paragraph(safeLine(message), page, { lead: `  ${marks[severity]} `, indent: "    " }),
    paragraph(safeLine(hint), page, { lead: "    ", indent: "    " }),
  ].join("");
}

function notes({ opencode, workflows, failedHooks, notices }: Health, page: Page): string {
  const ill = workflows.filter((workflow) => isHealthy(workflow) === false).length;
  const lines = [
    ...notices,
    ...failedHooks.map((message) => `A plugin's config hook failed, and OpenCode does not say whose: ${message}`),
    ...interviewLines(opencode),
    ...(ill === 0 ? [] : [`${count(ill, "workflow needs", "workflows need")} attention.`]),
  ];
  return lines.map((line) => paragraph(safeLine(line), page, { indent: "  " })).join("");
}

const NO_OPENCODE = "OpenCode is not on the PATH, so Hugo cannot check what it loads.";
const INSTALL_OPENCODE =
  "Set HUGO_OPENCODE to its path, or check only the files with `hugo health --static`. `npm install -g opencode-ai` installs it.";

function interviewLines(opencode: Health["opencode"]): string[] {
  switch (opencode.kind) {
    case "absent":
      return [NO_OPENCODE, INSTALL_OPENCODE];
    case "silent":
      return [`OpenCode did not answer, so Hugo cannot check what it loads: ${opencode.because}`];
    default:
      return [];
  }
}

function json({ opencode, workflows, failedHooks, notices }: Health): object {
  return {
    opencode: opencode.kind === "silent" ? { state: "silent", because: opencode.because } : { state: opencode.kind },
    workflows: workflows.map((workflow) => ({ ...workflow, healthy: isHealthy(workflow) ?? null })),
    failedHooks,
    notices,
  };
}

/** An OpenCode that does not start is a problem of its own; without one, half of the question has no answer. */
function exitCode({ opencode, workflows, failedHooks }: Health): ExitCode {
  const isIll = workflows.some((workflow) => isHealthy(workflow) === false);
  if (opencode.kind === "silent" || failedHooks.length > 0 || isIll) return 1;
  return opencode.kind === "absent" ? 6 : 0;
}

function error({ opencode, workflows, failedHooks }: Health): AnswerError {
  const ill = workflows.filter((workflow) => isHealthy(workflow) === false);
  const [first] = ill;
  if (first !== undefined) {
    const names = ill.map(({ workflow }) => workflow).join(", ");
    const finding = first.findings.find(({ severity }) => severity === "problem");
    return {
      code: "unhealthy",
      message: `${count(ill.length, "workflow needs", "workflows need")} attention: ${names}`,
      hint: finding === undefined ? undefined : `${first.workflow}: ${finding.message} ${finding.hint}`,
    };
  }
  const [hook] = failedHooks;
  if (hook !== undefined) return { code: "hook-failed", message: `A plugin's config hook failed: ${hook}` };
  if (opencode.kind === "absent") return { code: "opencode-missing", message: NO_OPENCODE, hint: INSTALL_OPENCODE };
  return { code: "opencode-silent", message: interviewLines(opencode).join(" ") };
}
