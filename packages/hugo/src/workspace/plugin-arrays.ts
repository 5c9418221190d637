import { basename, dirname } from "node:path";
import type { JsonValue } from "@atomic/durable-files/jsonc/value";
import type { Lock, LockedWorkflow, MadeByHugo, RememberedPlugin } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../errors.ts";
import { configFiles, partOf } from "../opencode/config-files.ts";
import { addPlugin, editConfig, removePlugins } from "../opencode/plugin-edits.ts";
import { type ConfigDocument, type PluginEntry, readOpencodeConfig } from "../opencode/read-config.ts";
import { portablePath, type WorkspacePlace } from "./place.ts";

/** The plugin arrays of all config files on their way from what they are to what they will be. */
export class PluginArrays {
  readonly #before: ReadonlyMap<string, ConfigDocument>;
  readonly #now: Map<string, ConfigDocument>;
  /** What Hugo made in which file, by absolute path. */
  made: Map<string, MadeByHugo>;

  constructor(configs: readonly ConfigDocument[], made: ReadonlyMap<string, MadeByHugo>) {
    this.#before = new Map(configs.map((config) => [config.file, config]));
    this.#now = new Map(this.#before);
    this.made = new Map(made);
  }

  /** Everything OpenCode reads, as it will be. */
  get configs(): readonly ConfigDocument[] {
    return [...this.#now.values()];
  }

  entriesIn(file: string): readonly PluginEntry[] {
    return this.#config(file).plugins;
  }

  /** Takes texts that were decided elsewhere, with what Hugo has made in all files by then. */
  replace(texts: ReadonlyMap<string, string | undefined>, made: ReadonlyMap<string, MadeByHugo>): void {
    for (const [file, text] of texts) this.#now.set(file, readOpencodeConfig(file, text));
    this.made = new Map(made);
  }

  /** Takes out entries as they are now. */
  take(entries: readonly PluginEntry[]): void {
    for (const file of new Set(entries.map((entry) => entry.file))) {
      const config = this.#config(file);
      const taken = entries.filter((entry) => entry.file === file);
      const removal = removePlugins(config, taken, this.made.get(file));
      const text = removal.kind === "delete-file" ? undefined : editConfig(config, removal.edits);
      if (removal.kind === "delete-file" || removal.removesMade) this.made.delete(file);
      this.#now.set(file, readOpencodeConfig(file, text));
    }
  }

  put(file: string, entry: { readonly spec: string; readonly options?: JsonValue; readonly index: number }): void {
    const config = this.#config(file);
    const old = this.configs.find((each) => dirname(each.file) === dirname(file) && each.hasTuiSettings);
    if (partOf(file) === "tui" && !config.exists && old !== undefined && partOf(old.file) === "server") {
      throw new HugoError("config-unsafe", {
        message: `${old.file} has settings for the terminal, which OpenCode moves to ${basename(file)} only while there is none`,
        at: old.file,
        hint: "Start OpenCode once, so it moves them, then run the command again. Nothing was changed.",
      });
    }
    const { edits, makes } = addPlugin(config, entry);
    if (makes !== undefined) this.made.set(file, makes);
    this.#now.set(file, readOpencodeConfig(file, editConfig(config, edits)));
  }

  /** The new text of each file that changes; undefined deletes the file. */
  texts(): Map<string, string | undefined> {
    const changed = [...this.#now.values()].filter(({ file, text, exists }) => {
      const before = this.#config(file, this.#before);
      return before.exists !== exists || before.text !== text;
    });
    return new Map(changed.map(({ file, text, exists }) => [file, exists ? text : undefined]));
  }

  #config(file: string, configs: ReadonlyMap<string, ConfigDocument> = this.#now): ConfigDocument {
    return configs.get(file) ?? readOpencodeConfig(file, undefined);
  }
}

// A disabled plugin keeps the position it has when all disabled ones are back, so the order survives, in whatever
// order plugins are disabled and enabled.
/** A disabled plugin that will come back to this array. */
export interface DisabledEntry {
  readonly workflow: string;
  readonly position: number;
}

export type OrderedPlugin = { readonly entry: PluginEntry } | { readonly absent: string };

interface Known {
  readonly configs: OwnConfigs;
  /** The user restored it by hand: it has a position again, so the old one is forgotten. */
  isBack(name: string, workflow: LockedWorkflow): boolean;
}

/** The disabled plugins that will come back to a file. */
export function absentFrom(
  file: string,
  workflows: ReadonlyMap<string, LockedWorkflow>,
  { configs, isBack }: Known,
): DisabledEntry[] {
  return [...workflows].flatMap(([name, workflow]) => {
    const disabled = workflow.delivery.kind === "plugin" ? (workflow.delivery.disabled ?? []) : [];
    const here = disabled.filter((remembered) => configs.named(remembered.file) === file);
    if (here.length === 0 || isBack(name, workflow)) return [];
    return here.map(({ index }) => ({ workflow: name, position: index }));
  });
}

/** The array including the disabled plugins. */
export function pluginOrder(entries: readonly PluginEntry[], absent: readonly DisabledEntry[]): OrderedPlugin[] {
  const order: OrderedPlugin[] = entries.map((entry) => ({ entry }));
  const inOrder = absent.toSorted((a, b) => a.position - b.position || (a.workflow < b.workflow ? -1 : 1));
  // The user may have shortened the array: a position past the end then means the end.
  for (const { workflow, position } of inOrder) order.splice(Math.min(position, order.length), 0, { absent: workflow });
  return order;
}

/** The index at which a disabled plugin comes back: its first position, not counting those that stay disabled; else the end. */
export function indexFor(workflow: string, entries: readonly PluginEntry[], absent: readonly DisabledEntry[]): number {
  const order = pluginOrder(entries, absent);
  const own = order.findIndex((position) => "absent" in position && position.absent === workflow);
  if (own < 0) return entries.length;
  return order.slice(0, own).filter((position) => "entry" in position).length;
}

interface PluginReturn extends Known {
  readonly arrays: PluginArrays;
  readonly workflows: ReadonlyMap<string, LockedWorkflow>;
  /** Where it goes if none of the files it was in is this place's. */
  readonly usualFile: string;
  /** What is written for it; `remembered` is what this very file had. */
  specIn(file: string, remembered: RememberedPlugin | undefined): string;
}

/** Puts a disabled plugin back into the arrays: where it was, with its options. Also adds one that never was in any. */
export function returnPlugin(
  name: string,
  disabled: readonly RememberedPlugin[],
  { arrays, workflows, usualFile, specIn, configs, isBack }: PluginReturn,
): { readonly file: string; readonly spec: string }[] {
  const known = disabled.flatMap((remembered) => {
    const file = configs.named(remembered.file);
    return file === undefined ? [] : [{ file, remembered }];
  });
  const wanted = known.length > 0 ? known : [{ file: usualFile, remembered: disabled.at(-1) }];
  return wanted.map(({ file, remembered }, at) => {
    // A plugin that is back no longer needs its old position.
    const now = new Map(workflows);
    const locked = workflows.get(name);
    const left = known.slice(at).map((each) => each.remembered);
    if (locked !== undefined) now.set(name, { ...locked, delivery: { kind: "plugin", disabled: left } });
    const index = indexFor(name, arrays.entriesIn(file), absentFrom(file, now, { configs, isBack }));
    const spec = specIn(file, known.length > 0 ? remembered : undefined);
    const options = remembered?.options;
    arrays.put(file, { spec, index, ...(options !== undefined && { options }) });
    return { file, spec };
  });
}

/**
 * The config files that are a place's to change: a project leaves the user's own alone. The lock is untrusted,
 * so it can name no others.
 */
export class OwnConfigs {
  readonly #place: WorkspacePlace;
  /** By the name the lock uses. */
  readonly #files: ReadonlyMap<string, string>;

  constructor(place: WorkspacePlace) {
    this.#place = place;
    const own = configFiles(place.configs).filter(({ scope }) => scope === place.scope);
    this.#files = new Map(own.map(({ path }) => [portablePath(place, path), path]));
  }

  has(file: string): boolean {
    return this.#files.get(portablePath(this.#place, file)) === file;
  }

  /** The file the lock calls this. */
  named(recorded: string): string | undefined {
    return this.#files.get(recorded);
  }

  /** What Hugo made in which file. */
  made({ configs }: Lock): Map<string, MadeByHugo> {
    const made = new Map<string, MadeByHugo>();
    for (const [recorded, what] of configs) {
      const file = this.named(recorded);
      if (file !== undefined) made.set(file, what);
    }
    return made;
  }

  /** The same for the lock. */
  recorded(made: ReadonlyMap<string, MadeByHugo>): Map<string, MadeByHugo> {
    return new Map([...made].map(([file, what]) => [portablePath(this.#place, file), what]));
  }
}
