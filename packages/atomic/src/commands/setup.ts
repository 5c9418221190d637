import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readTextForEdit } from "@atomic/durable-files/files/read-for-edit";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { refuseAgent } from "@atomic/terminal/agent-at-keyboard";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { keptOutOfGit } from "@atomic/workflows/internal/tasks/store";
import { type AtomicCommand, commandOf } from "../command.ts";
import type { AtomicContext } from "../context.ts";
import { locate } from "../entities/load-entities.ts";
import { isOurs, type TuiConfig, withoutPlugin, withPlugin } from "../opencode/tui-config.ts";
import { documentOf, type Where } from "../report/path.ts";

type Change = Parameters<typeof transaction>[1][number];

type FoundConfig = TuiConfig & { readonly hash: ReturnType<typeof readTextForEdit>["hash"] };

/** What `setup` did to a file, so that undoing it is exact as long as you did not change the file in the meantime. */
interface SetupChange {
  /** Null if there was no file. */
  readonly before: string | null;
  readonly after: string;
}

interface SetupResult {
  readonly where: Where;
  readonly file: string;
  readonly change: "added" | "removed" | "none";
  readonly undo: boolean;
}

export const setup: AtomicCommand = commandOf({
  name: "setup",
  summary: "Show your runs in OpenCode's own terminal, or stop doing so",
  arguments: { program: { count: "one", summary: "The program to set up: opencode" } },
  options: {
    project: { kind: "flag", summary: "Only in this project, for everyone who works on it" },
    undo: { kind: "flag", summary: "Take the plugin out again" },
  },
  details: [
    "This adds atomic's plugin to OpenCode's tui.json: yours, or with --project the project's. Restart OpenCode afterwards. If you use Hugo, `hugo install @atomic/cli` does the same and keeps it up to date.",
  ],
  examples: [
    { command: "atomic setup opencode", shows: "Show runs and their questions in OpenCode, in every project." },
    { command: "atomic setup opencode --undo", shows: "Take it out again; the rest of the file stays as it is." },
  ],
  run: async (context, { program, project: isForProject, undo }): Promise<SetupResult> => {
    if (program !== "opencode") {
      throw new Refusal("program-unknown", {
        message: safe`atomic cannot set up "${program}"`,
        exitCode: 2,
        hint: "The only program that atomic sets up is opencode: atomic setup opencode",
      });
    }
    refuseAgent(context.caller, "atomic setup");
    const where = await locate(context);
    const folder = isForProject ? where.project : userFolder(context);
    const names = isForProject ? projectNames : ["tui.jsonc", "tui.json"];
    // OpenCode reads all of them; an entry of ours may be in any.
    const files = names.map((name) => join(folder, name));
    const found = files.filter((file) => existsSync(file));
    const read = (file: string): FoundConfig => {
      const { text, hash } = readTextForEdit(file);
      return { file, text: hash === "absent" ? undefined : text, hash };
    };
    const state = isForProject ? join(where.project, ".atomic/init") : userState(context);
    const memory = readTextForEdit(join(state, "undo.json"));
    const changed = memory.hash === "absent" ? {} : (JSON.parse(memory.text) as Readonly<Record<string, SetupChange>>);
    /** Changes the file, and what is remembered of it. */
    const write = async ({ file, hash }: FoundConfig, content: string | undefined, change?: SetupChange) => {
      const { [file]: _, ...others } = changed;
      const remembered = `${JSON.stringify({ ...others, ...(change && { [file]: change }) }, null, 2)}\n`;
      const changes: Change[] = [{ path: join(state, "undo.json"), content: remembered, expect: memory.hash }];
      if (content !== undefined) changes.push({ path: file, content, expect: hash });
      else if (hash !== "absent") changes.push({ path: file, delete: true, expect: hash });
      const kept = isForProject ? keptOutOfGit(state) : [];
      await transaction(state, [...changes, ...kept], { purpose: "setting up OpenCode" });
    };
    const here = packageFolder();
    const isThis = (entry: string): boolean => isOurs(entry) || entry === here;
    if (undo) {
      for (const config of found.map(read)) {
        const left = withoutPlugin(config, isThis);
        if (left === undefined) continue;
        const { file, text } = config;
        const before = changed[file];
        const edited = left === "absent" ? undefined : left.text;
        await write(config, before !== undefined && before.after === text ? (before.before ?? undefined) : edited);
        return { where, file, change: "removed", undo };
      }
      return { where, file: found[0] ?? files.at(-1)!, change: "none", undo };
    }
    const listing = found.map(read).find((config) => withoutPlugin(config, isThis) !== undefined);
    const config = listing ?? read(found[0] ?? files.at(-1)!);
    // Others have no such folder; npm's cache for `npx` is emptied now and then.
    const isPath = !isForProject && !/[\\/]_npx[\\/]/.test(here);
    const text = withPlugin(config, isPath ? here : `@atomic/cli@${await version()}`, isThis);
    if (text === undefined) return { where, file: config.file, change: "none", undo };
    const earlier = changed[config.file];
    // With an entry of ours in it, a file is not as it was before.
    const isKnown = listing === undefined || earlier?.after === config.text;
    const before = listing === undefined ? (config.text ?? null) : (earlier?.before ?? null);
    await write(config, text, isKnown ? { before, after: text } : undefined);
    return { where, file: config.file, change: "added", undo };
  },
  report: {
    text: ({ file, change, undo }) => {
      const none = undo ? safe`${file} does not list the plugin.` : safe`${file} lists the plugin already.`;
      if (change === "none") return `${none}\n`;
      return `${change === "added" ? safe`Added the plugin to ${file}.` : safe`Removed the plugin from ${file}.`}\n`;
    },
    notes: ({ change }) => (change === "none" ? "" : "Restart OpenCode to see the change.\n"),
    json: ({ where, file, change }) => documentOf(where, { file, change }),
    exitCode: () => 0,
  },
});

/** In the order in which an existing one is used; the last one is created. */
const projectNames = ["tui.jsonc", "tui.json", ".opencode/tui.jsonc", ".opencode/tui.json"];

/** What a transaction needs while it runs. */
function userState({ env, home }: AtomicContext): string {
  return join(env.XDG_STATE_HOME || join(home, ".local/state"), "atomic/setup");
}

function userFolder({ env, home }: AtomicContext): string {
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
}

/** From the nearest package.json above this file: sources, build and bundle are at different depths. */
function packageFolder(folder: string = import.meta.dirname): string {
  return existsSync(join(folder, "package.json")) ? folder : packageFolder(dirname(folder));
}

async function version(): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  return JSON.parse(await readFile(join(packageFolder(), "package.json"), "utf8")).version;
}
