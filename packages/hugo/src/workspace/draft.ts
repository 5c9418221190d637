import type { Hash } from "@atomic/durable-files/files/hash";
import { type Lock, type LockedWorkflow, ownersOf } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Context } from "../context.ts";
import type { ConfigDocument, PluginEntry } from "../opencode/read-config.ts";
import { change, type Decide, previewChange } from "./change.ts";
import { CHECK_FILE, type CheckChange, planCheck } from "./check-file.ts";
import type { Disk, DiskFile, FileChange } from "./copied-files.ts";
import { folderLabel, placeFor, portablePath, type WorkspacePlace } from "./place.ts";
import { absentFrom, type DisabledEntry, OwnConfigs, PluginArrays } from "./plugin-arrays.ts";
import type { ChangeSet, GeneralConfig, WorkspaceSnapshot } from "./snapshot.ts";

/** What a decision sees: a snapshot, or a draft that holds what the same command decided before. */
export type DraftView = Pick<WorkspaceSnapshot, "place" | "lock" | "configs" | "generalConfigs" | "disk" | "baseOf">;

/** What one command will change, workflow by workflow: each step sees what earlier steps decided. */
export class WorkspaceDraft implements DraftView {
  readonly snapshot: WorkspaceSnapshot;
  readonly place: WorkspacePlace;
  /** The config files that are this place's to change. */
  readonly ownConfigs: OwnConfigs;
  readonly workflows: Map<string, LockedWorkflow>;
  readonly arrays: PluginArrays;
  readonly files: FileDraft;
  readonly #bases = new Map<Hash, Uint8Array>();
  /** What the applied decisions record about config files that Hugo made. */
  #decidedConfigs: Lock["configs"] | undefined;

  constructor(snapshot: WorkspaceSnapshot) {
    this.snapshot = snapshot;
    this.place = snapshot.place;
    this.workflows = new Map(snapshot.lock.workflows);
    this.ownConfigs = new OwnConfigs(snapshot.place);
    this.arrays = new PluginArrays(snapshot.configs, this.ownConfigs.made(snapshot.lock));
    this.files = new FileDraft((paths) => snapshot.disk(paths));
  }

  get lock(): Lock {
    const { configs, check } = this.snapshot.lock;
    return { workflows: this.workflows, configs: this.#decidedConfigs ?? configs, check };
  }

  get configs(): readonly ConfigDocument[] {
    return this.arrays.configs;
  }

  generalConfigs(): readonly GeneralConfig[] {
    return this.snapshot.generalConfigs();
  }

  disk(paths: Iterable<string>): Map<string, DiskFile> {
    return this.files.disk(paths);
  }

  baseOf(hash: Hash): Uint8Array | undefined {
    return this.#bases.get(hash) ?? this.snapshot.baseOf(hash);
  }

  /** Applies what was decided on this draft as it is now. */
  apply({ lock, configs, files, bases }: Required<Omit<ChangeSet, "title">>): void {
    for (const [name, workflow] of lock.workflows) this.workflows.set(name, workflow);
    this.#decidedConfigs = lock.configs;
    this.arrays.replace(configs, this.ownConfigs.made(lock));
    this.files.change(files);
    for (const { hash, bytes } of bases) this.#bases.set(hash, bytes);
  }

  /** Entries as results name them. */
  named(entries: readonly PluginEntry[]): NamedEntry[] {
    return entries.map(({ file, spec }) => ({ file: portablePath(this.place, file), spec }));
  }

  /** The entries of a workflow that are this place's to change: a project leaves the user's own configs alone. */
  ownEntries(name: string): PluginEntry[] {
    return this.snapshot.entriesOf(name).filter(({ file }) => this.ownConfigs.has(file));
  }

  foreignEntries(name: string): PluginEntry[] {
    return this.snapshot.entriesOf(name).filter(({ file }) => !this.ownConfigs.has(file));
  }

  /** The disabled plugins that will come back to this file. */
  absentFrom(file: string): DisabledEntry[] {
    return absentFrom(file, this.workflows, {
      configs: this.ownConfigs,
      isBack: (name, workflow) => this.isBack(name, workflow),
    });
  }

  /** The user restored a disabled plugin by hand. */
  isBack(name: string, { delivery }: LockedWorkflow): boolean {
    return this.snapshot.lock.workflows.get(name)?.delivery === delivery && this.snapshot.isEnabled(name);
  }

  /** Other workflows that use the file. */
  othersUsing(destination: string, name: string): string[] {
    return ownersOf(this, destination).filter((other) => other !== name);
  }

  /** What happens to hugo-check.js; undefined if there is nothing to say about it. */
  get checkFile(): CheckChange | undefined {
    return planCheck(this.snapshot, this.workflows).change;
  }

  /** Undefined if nothing changes. */
  changes(title: string): ChangeSet | undefined {
    const [configs, files] = [this.arrays.texts(), this.files.changes()];
    const { workflows, check } = this.snapshot.lock;
    const isSame =
      this.workflows.size === workflows.size &&
      [...this.workflows].every(([name, workflow]) => workflows.get(name) === workflow);
    const isEmpty = isSame && configs.size === 0 && files.length === 0 && this.#bases.size === 0;
    const plan = planCheck(this.snapshot, this.workflows);
    if (isEmpty && plan.recorded === check && plan.files.length === 0) return undefined;
    const bases = [...this.#bases].map(([hash, bytes]) => ({ hash, bytes }));
    // A lock from elsewhere may name files that are not this place's; a change made here drops them.
    const made = this.#decidedConfigs ?? this.ownConfigs.recorded(this.arrays.made);
    return {
      title: isEmpty ? `restore ${CHECK_FILE}` : title,
      lock: { workflows: this.workflows, configs: made, check: plan.recorded },
      configs,
      files: [...files, ...plan.files],
      bases,
    };
  }
}

/** What every report of a change contains besides the change itself. */
export interface ChangeSummary {
  /** Nothing was written. */
  readonly dryRun: boolean;
  /** OpenCode's folder as people write it: `.opencode`, or `~/.config/opencode`. */
  readonly folder: string;
  /** What happened to hugo-check.js; missing if there is nothing to say about it. */
  readonly checkFile?: CheckChange | undefined;
  /** Other things that happened on the way. */
  readonly notices: readonly string[];
}

/** One transaction over everything `decide` does to the draft; a dry run stops before it. `hugo undo` shows the `title`. */
export async function changeDraft<Result extends object>(
  context: Context,
  { global, dryRun }: { readonly global: boolean; readonly dryRun: boolean },
  command: string,
  decide: (draft: WorkspaceDraft) => { readonly title: string; readonly result: Result },
): Promise<Result & ChangeSummary> {
  const place = placeFor(context, { global });
  const onDraft: Decide<Result & ChangeSummary> = async (workspace) => {
    const draft = new WorkspaceDraft(workspace);
    const { title, result } = decide(draft);
    const { place, notices } = workspace;
    const about = { dryRun, folder: folderLabel(place), checkFile: draft.checkFile, notices };
    return { changes: draft.changes(title), result: { ...result, ...about } };
  };
  return dryRun
    ? await previewChange(place, onDraft)
    : await change(place, `hugo ${command}`, onDraft, { signal: context.signal });
}

/** The files below `.opencode` as they will be: each step sees what earlier steps decided. */
export class FileDraft {
  readonly #read: (paths: Iterable<string>) => Disk;
  readonly #changes = new Map<string, FileChange>();

  constructor(read: (paths: Iterable<string>) => Disk) {
    this.#read = read;
  }

  disk(paths: Iterable<string>): Map<string, DiskFile> {
    const asked = [...new Set(paths)];
    const disk = new Map(this.#read(asked.filter((path) => !this.#changes.has(path))));
    for (const path of asked) {
      const change = this.#changes.get(path);
      if (change?.kind !== "write") continue;
      const { bytes, executable, mode } = change;
      disk.set(path, { bytes, executable, ...(mode !== undefined && { mode }) });
    }
    return disk;
  }

  change(changes: Iterable<FileChange>): void {
    for (const change of changes) this.#changes.set(change.path, change);
  }

  /** What is left to do on the disk; a file that was added and deleted again is not in it. */
  changes(): FileChange[] {
    const there = this.#read(this.#changes.keys());
    return [...this.#changes.values()].filter((change) => {
      const now = there.get(change.path);
      if (change.kind === "delete") return now !== undefined;
      if (now === undefined || now.executable !== change.executable) return true;
      const isOtherMode = change.mode !== undefined && change.mode !== now.mode;
      return isOtherMode || Buffer.compare(now.bytes, change.bytes) !== 0;
    });
  }
}

/** What happened to a workflow that was enabled or disabled. */
export interface StateChange {
  readonly name: string;
  readonly version: string;
  readonly delivery: "plugin" | "copy";
  readonly change:
    | "enabled"
    | "disabled"
    | "already-enabled"
    | "already-disabled"
    /** A project cannot disable a workflow that only the user's own config has. */
    | "enabled-elsewhere";
  /** Entries of plugin arrays that were added or taken out. */
  readonly entries: readonly NamedEntry[];
  /** Entries in configs outside this place's control through which OpenCode still loads it. */
  readonly elsewhere: readonly NamedEntry[];
  /** Entries with another folder than the installed package's: left as they are if it was enabled, otherwise replaced. */
  readonly redirected: readonly NamedEntry[];
  /** Destinations of the files that were parked or brought back. */
  readonly files: readonly string[];
}

/** An entry of a plugin array. */
export interface NamedEntry {
  /** As `portablePath` writes it. */
  readonly file: string;
  readonly spec: string;
}
