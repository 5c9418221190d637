import { existsSync } from "node:fs";
import { refuseAgent } from "@atomic/terminal/agent-at-keyboard";
import { withRunner } from "@atomic/terminal/page";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import { runsFolder } from "@atomic/workflows/internal/run/embedded/runs-folder";
import { type AtomicCommand, commandOf } from "../command.ts";
import type { AtomicContext } from "../context.ts";
import { changePluginEntry, type TuiPluginChange } from "../opencode/plugin-entry.ts";
import { readProject } from "../project/read-project.ts";
import { planTsconfig } from "../project/tsconfig.ts";
import { documentOf, type Where } from "../report/path.ts";
import { offer } from "../setup/offer.ts";
import { readRecord, removeState, type StepName } from "../setup/record.ts";
import { exitCodeOf, failedStep, projectText, type ReportedStep } from "../setup/reported-steps.ts";
import { projectFolder } from "../setup/set-up-project.ts";
import { type FoundAgent, findAgents, hasOpenCodeLogin, setupSteps } from "../setup/steps.ts";
import { takeBack } from "../setup/take-back.ts";
import { runnable } from "../view/questions.ts";

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
  summary: "Set up everything in your project, or undo it",
  arguments: {
    program: { count: "maybe", summary: "Only this part: opencode, your runs inside OpenCode's terminal" },
  },
  options: {
    project: { kind: "flag", summary: "Put the plugin into the project's tui.json, for everyone who works on it" },
    undo: { kind: "flag", summary: "Undo what `atomic setup` did" },
    "dry-run": { kind: "flag", summary: "Show what would happen without changing anything" },
    yes: { kind: "flag", short: "y", summary: "Answer yes to every question; not for agents" },
  },
  details: [
    "In an existing project, it finds out which agents are installed (OpenCode, Claude Code, Copilot), shows what it can add, and asks: the short command `hugo`, Magnus Opus (Hugo installs it, after showing what it can do), your runs inside OpenCode's terminal, and a first workflow. Run it as often as you like: it adds only what is missing. `--undo` puts every file back as it was, byte for byte; in a file that you have changed since, it removes only what `atomic setup` added, and reports what it kept. If a part that you chose (with `--yes`, any part) cannot be set up, the others still are: the failed part is marked ✗, and the exit code is not 0.",
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
    const project = await projectFolder(context, "atomic setup");
    const where = { cwd: context.cwd, home: context.home, project };
    if (program === "opencode") {
      const entry = await changePluginEntry(context, project, { isForProject, undo, dryRun });
      const isTakenBack = undo && !dryRun && isForProject && entry.change === "removed";
      if (isTakenBack && readRecord(project) === undefined) await removeState(project);
      return { kind: "plugin", where, undo, dryRun, entry };
    }
    const agents = findAgents(context);
    const surroundings = { context, project, agents };
    const hasRuns = existsSync(runsFolder(project));
    const shared = { kind: "project", where, agents, undo, dryRun, hasRuns } as const;
    if (undo) {
      const undone = await takeBack(
        project,
        (record) => setupSteps({ ...surroundings, isForProject: record.isForProject }),
        dryRun,
      );
      const next = undone.length === 0 ? await elsewhere(context, project) : [];
      return { ...shared, steps: undone, next, wasShown: false };
    }
    const steps = setupSteps({ ...surroundings, isForProject });
    const done = await offer(context, where, { steps, agents, yes, dryRun, isForProject });
    const isHere = (name: StepName): boolean =>
      done.some((step) => step.name === name && ["done", "there", "would"].includes(step.did));
    const isAsked = done.some(({ did }) => !["there", "left-out", "not-possible"].includes(did));
    return {
      ...shared,
      steps: done,
      wasShown: isAsked && !dryRun && !yes,
      next: nextCommands(context, agents, isHere, isHere("workflow") ? typesCommand(project, context.env) : "").map(
        (line) => runnable(line, context.stdout),
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
      const none = undo ? safe`${file} does not list the plugin.` : safe`${file} already lists the plugin.`;
      if (change === "none") return `${none}\n`;
      if (dryRun)
        return `${safe`Would ${change === "added" ? "add the plugin to" : "remove the plugin from"} ${file}.`}\n`;
      return `${change === "added" ? safe`Added the plugin to ${file}.` : safe`Removed the plugin from ${file}.`}\n`;
    },
    notes: (result, page) => {
      const { dryRun } = result;
      const failed = result.kind === "project" && result.steps.some(({ did }) => did === "failed");
      if (dryRun) return `Nothing was changed.${failed ? ` ${solveIt}` : ""}\n`;
      if (result.kind === "plugin")
        return result.entry.change === "none" ? "" : "Restart OpenCode to see the change.\n";
      const { steps, next, undo, hasRuns } = result;
      const changed = steps.filter(({ did }) => did === "done" || did === "taken-back");
      const isDone = changed.length > 0;
      const restart = changed.some(({ name }) => name === "opencode" || name === "magnus-opus");
      const before = restart ? "If OpenCode is running, restart it.\n" : "";
      const again = failed ? paragraph(solveIt, page, { indent: "" }) : "";
      if (undo && steps.length === 0) return next.map((line) => `${withRunner(line, "atomic", page)}\n`).join("");
      if (undo) return `${again}${before}${isDone && hasRuns ? "Your runs stay in .atomic/runs.\n" : ""}`;
      const back = isDone
        ? paragraph(withRunner("`atomic setup --undo` reverts it.", "atomic", page), page, { indent: "" })
        : "";
      // Never wrapped, so each line can be pasted.
      return `${again}${before}${back}${next.length > 0 ? `\nNext:\n${next.map((line) => `  ${line}\n`).join("")}` : ""}`;
    },
    json: (result) => {
      const { where, dryRun, undo } = result;
      if (result.kind === "plugin") return documentOf(where, { ...result.entry, dryRun });
      const { agents, steps, next } = result;
      const found = agents.map(({ name, path }) => ({ name, path: path ?? null }));
      const shown = steps.map(({ exitCode: _, ...step }) => step);
      return documentOf(where, { agents: found, steps: shown, next, undo, dryRun });
    },
    exitCode: (result) => (result.kind === "project" ? exitCodeOf(result.steps) : 0),
    error: (result) => {
      const failed = result.kind === "project" ? result.steps.filter(({ did }) => did === "failed") : [];
      const reasons = failed.map(({ title, detail }) => `${title}: ${detail}`).join("; ");
      return {
        code: "setup-incomplete",
        message: `not everything was ${result.undo ? "undone" : "set up"}: ${reasons}`,
        hint: solveIt,
      };
    },
  },
});

const solveIt = "Fix the problems marked ✗, then run the command again.";

/** The plugin for every project is taken back where it was added, or with a command of its own. */
async function elsewhere(context: AtomicContext, project: string): Promise<readonly string[]> {
  const options = { isForProject: false, undo: true, dryRun: true };
  const entry = await changePluginEntry(context, project, options).catch(failedStep);
  if (!("change" in entry) || entry.change !== "removed") return [];
  return [
    safe`The plugin in ${entry.file} was added from another folder: \`atomic setup opencode --undo\` removes it.`,
  ];
}

/** What to type first, with the agents that are there. */
function nextCommands(
  context: AtomicContext,
  agents: readonly FoundAgent[],
  isHere: (name: StepName) => boolean,
  types: string,
): readonly string[] {
  const has = (name: string): boolean => agents.some((agent) => agent.name === name && agent.path !== undefined);
  const host = ["opencode", "claude", "copilot"].find(has) ?? "scripted";
  const login = hasOpenCodeLogin(context) ? "" : "  # without a login, OpenCode uses free hosted models";
  const release = `atomic run release 1.4.0${host === "opencode" ? login : ` --host ${host}`}`;
  const sdk = { claude: "@anthropic-ai/claude-agent-sdk@0.3", copilot: "@github/copilot-sdk@1" }[host];
  return [
    ...(isHere("workflow") ? ["atomic graph release"] : []),
    ...(isHere("workflow") && sdk !== undefined ? [`npm install --save-dev ${sdk}`] : []),
    ...(isHere("workflow") ? [release, types] : []),
    ...(isHere("magnus-opus") ? ["opencode  # and there: /implement <a feature>"] : []),
  ];
}

function typesCommand(project: string, env: AtomicContext["env"]): string {
  const { found, packageManager } = readProject(project, env);
  // Until then, the project's own tsc cannot find what the workflow imports.
  const isChecked = found.tsconfig !== undefined && planTsconfig(found.tsconfig).kind === "covered";
  return `${packageManager.install}  # types for your editor${isChecked ? " and for tsc" : ""}`;
}
