import { type Lock, type LockedWorkflow, ownersOf } from "../lock-file/lock.ts";
import { type ConfigFile, configFiles } from "../opencode-config/config-files.ts";
import type { MadeByHugo } from "../opencode-config/plugin-edits.ts";
import type { PluginEntry } from "../opencode-config/read-config.ts";
import { portablePath } from "../place.ts";
import type { Draft, Snapshot } from "../workspace/snapshot.ts";
import { FileDraft } from "./file-draft.ts";
import { PluginArrays } from "./plugin-arrays.ts";
import type { Absent } from "./seats.ts";
import type { NamedEntry } from "./toggled.ts";

/** Where one command works on several workflows: each step sees what the steps before it decided. */
export class Desk {
  readonly snapshot: Snapshot;
  readonly workflows: Map<string, LockedWorkflow>;
  readonly arrays: PluginArrays;
  readonly files: FileDraft;
  readonly #configs: readonly ConfigFile[];

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot;
    this.workflows = new Map(snapshot.lock.workflows);
    this.#configs = configFiles(snapshot.place.configs);
    this.arrays = new PluginArrays(snapshot.configs, this.#madeByHugo());
    this.files = new FileDraft((paths) => snapshot.disk(paths));
  }

  get lock(): Lock {
    const { made } = this.arrays;
    return {
      workflows: this.workflows,
      configs: new Map([...made].map(([file, what]) => [portablePath(this.snapshot.place, file), what])),
    };
  }

  /** Entries as results speak of them. */
  named(entries: readonly PluginEntry[]): NamedEntry[] {
    return entries.map(({ file, spec }) => ({ file: portablePath(this.snapshot.place, file), spec }));
  }

  /** The entries of a workflow that are this place's to change: a project leaves the user's own configs alone. */
  ownEntries(name: string): PluginEntry[] {
    return this.snapshot.entriesOf(name).filter(({ file }) => this.#isOwn(file));
  }

  foreignEntries(name: string): PluginEntry[] {
    return this.snapshot.entriesOf(name).filter(({ file }) => !this.#isOwn(file));
  }

  /**
   * The config file that the lock calls so. The lock may come from anybody, so it can only name what OpenCode reads
   * for this place.
   */
  configFile(recorded: string): string | undefined {
    const own = this.#configs.filter(({ scope }) => scope === this.snapshot.place.scope);
    return own.find(({ path }) => portablePath(this.snapshot.place, path) === recorded)?.path;
  }

  /** The disabled plugins that will come back to this file. */
  absentFrom(file: string): Absent[] {
    return [...this.workflows].flatMap(([workflow, { delivery }]) => {
      if (delivery.kind !== "plugin" || delivery.disabled === undefined) return [];
      // Somebody put it back by hand: then it has a position, and the old one is forgotten.
      if (this.snapshot.lock.workflows.get(workflow)?.delivery === delivery && this.snapshot.isEnabled(workflow))
        return [];
      const { file: recorded, index } = delivery.disabled;
      return this.configFile(recorded) === file ? [{ workflow, seat: index }] : [];
    });
  }

  /** Other workflows that have the file in use: a disabled one has a copy of its own. */
  othersUsing(destination: string, name: string): string[] {
    return ownersOf({ workflows: this.workflows, configs: new Map() }, destination).filter((other) => {
      const delivery = this.workflows.get(other)?.delivery;
      return other !== name && delivery?.kind === "copy" && !delivery.parked;
    });
  }

  /** Undefined if nothing changes. */
  draft(title: string): Draft | undefined {
    const [configs, files] = [this.arrays.texts(), this.files.changes()];
    const { workflows } = this.snapshot.lock;
    const isSame =
      this.workflows.size === workflows.size &&
      [...this.workflows].every(([name, workflow]) => workflows.get(name) === workflow);
    if (isSame && configs.size === 0 && files.length === 0) return undefined;
    return { title, lock: this.lock, configs, files };
  }

  #isOwn(file: string): boolean {
    return this.#configs.some(({ path, scope }) => path === file && scope === this.snapshot.place.scope);
  }

  #madeByHugo(): Map<string, MadeByHugo> {
    const made = new Map<string, MadeByHugo>();
    for (const [recorded, what] of this.snapshot.lock.configs) {
      const file = this.configFile(recorded);
      if (file !== undefined) made.set(file, what);
    }
    return made;
  }
}
