// The line in OpenCode's tui.json that loads our plugin: adds it, or takes it out.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readTextForEdit } from "@atomic/durable-files/files/read-for-edit";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { keptOutOfGit } from "@atomic/workflows/internal/tasks/store";
import type { AtomicContext } from "../context.ts";
import { packageFolder } from "../package-folder.ts";
import { isOurs, type TuiConfig, withoutPlugin, withPlugin } from "./tui-config.ts";

type Change = Parameters<typeof transaction>[1][number];

type FoundConfig = TuiConfig & { readonly hash: ReturnType<typeof readTextForEdit>["hash"] };

/** What was done to a file, so that undoing it is exact as long as you did not change the file in the meantime. */
interface WrittenConfig {
  /** Null if there was no file. */
  readonly before: string | null;
  readonly after: string;
}

export interface TuiPluginChange {
  readonly file: string;
  readonly change: "added" | "removed" | "none";
}

interface TuiPluginOptions {
  /** In the project's tui.json instead of the user's. */
  readonly isForProject: boolean;
  readonly undo: boolean;
  /** Only says what would change. */
  readonly dryRun: boolean;
}

export async function changePluginEntry(
  { env, home }: Pick<AtomicContext, "env" | "home">,
  project: string,
  { isForProject, undo, dryRun }: TuiPluginOptions,
): Promise<TuiPluginChange> {
  const folder = isForProject ? project : join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
  const names = isForProject ? projectNames : ["tui.jsonc", "tui.json"];
  // OpenCode reads all of them; an entry of ours may be in any.
  const files = names.map((name) => join(folder, name));
  const found = files.filter((file) => existsSync(file));
  const read = (file: string): FoundConfig => {
    const { text, hash } = readTextForEdit(file);
    return { file, text: hash === "absent" ? undefined : text, hash };
  };
  const userState = join(env.XDG_STATE_HOME || join(home, ".local/state"), "atomic/setup");
  const state = isForProject ? join(project, ".atomic/init") : userState;
  const memory = readTextForEdit(join(state, "undo.json"));
  const written = memory.hash === "absent" ? new Map<string, WrittenConfig>() : parseWritten(memory.text);
  /** Changes the file, and what is remembered of it. */
  const write = async ({ file, hash }: FoundConfig, content: string | undefined, change?: WrittenConfig) => {
    if (dryRun) return;
    written.delete(file);
    if (change !== undefined) written.set(file, change);
    const remembered = `${JSON.stringify(Object.fromEntries(written), null, 2)}
`;
    const changes: Change[] = keptOutOfGit(state).filter(() => isForProject);
    const path = join(state, "undo.json");
    if (written.size > 0) changes.push({ path, content: remembered, expect: memory.hash });
    else if (memory.hash !== "absent") changes.push({ path, delete: true, expect: memory.hash });
    if (content !== undefined) changes.push({ path: file, content, expect: hash });
    else if (hash !== "absent") changes.push({ path: file, delete: true, expect: hash });
    await transaction(state, changes, { purpose: "setting up OpenCode" });
  };
  const here = packageFolder();
  const isThis = (entry: string): boolean => isOurs(entry) || entry === here;
  if (undo) {
    for (const config of found.map(read)) {
      const left = withoutPlugin(config, isThis);
      if (left === undefined) continue;
      const { file, text } = config;
      const earlier = written.get(file);
      const edited = left === "absent" ? undefined : left.text;
      await write(config, earlier?.after === text ? (earlier?.before ?? undefined) : edited);
      return { file, change: "removed" };
    }
    return { file: found[0] ?? files.at(-1)!, change: "none" };
  }
  const listing = found.map(read).find((config) => withoutPlugin(config, isThis) !== undefined);
  const config = listing ?? read(found[0] ?? files.at(-1)!);
  // Others have no such folder; npm's cache for `npx` is emptied now and then.
  const isPath = !isForProject && !/[\\/]_npx[\\/]/.test(here);
  const { version } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
  const text = withPlugin(config, isPath ? here : `@atomic/cli@${version}`, isThis);
  if (text === undefined) return { file: config.file, change: "none" };
  const earlier = written.get(config.file);
  // With an entry of ours in it, a file is not as it was before.
  const isKnown = listing === undefined || earlier?.after === config.text;
  const before = listing === undefined ? (config.text ?? null) : (earlier?.before ?? null);
  await write(config, text, isKnown ? { before, after: text } : undefined);
  return { file: config.file, change: "added" };
}

/** In the order in which an existing one is used; the last one is created. */
const projectNames = ["tui.jsonc", "tui.json", ".opencode/tui.jsonc", ".opencode/tui.json"];

/** A file that is not ours, or is damaged, is as good as none: undoing is then an edit. */
function parseWritten(text: string): Map<string, WrittenConfig> {
  try {
    const entries = Object.entries((JSON.parse(text) ?? {}) as Readonly<Record<string, WrittenConfig | null>>);
    return new Map(entries.flatMap(([file, each]) => (typeof each?.after === "string" ? [[file, each] as const] : [])));
  } catch (error) {
    if (error instanceof SyntaxError) return new Map();
    throw error;
  }
}
