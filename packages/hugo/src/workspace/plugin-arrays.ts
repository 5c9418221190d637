import type { JsonValue } from "@atomic/durable-files/jsonc/value";
import type { MadeByHugo } from "@atomic/workflows/internal/hugo-lock/lock";
import { addPlugin, editConfig, removePlugins } from "../opencode/plugin-edits.ts";
import { type OpencodeConfig, type PluginEntry, readOpencodeConfig } from "../opencode/read-config.ts";

/** The plugin arrays of all config files on their way from what they are to what they will be. */
export class PluginArrays {
  readonly #before: ReadonlyMap<string, OpencodeConfig>;
  readonly #now: Map<string, OpencodeConfig>;
  #made: Map<string, MadeByHugo>;
  /** An entry was put or taken out here, so that `made` says more than the lock. */
  isChanged = false;

  /** @param made What Hugo made in which file, by absolute path. */
  constructor(configs: readonly OpencodeConfig[], made: ReadonlyMap<string, MadeByHugo>) {
    this.#before = new Map(configs.map((config) => [config.file, config]));
    this.#now = new Map(this.#before);
    this.#made = new Map(made);
  }

  get made(): ReadonlyMap<string, MadeByHugo> {
    return this.#made;
  }

  /** All that OpenCode reads, as it will be. */
  get configs(): readonly OpencodeConfig[] {
    return [...this.#now.values()];
  }

  entriesIn(file: string): readonly PluginEntry[] {
    return this.#config(file).plugins;
  }

  /** Texts that were decided elsewhere, with what Hugo made in all files by then. */
  replace(texts: ReadonlyMap<string, string | undefined>, made: ReadonlyMap<string, MadeByHugo>): void {
    for (const [file, text] of texts) this.#now.set(file, readOpencodeConfig(file, text));
    this.#made = new Map(made);
  }

  /** Takes out entries as they stand now. */
  take(entries: readonly PluginEntry[]): void {
    if (entries.length > 0) this.isChanged = true;
    for (const file of new Set(entries.map((entry) => entry.file))) {
      const config = this.#config(file);
      const taken = entries.filter((entry) => entry.file === file);
      const removal = removePlugins(config, taken, this.#made.get(file));
      const text = removal.kind === "delete-file" ? undefined : editConfig(config, removal.edits);
      if (removal.kind === "delete-file" || removal.removesMade) this.#made.delete(file);
      this.#now.set(file, readOpencodeConfig(file, text));
    }
  }

  put(file: string, entry: { readonly spec: string; readonly options?: JsonValue; readonly index: number }): void {
    this.isChanged = true;
    const config = this.#config(file);
    const { edits, makes } = addPlugin(config, entry);
    if (makes !== undefined) this.#made.set(file, makes);
    this.#now.set(file, readOpencodeConfig(file, editConfig(config, edits)));
  }

  /** The new text of each file that changes; undefined of one that goes. */
  texts(): Map<string, string | undefined> {
    const changed = [...this.#now.values()].filter(({ file, text, exists }) => {
      const before = this.#config(file, this.#before);
      return before.exists !== exists || before.text !== text;
    });
    return new Map(changed.map(({ file, text, exists }) => [file, exists ? text : undefined]));
  }

  #config(file: string, configs: ReadonlyMap<string, OpencodeConfig> = this.#now): OpencodeConfig {
    return configs.get(file) ?? readOpencodeConfig(file, undefined);
  }
}
