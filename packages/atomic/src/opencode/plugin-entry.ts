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
  const read = (file: string): TuiConfig & { readonly hash: ReturnType<typeof readTextForEdit>["hash"] } => {
    const { text, hash } = readTextForEdit(file);
    return { file, text: hash === "absent" ? undefined : text, hash };
  };
  const userState = join(env.XDG_STATE_HOME || join(home, ".local/state"), "atomic/setup");
  const state = isForProject ? join(project, ".atomic/init") : userState;
  const write = async (change: Change): Promise<void> => {
    if (dryRun) return;
    const kept = isForProject ? keptOutOfGit(state) : [];
    await transaction(state, [change, ...kept], { purpose: "setting up OpenCode" });
  };
  const here = packageFolder();
  const isThis = (entry: string): boolean => isOurs(entry) || entry === here;
  if (undo) {
    for (const config of found.map(read)) {
      const left = withoutPlugin(config, isThis);
      if (left === undefined || config.hash === "absent") continue;
      const { file: path, hash: expect } = config;
      await write(left === "absent" ? { path, delete: true, expect } : { path, content: left.text, expect });
      return { file: path, change: "removed" };
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
  await write({ path: config.file, content: text, expect: config.hash });
  return { file: config.file, change: "added" };
}

/** In the order in which an existing one is used; the last one is created. */
const projectNames = ["tui.jsonc", "tui.json", ".opencode/tui.jsonc", ".opencode/tui.json"];
