import type { StoppedFile, TranslationNote } from "../deliver/delivery.ts";
import type { Hash } from "../hash.ts";
import type { Lock } from "../lock-file/lock.ts";
import { FileDraft } from "../manage/file-draft.ts";
import { type OpencodeConfig, readOpencodeConfig } from "../opencode-config/read-config.ts";
import type { FileChange, Step } from "../plan/step.ts";
import type { Draft, Snapshot } from "../workspace/snapshot.ts";

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
    place: view.place,
    lock,
    configs: changedConfigs(view.configs, configs),
    baseOf: (hash) => kept.get(hash) ?? view.baseOf(hash),
    disk: diskAfter(view, files),
  };
}

export function diskAfter(view: Pick<View, "disk">, changes: readonly FileChange[]): View["disk"] {
  const draft = new FileDraft((paths) => view.disk(paths));
  draft.change(changes);
  return (paths) => draft.disk(paths);
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

/** Everything that a command decided, as one change of what it saw at first; undefined if there is nothing to do. */
export function draftOf(title: string, view: View, decisions: readonly Decision[]): Draft | undefined {
  const last = decisions.at(-1);
  if (last === undefined) return undefined;
  const files = new FileDraft((paths) => view.disk(paths));
  for (const decision of decisions) files.change(decision.files);
  return {
    title,
    lock: last.lock,
    configs: new Map(decisions.flatMap(({ configs }) => [...configs])),
    files: files.changes(),
    bases: decisions.flatMap(({ bases }) => bases),
  };
}
