// The parts of `atomic setup`: each can say what it would do, do it, and take it back.
import { safe } from "@atomic/terminal/safe-text";
import type { AtomicContext } from "../context.ts";
import { changePluginEntry } from "../opencode/plugin-entry.ts";
import { runInForeground } from "../other-programs.ts";
import type { ProjectFile } from "../project/plan-files.ts";
import { shortPath } from "../report/path.ts";
import { askHugo, findProgram } from "./hugo-program.ts";
import { recordChange, type SetupRecord, type StepName, takeFilesBack, writtenFiles } from "./record.ts";
import { setUpProject } from "./set-up-project.ts";

const agentNames = ["opencode", "claude", "copilot"] as const;

export interface FoundAgent {
  readonly name: (typeof agentNames)[number];
  /** Undefined if it is not installed. */
  readonly path: string | undefined;
}

export function findAgents(context: Pick<AtomicContext, "env">): readonly FoundAgent[] {
  return agentNames.map((name) => ({ name, path: findProgram(name, context) }));
}

/** `offered`: it can be done. `there`: it was done before. `left-out`: it cannot be done here. */
interface StepPlan {
  readonly kind: "offered" | "there" | "left-out";
  /** The files it would write, or why it does nothing. */
  readonly detail: string;
}

interface StepResult {
  readonly did: "done" | "declined" | "failed";
  readonly detail: string;
}

export interface SetupStep {
  readonly name: StepName;
  /** What one gets. */
  readonly title: string;
  /** Where one gets it. */
  readonly affects: "this project" | "every project";
  plan(): Promise<StepPlan>;
  /** @param record What to remember; a step that writes files of the project writes it with them. */
  apply(record: SetupRecord, yes: boolean): Promise<StepResult>;
  undo(record: SetupRecord, dryRun: boolean): Promise<{ readonly left: string | undefined; readonly detail: string }>;
}

interface Surroundings {
  readonly context: AtomicContext;
  readonly project: string;
  readonly agents: readonly FoundAgent[];
  readonly isForProject: boolean;
}

const noHugo = "needs Hugo (`npm install -g hugo-pm`)";
const noOpenCode = "needs OpenCode (`npm install -g opencode-ai`)";

export function setupSteps(surroundings: Surroundings): readonly SetupStep[] {
  const { context, project, agents, isForProject } = surroundings;
  const hugoProgram = findProgram("hugo-pm", context);
  const hugo = (...words: string[]): ReturnType<typeof askHugo> =>
    askHugo(context, hugoProgram ?? "hugo-pm", { project, words });
  const shown = (path: string): string => shortPath(path, { cwd: context.cwd, home: context.home, project });
  const hasOpenCode = agents.some(({ name, path }) => name === "opencode" && path !== undefined);
  const isInstalled = async (): Promise<boolean> => {
    const { workflows = [] } = await hugo("list");
    return workflows.some(({ name }) => name === "magnus-opus");
  };
  return [
    {
      name: "hugo",
      title: "the short command hugo",
      affects: "every project",
      plan: async () => {
        if (hugoProgram === undefined) return { kind: "left-out", detail: noHugo };
        const { ok, error, did, command = "" } = await hugo("setup", "--dry-run");
        if (!ok) return { kind: "left-out", detail: safe`not possible: ${error?.message ?? ""}; type hugo-pm` };
        return { kind: did === "nothing" ? "there" : "offered", detail: shown(command) };
      },
      apply: async () => {
        const { ok, error, command = "" } = await hugo("setup");
        return ok ? { did: "done", detail: shown(command) } : { did: "failed", detail: sentenceOf(error) };
      },
      undo: async (_record, dryRun) => {
        if (hugoProgram === undefined) return { left: noHugo, detail: "" };
        const { ok, error, command = "" } = await hugo("setup", "--remove", ...(dryRun ? ["--dry-run"] : []));
        return { left: ok ? undefined : sentenceOf(error), detail: shown(command) };
      },
    },
    {
      name: "magnus-opus",
      title: "Magnus Opus, for /implement in OpenCode",
      affects: "this project",
      plan: async () => {
        if (!hasOpenCode) return { kind: "left-out", detail: noOpenCode };
        if (hugoProgram === undefined) return { kind: "left-out", detail: noHugo };
        if (await isInstalled()) return { kind: "there", detail: "" };
        const { ok, error, workflows = [] } = await hugo("install", "magnus-opus", "--dry-run");
        const [found] = workflows;
        if (!ok || found === undefined) return { kind: "left-out", detail: `not possible: ${sentenceOf(error)}` };
        return { kind: "offered", detail: safe`hugo install magnus-opus (${found.version})` };
      },
      apply: async (_record, yes) => {
        const detail = "hugo install magnus-opus";
        if (!yes) {
          // Hugo shows what the workflow can do, and asks.
          const words = [hugoProgram ?? "hugo-pm", "install", "magnus-opus"];
          const ending = await runInForeground({ signals: context.signals, env: context.env, cwd: project }, words);
          const code = "code" in ending ? ending.code : 6;
          if (code === 0) return { did: "done", detail };
          return code === 1 ? { did: "declined", detail: "" } : { did: "failed", detail: `hugo ended with ${code}` };
        }
        const { ok, error } = await hugo("install", "magnus-opus", "--yes");
        return ok ? { did: "done", detail } : { did: "failed", detail: sentenceOf(error) };
      },
      undo: async (_record, dryRun) => {
        if (hugoProgram === undefined) return { left: noHugo, detail: "" };
        if (!(await isInstalled())) return { left: undefined, detail: "was removed already" };
        // Undo leaves nothing of Hugo behind; if something else was installed since, only this workflow goes.
        const { title } = await hugo("undo", "--dry-run");
        const words = title?.startsWith("install magnus-opus v") ? ["undo"] : ["remove", "magnus-opus"];
        const { ok, error } = await hugo(...words, ...(dryRun ? ["--dry-run"] : []));
        return { left: ok ? undefined : sentenceOf(error), detail: `hugo ${words.join(" ")}` };
      },
    },
    {
      name: "opencode",
      title: "your runs inside OpenCode's terminal",
      affects: isForProject ? "this project" : "every project",
      plan: async () => {
        if (!hasOpenCode) return { kind: "left-out", detail: noOpenCode };
        const { file, change } = await changePluginEntry(context, project, {
          isForProject,
          undo: false,
          dryRun: true,
        });
        return { kind: change === "none" ? "there" : "offered", detail: shown(file) };
      },
      apply: async () => {
        const { file } = await changePluginEntry(context, project, { isForProject, undo: false, dryRun: false });
        return { did: "done", detail: shown(file) };
      },
      undo: async (record, dryRun) => {
        const { file } = await changePluginEntry(context, project, {
          isForProject: record.isForProject,
          undo: true,
          dryRun,
        });
        return { left: undefined, detail: shown(file) };
      },
    },
    {
      name: "workflow",
      title: "a first workflow, with types in your editor",
      affects: "this project",
      plan: async () => {
        const { files } = await setUpProject(context, project, { user: false, dryRun: true });
        const isThere = files.every(({ did }) => did === "kept");
        return { kind: isThere ? "there" : "offered", detail: isThere ? "" : listOf(files) };
      },
      apply: async (record) => {
        const { files } = await setUpProject(context, project, {
          user: false,
          dryRun: false,
          beside: ({ files: planned, before }) => [
            recordChange(project, { ...record, files: writtenFiles(record.files, planned, before) }),
          ],
        });
        return { did: "done", detail: listOf(files) };
      },
      undo: async (record, dryRun) => {
        const { removed, restored, left } = await takeFilesBack(project, record, { dryRun });
        const changed = left.map(({ path }) => path).join(", ");
        return {
          left: left.length === 0 ? undefined : `${changed} ${left.length === 1 ? "was" : "were"} changed since`,
          detail: [...removed, ...restored.map((path) => `${path} as it was`)].join(", "),
        };
      },
    },
  ];
}

/** What was written; of a file that was there, what was added. */
function listOf(files: readonly ProjectFile[]): string {
  const written = files.filter(({ did }) => did !== "kept");
  return written.map(({ path, did, remark }) => (did === "changed" ? `${path} (${remark})` : path)).join(", ");
}

function sentenceOf(error: { readonly message: string; readonly hint?: string } | undefined): string {
  return safe`${error?.message ?? "hugo-pm failed"}`;
}
