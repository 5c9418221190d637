import type { Hash } from "@atomic/durable-files/files/hash";
import { type Lock, type LockedWorkflow, ownersOf } from "@atomic/workflows/internal/hugo-lock/lock";
import type { OpencodeConfig, PluginEntry } from "../opencode/read-config.ts";
import { FileDraft } from "./file-draft.ts";
import { OwnConfigs } from "./own-configs.ts";
import { type Place, portablePath } from "./place.ts";
import { PluginArrays } from "./plugin-arrays.ts";
import { absentFrom, type DisabledEntry } from "./plugin-order.ts";
import type { ChangeSet, DiskFile, Snapshot } from "./snapshot.ts";
import type { NamedEntry } from "./toggled.ts";

/** What a decision sees: a snapshot, or a draft that holds what the same command decided before. */
export type DraftView = Pick<Snapshot, "place" | "lock" | "configs" | "disk" | "baseOf">;

/** What one command will change, about one workflow after the other: each step sees what the steps before it decided. */
export class Draft implements DraftView {
  readonly snapshot: Snapshot;
  readonly workflows: Map<string, LockedWorkflow>;
  readonly arrays: PluginArrays;
  readonly files: FileDraft;
  readonly #configs: OwnConfigs;
  readonly #bases = new Map<Hash, Uint8Array>();
  /** What the lock says of config files that Hugo made, until an array changes here. */
  #recorded: Lock["configs"];

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot;
    this.workflows = new Map(snapshot.lock.workflows);
    this.#configs = new OwnConfigs(snapshot.place);
    this.#recorded = snapshot.lock.configs;
    this.arrays = new PluginArrays(snapshot.configs, this.#configs.made(snapshot.lock));
    this.files = new FileDraft((paths) => snapshot.disk(paths));
  }

  get place(): Place {
    return this.snapshot.place;
  }

  get lock(): Lock {
    // Of a file that is not this place's nothing is recorded any more once Hugo writes arrays, or has nothing installed.
    const isOwn = this.arrays.isChanged || this.workflows.size === 0;
    const configs = isOwn ? this.#configs.recorded(this.arrays.made) : this.#recorded;
    return { workflows: this.workflows, configs };
  }

  get configs(): readonly OpencodeConfig[] {
    return this.arrays.configs;
  }

  disk(paths: Iterable<string>): Map<string, DiskFile> {
    return this.files.disk(paths);
  }

  baseOf(hash: Hash): Uint8Array | undefined {
    return this.#bases.get(hash) ?? this.snapshot.baseOf(hash);
  }

  /** Takes over what was decided on this draft as it is now. */
  apply({ lock, configs, files, bases }: Required<Omit<ChangeSet, "title">>): void {
    for (const [name, workflow] of lock.workflows) this.workflows.set(name, workflow);
    this.#recorded = lock.configs;
    this.arrays.replace(configs, this.#configs.made(lock));
    this.files.change(files);
    for (const { hash, bytes } of bases) this.#bases.set(hash, bytes);
  }

  /** Entries as results speak of them. */
  named(entries: readonly PluginEntry[]): NamedEntry[] {
    return entries.map(({ file, spec }) => ({ file: portablePath(this.place, file), spec }));
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
    const isBack = (name: string, workflow: LockedWorkflow): boolean => this.isBack(name, workflow);
    return absentFrom(file, this.workflows, { configs: this.#configs, isBack });
  }

  /** Somebody put a disabled plugin back by hand. */
  isBack(name: string, { delivery }: LockedWorkflow): boolean {
    return this.snapshot.lock.workflows.get(name)?.delivery === delivery && this.snapshot.isEnabled(name);
  }

  /** Other workflows that have the file in use. */
  othersUsing(destination: string, name: string): string[] {
    return ownersOf(this, destination).filter((other) => other !== name);
  }

  /** Undefined if nothing changes. */
  changes(title: string): ChangeSet | undefined {
    const [configs, files] = [this.arrays.texts(), this.files.changes()];
    const { workflows } = this.snapshot.lock;
    const isSame =
      this.workflows.size === workflows.size &&
      [...this.workflows].every(([name, workflow]) => workflows.get(name) === workflow);
    if (isSame && configs.size === 0 && files.length === 0 && this.#bases.size === 0) return undefined;
    const bases = [...this.#bases].map(([hash, bytes]) => ({ hash, bytes }));
    return { title, lock: this.lock, configs, files, bases };
  }
}
