// The parts of `atomic setup`: each can say what it would do, do it, and take it back.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Interrupted } from "@atomic/terminal/console";
import { signalCodes } from "@atomic/terminal/exit-codes";
import { safe } from "@atomic/terminal/safe-text";
import { lookOr } from "@atomic/workflows/internal/entities/system-error";
import type { AtomicContext } from "../context.ts";
import { findProgram } from "../find-program.ts";
import { changePluginEntry } from "../opencode/plugin-entry.ts";
import { runInForeground } from "../other-programs.ts";
import type { ProjectFile } from "../project/plan-files.ts";
import { refuseUnwritable } from "../project/write-files.ts";
import { shortPath } from "../report/path.ts";
import { askHugo } from "./hugo-program.ts";
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

/** Whether OpenCode has stored one. Without it, a config or a variable may still name a provider. */
export function hasOpenCodeLogin({ env, home }: Pick<AtomicContext, "env" | "home">): boolean {
  const data = env.XDG_DATA_HOME || join(home, ".local/share");
  const stored = lookOr("", () => readFileSync(join(data, "opencode/auth.json"), "utf8"));
  // After `opencode auth logout`, the file is there and empty.
  return stored.includes(":");
}

/** `offered`: it can be done. `there`: it was done before. `left-out`: it needs something that is not here. */
interface StepPlan {
  readonly kind: "offered" | "there" | "left-out";
  /** The files it would write, or why it does nothing. */
  readonly detail: string;
}

interface StepResult<Did> {
  readonly did: Did;
  readonly detail: string;
  /** Of what failed. */
  readonly exitCode?: number | undefined;
}

export interface SetupStep {
  readonly name: StepName;
  /** What one gets. */
  readonly title: string;
  /** Where one gets it. */
  readonly affects: "this project" | "every project";
  plan(): Promise<StepPlan | StepResult<"failed">>;
  /** @param record What to remember; a step that writes files of the project writes it with them. */
  apply(record: SetupRecord, yes: boolean): Promise<StepResult<"done" | "declined" | "failed">>;
  /** Of a part that another program does: whether it did, after it was interrupted or failed. */
  isDone?(): Promise<boolean>;
  undo(record: SetupRecord, dryRun: boolean): Promise<StepResult<"taken-back" | "failed">>;
}

interface Surroundings {
  readonly context: AtomicContext;
  readonly project: string;
  readonly agents: readonly FoundAgent[];
  readonly isForProject: boolean;
}

const noHugo = "needs Hugo (`npm install -g hugo-pm`)";
const withoutHugo = { did: "failed", detail: noHugo, exitCode: 6 } as const;
const withYourChanges = "(your changes stay)";
const noOpenCode = "needs OpenCode (`npm install -g opencode-ai`)";

export function setupSteps(surroundings: Surroundings): readonly SetupStep[] {
  const { context, project, agents, isForProject } = surroundings;
  const hugoProgram = findProgram("hugo-pm", context);
  const hugo = (...words: string[]): ReturnType<typeof askHugo> =>
    askHugo(context, hugoProgram ?? "hugo-pm", { project, words });
  const shown = (path: string): string => shortPath(path, { cwd: context.cwd, home: context.home, project });
  const sentenceOf = ({ message } = { message: "hugo-pm failed" }): string =>
    safe`${message.replaceAll(`${project}/`, "").replaceAll(`${context.home}/`, "~/")}`;
  const hasOpenCode = agents.some(({ name, path }) => name === "opencode" && path !== undefined);
  /** Undefined if Hugo cannot say. */
  const isInstalled = async (): Promise<boolean | undefined> => {
    const { ok, workflows = [] } = await hugo("list");
    return ok ? workflows.some(({ name }) => name === "magnus-opus") : undefined;
  };
  return [
    {
      name: "hugo",
      title: "the short command hugo",
      affects: "every project",
      plan: async () => {
        if (hugoProgram === undefined) return { kind: "left-out", detail: noHugo };
        const { ok, error, did, command = "", exitCode } = await hugo("setup", "--dry-run");
        // The folder of global programs often belongs to root, and `hugo-pm` does the same.
        const isOdd = error !== undefined && ["name-taken", "program-failed", "disk-refused"].includes(error.code);
        if (isOdd) return { kind: "left-out", detail: `not possible: ${sentenceOf(error)}; use \`hugo-pm\` instead` };
        if (!ok) return { did: "failed", detail: sentenceOf(error), exitCode };
        return { kind: did === "nothing" ? "there" : "offered", detail: shown(command) };
      },
      apply: async () => {
        const { ok, error, command = "", exitCode } = await hugo("setup");
        return ok ? { did: "done", detail: shown(command) } : { did: "failed", detail: sentenceOf(error), exitCode };
      },
      isDone: async () => (await hugo("setup", "--dry-run")).did === "nothing",
      undo: async (_record, dryRun) => {
        if (hugoProgram === undefined) return withoutHugo;
        const { ok, error, command = "", exitCode } = await hugo("setup", "--remove", ...(dryRun ? ["--dry-run"] : []));
        if (!ok) return { did: "failed", detail: sentenceOf(error), exitCode };
        return { did: "taken-back", detail: shown(command) };
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
        refuseUnwritable(project, [".opencode"]);
        const { ok, error, workflows = [], exitCode } = await hugo("install", "magnus-opus", "--dry-run");
        const [found] = workflows;
        if (!ok || found === undefined) return { did: "failed", detail: sentenceOf(error), exitCode };
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
          if (code === signalCodes.SIGINT) throw new Interrupted("SIGINT");
          if (code === 1) return { did: "declined", detail: "" };
          return { did: "failed", detail: `${detail} exited with ${code}`, exitCode: code };
        }
        const { ok, error, exitCode } = await hugo("install", "magnus-opus", "--yes");
        return ok ? { did: "done", detail } : { did: "failed", detail: sentenceOf(error), exitCode };
      },
      // Hugo first completes, or undoes, what it was interrupted at.
      isDone: async () => (await isInstalled()) !== false,
      undo: async (_record, dryRun) => {
        if (hugoProgram === undefined) return withoutHugo;
        if ((await isInstalled()) === false) return { did: "taken-back", detail: "was no longer installed" };
        // Undo leaves nothing of Hugo behind; if something else was installed since, only this workflow goes.
        const { title } = await hugo("undo", "--dry-run");
        const isRemoved = !title?.startsWith("install magnus-opus v");
        const words = isRemoved ? ["remove", "magnus-opus"] : ["undo"];
        const { ok, error, exitCode } = await hugo(...words, ...(dryRun ? ["--dry-run"] : []));
        if (!ok) return { did: "failed", detail: sentenceOf(error), exitCode };
        const hasPackage = existsSync(join(project, ".opencode/.hugo/store"));
        // Hugo keeps it for its own undo.
        const left = "; its package stays in .opencode/.hugo until you run `hugo-pm prune`";
        return { did: "taken-back", detail: `hugo ${words.join(" ")}${isRemoved && hasPackage ? left : ""}` };
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
        const options = { isForProject: record.isForProject, undo: true, dryRun };
        const { file, change, foreign, isYours } = await changePluginEntry(context, project, options);
        if (foreign !== undefined) {
          const who = foreign === "hugo" ? "Hugo" : "you";
          return { did: "taken-back", detail: safe`kept the entry in ${shown(file)}, because ${who} added it` };
        }
        if (change === "none") return { did: "taken-back", detail: safe`${shown(file)} no longer listed the plugin` };
        return { did: "taken-back", detail: `${shown(file)}${isYours ? ` ${withYourChanges}` : ""}` };
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
        const { removed, restored, edited, kept } = await takeFilesBack(project, record, { dryRun });
        const done = [
          ...removed,
          ...restored.map((path) => `${path} as it was`),
          ...edited.map((path) => `${path} ${withYourChanges}`),
        ];
        const left = kept.length === 0 ? [] : [`${dryRun ? "keeps" : "kept"} ${kept.join(", ")}, which you changed`];
        return { did: "taken-back", detail: [done.join(", "), ...left].filter((part) => part !== "").join("; ") };
      },
    },
  ];
}

/** What was written; of a file that was there, what was added. */
function listOf(files: readonly ProjectFile[]): string {
  const written = files.filter(({ did }) => did !== "kept");
  return written.map(({ path, did, remark }) => (did === "changed" ? `${path} (${remark})` : path)).join(", ");
}
