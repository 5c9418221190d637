import type { Hash } from "@atomic/durable-files/files/hash";
import type { Lock } from "@atomic/workflows/internal/hugo-lock/lock";
import { type OpencodeConfig, readOpencodeConfig } from "../opencode/read-config.ts";
import { FileDraft } from "../workspace/file-draft.ts";
import type { Draft, Snapshot } from "../workspace/snapshot.ts";
import type { FileChange, Step } from "../workspace/step.ts";
import type { StoppedFile, TranslationNote } from "./translate/delivery.ts";

/** What a decision sees: a snapshot, or what earlier decisions of the same command will make of it. */
export type View = Pick<Snapshot, "place" | "lock" | "configs" | "disk" | "baseOf">;

/** What one workflow needs to be changed, all of it. */
export interface Decision {
  readonly lock: Lock;
  /** New text by absolute path; a file without one goes. */
  readonly configs: ReadonlyMap<string, string | undefined>;
  readonly files: readonly FileChange[];
  readonly bases: readonly { readonly hash: Hash; readonly bytes: Uint8Array }[];
  /** What happens to each copied file, for the report. */
  readonly steps: readonly Step[];
  /** What is different in OpenCode than where the package was made for. */
  readonly notes: readonly TranslationNote[];
  /** What is left out, since OpenCode cannot be told all its restrictions. */
  readonly stopped: readonly StoppedFile[];
}

/** The view of whoever decides next. */
export function after(view: View, { lock, configs, files, bases }: Decision): View {
  const kept = new Map(bases.map(({ hash, bytes }) => [hash, bytes]));
  return {
    ...withFiles(view, files),
    lock,
    configs: changedConfigs(view.configs, configs),
    baseOf: (hash) => kept.get(hash) ?? view.baseOf(hash),
  };
}

export function withFiles(view: View, changes: readonly FileChange[]): View {
  const { place, lock, configs } = view;
  const draft = new FileDraft((paths) => view.disk(paths));
  draft.change(changes);
  return { place, lock, configs, disk: (paths) => draft.disk(paths), baseOf: (hash) => view.baseOf(hash) };
}

/** With bases that the store does not have, but somebody else. */
export function withBases(view: View, baseOf: View["baseOf"]): View {
  return { ...withFiles(view, []), baseOf: (hash) => view.baseOf(hash) ?? baseOf(hash) };
}

function changedConfigs(
  before: readonly OpencodeConfig[],
  changes: ReadonlyMap<string, string | undefined>,
): OpencodeConfig[] {
  const known = new Set(before.map(({ file }) => file));
  const read = (file: string): OpencodeConfig => readOpencodeConfig(file, changes.get(file));
  return [
    ...before.map((config) => (changes.has(config.file) ? read(config.file) : config)),
    ...[...changes.keys()].filter((file) => !known.has(file)).map(read),
  ];
}

/** What one command decides about several workflows, which becomes one change. */
export class Decisions {
  readonly #seen: View;
  readonly #made: Decision[] = [];
  /** What the next decision sees. */
  view: View;

  constructor(seen: View) {
    this.#seen = seen;
    this.view = seen;
  }

  add(decision: Decision): void {
    this.#made.push(decision);
    this.view = after(this.view, decision);
  }

  /** Undefined if there is nothing to do. */
  draft(title: string): Draft | undefined {
    if (this.#made.length === 0) return undefined;
    const files = new FileDraft((paths) => this.#seen.disk(paths));
    for (const decision of this.#made) files.change(decision.files);
    return {
      title,
      lock: this.view.lock,
      configs: new Map(this.#made.flatMap(({ configs }) => [...configs])),
      files: files.changes(),
      bases: this.#made.flatMap(({ bases }) => bases),
    };
  }
}
