import { type Lock, type LockedWorkflow, ownersOf } from "@atomic/workflows/internal/hugo-lock/lock";
import type { PluginEntry } from "../opencode/read-config.ts";
import { FileDraft } from "./file-draft.ts";
import { OwnConfigs } from "./own-configs.ts";
import { portablePath } from "./place.ts";
import { PluginArrays } from "./plugin-arrays.ts";
import { absentFrom, type DisabledEntry } from "./seats.ts";
import type { Draft, Snapshot } from "./snapshot.ts";
import type { NamedEntry } from "./toggled.ts";

/** Where one command works on several workflows: each step sees what the steps before it decided. */
export class Desk {
  readonly snapshot: Snapshot;
  readonly workflows: Map<string, LockedWorkflow>;
  readonly arrays: PluginArrays;
  readonly files: FileDraft;
  readonly #configs: OwnConfigs;

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot;
    this.workflows = new Map(snapshot.lock.workflows);
    this.#configs = new OwnConfigs(snapshot.place);
    this.arrays = new PluginArrays(snapshot.configs, this.#configs.made(snapshot.lock));
    this.files = new FileDraft((paths) => snapshot.disk(paths));
  }

  get lock(): Lock {
    return { workflows: this.workflows, configs: this.#configs.recorded(this.arrays.made) };
  }

  /** Entries as results speak of them. */
  named(entries: readonly PluginEntry[]): NamedEntry[] {
    return entries.map(({ file, spec }) => ({ file: portablePath(this.snapshot.place, file), spec }));
  }

  /** The entries of a workflow that are this place's to change: a project leaves the user's own configs alone. */
  ownEntries(name: string): PluginEntry[] {
    return this.snapshot.entriesOf(name).filter(({ file }) => this.#configs.has(file));
  }

  foreignEntries(name: string): PluginEntry[] {
    return this.snapshot.entriesOf(name).filter(({ file }) => !this.#configs.has(file));
  }

  /** The config file that the lock calls so, if it is this place's. */
  configFile(recorded: string): string | undefined {
    return this.#configs.named(recorded);
  }

  /** The disabled plugins that will come back to this file. */
  absentFrom(file: string): DisabledEntry[] {
    const { lock } = this.snapshot;
    return absentFrom(file, this.workflows, {
      configs: this.#configs,
      isBack: (name, { delivery }) => lock.workflows.get(name)?.delivery === delivery && this.snapshot.isEnabled(name),
    });
  }

  /** Other workflows that have the file in use. */
  othersUsing(destination: string, name: string): string[] {
    return ownersOf(this, destination).filter((other) => other !== name);
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
}
