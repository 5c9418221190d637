// The line in OpenCode's tui.json that loads our plugin: adds it, or takes it out.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { missingFolders, realFolder, removeEmptyFolder } from "@atomic/durable-files/files/folder";
import { readTextForEdit } from "@atomic/durable-files/files/read-for-edit";
import { whyUnwritable } from "@atomic/durable-files/safety/why-unwritable";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { wasFetched } from "@atomic/terminal/shown-runner";
import { keptOutOfGit } from "@atomic/workflows/internal/tasks/store";
import type { AtomicContext } from "../context.ts";
import { packageFolder } from "../package-folder.ts";
import { removeStateFolder } from "../project/write-files.ts";
import {
  entryIn,
  isOfHugo,
  isOurs,
  pathOf,
  type TuiConfig,
  withoutPlugin,
  withPlugin,
  withSpec,
} from "./tui-config.ts";

type Change = Parameters<typeof transaction>[1][number];

type FoundConfig = TuiConfig & { readonly hash: ReturnType<typeof readTextForEdit>["hash"] };

/** What was done to a file: only that is undone, byte for byte as long as you did not change the file in the meantime. */
interface WrittenConfig {
  /** The entry that was added. */
  readonly spec: string;
  /** Null if there was no file. */
  readonly before: string | null;
  readonly after: string;
  /** Folders that were made for the file, outermost first. */
  readonly folders: readonly string[];
}

export interface TuiPluginChange {
  readonly file: string;
  readonly change: "added" | "removed" | "none";
  /** An entry that `atomic setup` did not add, so it stays as it is: it is Hugo's, or yours. */
  readonly foreign?: "hugo" | "yours";
  /** You have changed the file since, and your changes stay. */
  readonly isYours?: boolean;
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
  const memoryFile = join(state, "undo.json");
  let memory = readTextForEdit(memoryFile);
  const written = memory.hash === "absent" ? new Map<string, WrittenConfig>() : parseWritten(memory.text);
  /** Changes the file, and what is remembered of it. */
  const write = async ({ file, hash }: FoundConfig, content: string | undefined, change?: WrittenConfig) => {
    for (const folder of [dirname(file), state]) refuseFolder(folder);
    if (dryRun) return;
    written.delete(file);
    if (change !== undefined) written.set(file, change);
    const remembered = `${JSON.stringify(Object.fromEntries(written), null, 2)}
`;
    const changes: Change[] = keptOutOfGit(state).filter(() => isForProject);
    if (written.size > 0) changes.push({ path: memoryFile, content: remembered, expect: memory.hash });
    else if (memory.hash !== "absent") changes.push({ path: memoryFile, delete: true, expect: memory.hash });
    if (content !== undefined) changes.push({ path: file, content, expect: hash });
    else if (hash !== "absent") changes.push({ path: file, delete: true, expect: hash });
    const made = missingFolders(state);
    try {
      await transaction(state, changes, { purpose: "setting up OpenCode" });
    } catch (error) {
      // Refused, for example because of a link that leads nowhere. What was made for it goes again.
      if (error instanceof DurableError && made.length > 0) {
        await removeStateFolder(state);
        for (const each of made.toReversed()) removeEmptyFolder(each);
      }
      throw error;
    }
    memory = readTextForEdit(memoryFile);
  };
  const here = packageFolder();
  const isThis = (spec: string, config: string): boolean => {
    const path = pathOf(spec, config);
    return isOurs(spec) || (path !== undefined && `${realPath(path)}${sep}`.startsWith(`${realPath(here)}${sep}`));
  };
  const configs = found.map(read);
  const own = configs.flatMap((config) => {
    const added = written.get(config.file);
    const entry = added && entryIn(config, (spec) => spec === added.spec);
    return added === undefined || entry === undefined ? [] : [{ config, entry, added }];
  })[0];
  /** Folders that were made for it go, if nothing else is in them. What is not around these files is not ours, whatever it says. */
  const clean = async ({ file, folders }: Pick<WrittenConfig, "folders"> & { readonly file: string }) => {
    if (dryRun) return;
    if (!isForProject && written.size === 0) await removeStateFolder(state);
    const isAround = (each: string): boolean =>
      [dirname(file), state].some((inner) => `${inner}${sep}`.startsWith(`${each}${sep}`));
    for (const each of folders.filter(isAround).toReversed()) removeEmptyFolder(each);
  };
  if (undo && own === undefined) {
    // You have removed the entry, or the file.
    for (const file of files.filter((each) => written.has(each))) {
      const folders = written.get(file)?.folders ?? [];
      const config = configs.find((each) => each.file === file);
      await write(config ?? read(file), config?.text);
      await clean({ file, folders });
    }
  }
  if (own === undefined) {
    for (const config of configs) {
      const entry = entryIn(config, (spec) => isThis(spec, config.file));
      if (entry === undefined) continue;
      return { file: config.file, change: "none", foreign: isOfHugo(entry.spec) ? "hugo" : "yours" };
    }
  }
  if (undo) {
    if (own === undefined) return { file: found[0] ?? files.at(-1)!, change: "none" };
    const { config, entry, added } = own;
    const left = withoutPlugin(config, entry);
    const edited = left === "absent" ? undefined : left.text;
    const isYours = added.after !== config.text && edited !== undefined;
    await write(config, added.after === config.text ? (added.before ?? undefined) : edited);
    await clean({ file: config.file, folders: added.folders });
    return { file: config.file, change: "removed", ...(isYours && { isYours }) };
  }
  const { version } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
  // Others have no such folder.
  const spec = isForProject ? `@atomic/cli@${version}` : specFor(here, version);
  if (own === undefined) {
    const fresh = configs[0] ?? read(files.at(-1)!);
    const after = withPlugin(fresh, spec);
    const folders = [dirname(fresh.file), ...(isForProject ? [] : [state])].flatMap(missingFolders);
    await write(fresh, after, { spec, before: fresh.text ?? null, after, folders });
    return { file: fresh.file, change: "added" };
  }
  const { config, entry, added } = own;
  if (entry.spec === spec) return { file: config.file, change: "none" };
  const after = withSpec(config, entry, spec);
  // What you changed since then stays when it is undone.
  await write(config, after, { ...added, spec, after: added.after === config.text ? after : added.after });
  return { file: config.file, change: "added" };
}

/** What OpenCode loads for you: your installation, unless it is in a cache, which is emptied now and then. */
export function specFor(folder: string, version: string): string {
  return wasFetched(folder) ? `@atomic/cli@${version}` : folder;
}

/** Also in a dry run, because the real one could not write there. */
function refuseFolder(folder: string): void {
  const why = whyUnwritable(realFolder(folder).path);
  if (why === undefined) return;
  throw new Refusal("not-writable", {
    exitCode: 3,
    message: safe`${folder} cannot be written (${why.code})`,
    at: folder,
    hint: "Make the folder writable, then run the command again. Nothing was changed.",
  });
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** In the order in which an existing one is used; the last one is created. */
const projectNames = ["tui.jsonc", "tui.json", ".opencode/tui.jsonc", ".opencode/tui.json"];

/** A file that is not ours, or is damaged, is as good as none: nothing is undone then. */
function parseWritten(text: string): Map<string, WrittenConfig> {
  try {
    const entries = Object.entries((JSON.parse(text) ?? {}) as Readonly<Record<string, WrittenConfig | null>>);
    const isWhole = (each: WrittenConfig | null): each is WrittenConfig =>
      typeof each?.after === "string" && typeof each.spec === "string" && Array.isArray(each.folders);
    return new Map(entries.flatMap(([file, each]) => (isWhole(each) ? [[file, each] as const] : [])));
  } catch (error) {
    if (error instanceof SyntaxError) return new Map();
    throw error;
  }
}
