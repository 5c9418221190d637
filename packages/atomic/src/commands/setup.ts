import { existsSync } from "node:fs";
import { relative } from "node:path";
import { ExplainedError } from "@atomic/durable-files/explained-error";
import { refuseAgent } from "@atomic/terminal/agent-at-keyboard";
import { Interrupted } from "@atomic/terminal/console";
import { type Page, withRunner } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { type AnswerReading, ask, canAsk, readYesNo } from "@atomic/terminal/questions";
import { Refusal } from "@atomic/terminal/refusal";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { runsFolder } from "@atomic/workflows/internal/run/embedded/runs-folder";
import { type AtomicCommand, commandOf } from "../command.ts";
import type { AtomicContext } from "../context.ts";
import { changePluginEntry, type TuiPluginChange } from "../opencode/plugin-entry.ts";
import { readProject } from "../project/read-project.ts";
import { recoverFiles } from "../project/write-files.ts";
import { documentOf, type Where } from "../report/path.ts";
import {
  forgetRecord,
  readRecord,
  removeState,
  type SetupRecord,
  type StepName,
  writeRecord,
} from "../setup/record.ts";
import { projectFolder } from "../setup/set-up-project.ts";
import { type FoundAgent, findAgents, type SetupStep, setupSteps } from "../setup/steps.ts";
import { runnable } from "../view/questions.ts";

/** `would`: it was only shown. */
type StepDid = "done" | "would" | "there" | "left-out" | "not-chosen" | "declined" | "failed" | "taken-back";

interface ReportedStep extends Pick<SetupStep, "name" | "title" | "affects"> {
  readonly did: StepDid;
  /** Which files, or why not. */
  readonly detail: string;
}

type SetupResult = { readonly where: Where; readonly undo: boolean; readonly dryRun: boolean } & (
  | { readonly kind: "plugin"; readonly entry: TuiPluginChange }
  | {
      readonly kind: "project";
      readonly agents: readonly FoundAgent[];
      readonly steps: readonly ReportedStep[];
      readonly next: readonly string[];
      /** The plan was shown before the question, with the agents. */
      readonly wasShown: boolean;
      /** Runs are yours: undo leaves them where they are. */
      readonly hasRuns: boolean;
    }
);

export const setup: AtomicCommand = commandOf({
  name: "setup",
  summary: "Set up everything in a project of yours, or take it back",
  arguments: {
    program: { count: "maybe", summary: "Only this part: opencode, your runs inside OpenCode's terminal" },
  },
  options: {
    project: { kind: "flag", summary: "Put the plugin into the project's tui.json, for everyone who works on it" },
    undo: { kind: "flag", summary: "Take back what `atomic setup` did" },
    "dry-run": { kind: "flag", summary: "Show what would happen without changing anything" },
    yes: { kind: "flag", short: "y", summary: "Answer yes to every question; not for agents" },
  },
  details: [
    "In an existing project, it finds out which agents are installed (OpenCode, Claude Code, Copilot), shows what it can add, and asks: the short command `hugo`, Magnus Opus (Hugo installs it, after showing what it can do), your runs inside OpenCode's terminal, and a first workflow. Run it as often as you like: it adds only what is missing. `--undo` puts every file back as it was, byte for byte.",
    "The parts on their own: `hugo-pm setup` adds the short command, `hugo install magnus-opus` installs Magnus Opus, `atomic setup opencode` adds atomic's plugin to OpenCode's tui.json, and `atomic init` writes the first workflow. To write a package that others install, use `hugo init`.",
  ],
  examples: [
    { command: "atomic setup", shows: "Show what can be set up in this project, and ask." },
    { command: "atomic setup --dry-run", shows: "Only show it." },
    { command: "atomic setup --undo", shows: "Put everything back as it was." },
    { command: "atomic setup opencode", shows: "Only show runs and their questions in OpenCode, in every project." },
  ],
  run: async (context, { program, project: isForProject, undo, yes, "dry-run": dryRun }): Promise<SetupResult> => {
    if (program !== undefined && program !== "opencode") {
      throw new Refusal("program-unknown", {
        message: safe`cannot set up "${program}"`,
        exitCode: 2,
        hint: "The only program that atomic sets up is opencode: atomic setup opencode",
      });
    }
    if (!dryRun) refuseAgent(context.caller, "atomic setup");
    const project = await projectFolder(context);
    const where = { cwd: context.cwd, home: context.home, project };
    if (program === "opencode") {
      const entry = await changePluginEntry(context, project, { isForProject, undo, dryRun });
      const isTakenBack = undo && !dryRun && isForProject && entry.change === "removed";
      if (isTakenBack && readRecord(project) === undefined) await removeState(project);
      return { kind: "plugin", where, undo, dryRun, entry };
    }
    const agents = findAgents(context);
    const steps = setupSteps({ context, project, agents, isForProject });
    const hasRuns = existsSync(runsFolder(project));
    const shared = { kind: "project", where, agents, undo, dryRun, hasRuns } as const;
    if (undo) return { ...shared, steps: await takeBack(project, steps, dryRun), next: [], wasShown: false };
    const done = await offer(context, where, { steps, agents, yes, dryRun, isForProject });
    const isHere = (name: StepName): boolean =>
      done.some((step) => step.name === name && ["done", "there", "would"].includes(step.did));
    const isAsked = done.some(({ did }) => did !== "there" && did !== "left-out");
    return {
      ...shared,
      steps: done,
      wasShown: isAsked && !dryRun && !yes,
      next: nextCommands(agents, isHere, readProject(project, context.env).packageManager.install).map((line) =>
        runnable(line, context.stdout),
      ),
    };
  },
  report: {
    text: (result, page) => {
      if (result.kind === "project") return projectText(result, page);
      const { entry, undo, dryRun } = result;
      const { file, change, foreign } = entry;
      if (foreign === "hugo") return `${safe`${file} lists the plugin. Hugo manages that entry: hugo remove cli`}\n`;
      if (foreign === "yours" && undo)
        return `${safe`${file} lists the plugin, but atomic setup did not add it. Remove the line yourself if you want to.`}\n`;
      const none = undo ? safe`${file} does not list the plugin.` : safe`${file} lists the plugin already.`;
      if (change === "none") return `${none}\n`;
      if (dryRun)
        return `${safe`Would ${change === "added" ? "add the plugin to" : "remove the plugin from"} ${file}.`}\n`;
      return `${change === "added" ? safe`Added the plugin to ${file}.` : safe`Removed the plugin from ${file}.`}\n`;
    },
    notes: (result, page) => {
      const { dryRun } = result;
      if (dryRun) return "Nothing was changed.\n";
      if (result.kind === "plugin")
        return result.entry.change === "none" ? "" : "Restart OpenCode to see the change.\n";
      const { steps, next, undo, hasRuns } = result;
      const isDone = steps.some(({ did }) => did === "done" || did === "taken-back");
      const restart =
        isDone && steps.some(({ name, did }) => name !== "workflow" && name !== "hugo" && did !== "left-out");
      const before = restart ? "If OpenCode is running, restart it.\n" : "";
      if (undo) return `${before}${isDone && hasRuns ? "Your runs stay in .atomic/runs.\n" : ""}`;
      const back = isDone
        ? paragraph(withRunner("`atomic setup --undo` takes it back.", "atomic", page), page, { indent: "" })
        : "";
      // Never wrapped, so each line can be pasted.
      return `${before}${back}${next.length > 0 ? `\nNext:\n${next.map((line) => `  ${line}\n`).join("")}` : ""}`;
    },
    json: (result) => {
      const { where, dryRun, undo } = result;
      if (result.kind === "plugin") return documentOf(where, { ...result.entry, dryRun });
      const { agents, steps, next } = result;
      const found = agents.map(({ name, path }) => ({ name, path: path ?? null }));
      return documentOf(where, { agents: found, steps, next, undo, dryRun });
    },
    exitCode: (result) => (result.kind === "project" && result.steps.some(({ did }) => did === "failed") ? 1 : 0),
    error: (result) => {
      const failed = result.kind === "project" ? result.steps.filter(({ did }) => did === "failed") : [];
      const reasons = failed.map(({ title, detail }) => `${title}: ${detail}`).join("; ");
      return {
        code: "setup-incomplete",
        message: `not everything was ${result.undo ? "taken back" : "set up"}: ${reasons}`,
        hint: "The rest was done. Solve the problem, then run the command again.",
      };
    },
  },
});

interface Offer {
  readonly steps: readonly SetupStep[];
  readonly agents: readonly FoundAgent[];
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly isForProject: boolean;
}

/** Shows what can be done, asks, and does what was chosen. */
async function offer(context: AtomicContext, where: Where, given: Offer): Promise<readonly ReportedStep[]> {
  const { steps, agents, yes, dryRun, isForProject } = given;
  const plans: (ReportedStep & { readonly step: SetupStep })[] = [];
  for (const step of steps) {
    const { kind, detail } = await step.plan();
    const { name, title, affects } = step;
    plans.push({ step, name, title, affects, did: kind === "offered" ? "would" : kind, detail });
  }
  const offered = plans.filter(({ did }) => did === "would");
  if (dryRun || offered.length === 0) return plans.map(withoutStep);
  const isShown = canAsk(context);
  if (!yes && !isShown) {
    throw new Refusal("not-approved", {
      exitCode: 4,
      message: "setup needs your approval, but this is not an interactive terminal",
      hint: "`atomic setup --dry-run` shows what it would do, and `atomic setup --yes` does it. Nothing was changed.",
    });
  }
  let chosen = offered;
  if (!yes) {
    context.quiet?.();
    const plan = { where, agents, steps: plans, dryRun: true, undo: false, wasShown: false };
    context.stderr.write(`${projectText(plan, context.stderr, offered)}\n`);
    const answer = await ask(
      context,
      `Set up all of this? [y/N, or numbers such as 1${offered.length > 1 ? " 2" : ""}] `,
      context.interrupted ?? new AbortController().signal,
      (words) => readSelection(words, offered.length),
      undefined,
      { value: [] },
    );
    // Enter moves the cursor to the next line; Ctrl-D and Ctrl-C do not.
    if (answer === undefined) context.stderr.write("\n");
    if (context.interrupted?.aborted) throw new Interrupted("SIGINT", "Nothing was changed.");
    chosen = offered.filter((_, at) => answer?.includes(at + 1));
  }
  const { project } = where;
  let record: SetupRecord = readRecord(project) ?? { steps: [], files: [], isForProject };
  const results = new Map<StepName, ReportedStep>();
  for (const { step, name, title, affects } of chosen) {
    const before = record;
    record = { ...(readRecord(project) ?? record), steps: [...new Set([...record.steps, name])] };
    // First, so that what a crash interrupts can be taken back, too. This one writes it with its files.
    if (name !== "workflow") await writeRecord(project, record);
    const { did, detail } = await step.apply(record, yes).catch(failedStep);
    if (did !== "done") {
      record = before;
      await writeRecord(project, record);
    }
    results.set(name, { name, title, affects, did, detail });
  }
  if (record.steps.length === 0 && readRecord(project) !== undefined) await forgetRecord(project);
  return plans.map(
    (plan) => results.get(plan.name) ?? { ...withoutStep(plan), did: plan.did === "would" ? "not-chosen" : plan.did },
  );
}

/** The other parts do not depend on it, so they are still done. */
function failedStep(error: unknown): { readonly did: "failed"; readonly detail: string } {
  if (error instanceof ExplainedError && !(error instanceof Interrupted))
    return { did: "failed", detail: error.message };
  throw error;
}

function withoutStep({ name, title, affects, did, detail }: ReportedStep): ReportedStep {
  return { name, title, affects, did, detail };
}

/** `y`, `n`, or `1 3`. */
function readSelection(words: string, last: number): AnswerReading<readonly number[]> {
  const answer = readYesNo(words);
  if (answer !== undefined) return { value: answer ? Array.from({ length: last }, (_, at) => at + 1) : [] };
  const numbers = words.trim().split(/[\s,]+/);
  const isEach = numbers.every((word) => /^\d+$/.test(word) && Number(word) >= 1 && Number(word) <= last);
  return isEach ? { value: numbers.map(Number) } : { problem: `Type yes, no, or numbers from 1 to ${last}.` };
}

async function takeBack(
  project: string,
  steps: readonly SetupStep[],
  dryRun: boolean,
): Promise<readonly ReportedStep[]> {
  if (!dryRun && readRecord(project) !== undefined) await recoverFiles(project);
  let record = readRecord(project);
  if (record === undefined) return [];
  const reported: ReportedStep[] = [];
  for (const step of steps.toReversed()) {
    const { name, title, affects } = step;
    if (!record.steps.includes(name)) continue;
    const { left, detail } = await step.undo(record, dryRun);
    const did = left === undefined ? (dryRun ? "would" : "taken-back") : "failed";
    reported.push({ name, title, affects, did, detail: left ?? detail });
    if (left !== undefined || dryRun) continue;
    const current: SetupRecord = readRecord(project) ?? record;
    record = { ...current, steps: current.steps.filter((each) => each !== name) };
    await writeRecord(project, record);
  }
  if (!dryRun && record.steps.length === 0) await forgetRecord(project);
  return reported;
}

/** What to type first, with the agents that are there. */
function nextCommands(
  agents: readonly FoundAgent[],
  isHere: (name: StepName) => boolean,
  install: string,
): readonly string[] {
  const has = (name: string): boolean => agents.some((agent) => agent.name === name && agent.path !== undefined);
  const host = ["opencode", "claude", "copilot"].find(has) ?? "scripted";
  const release = `atomic run release 1.4.0${host === "opencode" ? "" : ` --host ${host}`}`;
  const sdk = { claude: "@anthropic-ai/claude-agent-sdk@0.3", copilot: "@github/copilot-sdk@1" }[host];
  return [
    ...(isHere("workflow") ? ["atomic graph release"] : []),
    ...(isHere("workflow") && sdk !== undefined ? [`npm install --save-dev ${sdk}`] : []),
    ...(isHere("workflow") ? [release, `${install}  # types for your editor`] : []),
    ...(isHere("magnus-opus") ? ["opencode  # and there: /implement <a feature>"] : []),
  ];
}

type ProjectReport = Pick<
  SetupResult & { kind: "project" },
  "where" | "agents" | "steps" | "undo" | "dryRun" | "wasShown"
>;

/** @param offered These are numbered, for the question. */
function projectText(
  { where, agents, steps, undo, dryRun, wasShown }: ProjectReport,
  page: Page,
  offered: readonly ReportedStep[] = [],
): string {
  const paint = painter(page.colour);
  const folder = relative(where.cwd, where.project);
  const placeOf = ({ affects }: ReportedStep): string =>
    affects === "this project" && folder !== "" ? folder : affects;
  if (undo && steps.length === 0) return "There is nothing to take back: `atomic setup` changed nothing here.\n";
  const isChanged = steps.some(({ did }) => did === "done" || did === "taken-back");
  const isComplete = steps.every(({ did }) => did === "there" || did === "left-out");
  let title = dryRun ? "Would set up:" : "Set up:";
  if (undo) title = dryRun ? "Would take back:" : "Took back:";
  else if (!isChanged && !steps.some(({ did }) => did === "would"))
    title = isComplete ? "Everything is set up already:" : "Nothing was changed:";
  const marks: Readonly<Record<StepDid, string>> = {
    done: paint("green", "+"),
    would: paint("green", undo ? "-" : "+"),
    "taken-back": paint("green", "-"),
    there: paint("dim", "="),
    "left-out": paint("dim", "–"),
    "not-chosen": paint("dim", "–"),
    declined: paint("yellow", "–"),
    failed: paint("red", "✗"),
  };
  const reasons: Partial<Record<StepDid, string>> = {
    there: "is there already",
    "not-chosen": "not chosen",
    declined: "declined",
    failed: "failed: ",
  };
  const lines = steps.map((step) => {
    const { did, detail } = step;
    const reason = reasons[did];
    const shown = reason === undefined ? detail : reason.endsWith(": ") ? `${reason}${detail}` : reason;
    const at = offered.indexOf(step);
    const lead = `  ${at === -1 ? "" : `${at + 1} `}${marks[did]} `;
    const place = ["would", "done", "taken-back"].includes(did) ? safe` (in ${placeOf(step)})` : "";
    const text = `${step.title}${place}${shown === "" ? "" : `: ${paint("dim", safeLine(shown))}`}`;
    return paragraph(text, page, { lead, indent: at === -1 ? "      " : "        " });
  });
  if (undo || wasShown) return `${wasShown ? "\n" : ""}${title}\n${lines.join("")}`;
  const found = agents.flatMap(({ name, path }) => (path === undefined ? [] : [name]));
  const missing = agents.flatMap(({ name, path }) => (path === undefined ? [name] : []));
  const parts = [
    ...(found.length > 0 ? [`found ${found.join(", ")}`] : []),
    ...(missing.length > 0 ? [`did not find ${missing.join(", ")}`] : []),
  ];
  return `${paragraph(`Agents: ${parts.join("; ")}.`, page, { indent: "" })}\n${title}\n${lines.join("")}`;
}
