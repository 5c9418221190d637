import type { Hash } from "@atomic/durable-files/files/hash";
import type { Lock } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Registers } from "@atomic/workflows/internal/hugo-lock/registers";
import type { PluginTarget } from "../opencode/find-plugin.ts";
import type { FileChange, FileStep } from "../workspace/copied-files.ts";
import { type DraftView, FileDraft, type NamedEntry } from "../workspace/draft.ts";
import { portablePath } from "../workspace/place.ts";
import { PluginArrays } from "../workspace/plugin-arrays.ts";
import { entriesFor } from "./plugin-delivery.ts";
import type { StoppedFile, TranslationNote } from "./translate/package-translation.ts";

/** Everything one workflow's change consists of. */
export interface DeliveryDecision {
  readonly lock: Lock;
  /** New text by absolute path; undefined deletes the file. */
  readonly configs: ReadonlyMap<string, string | undefined>;
  readonly files: readonly FileChange[];
  readonly bases: readonly { readonly hash: Hash; readonly bytes: Uint8Array }[];
  /** What happens to each copied file, for the report. */
  readonly steps: readonly FileStep[];
  /** What is different in OpenCode from the tool the package was written for. */
  readonly notes: readonly TranslationNote[];
  /** What is left out, because OpenCode cannot enforce all its restrictions. */
  readonly stopped: readonly StoppedFile[];
}

export function withFiles(view: DraftView, changes: readonly FileChange[]): DraftView {
  const { place, lock, configs } = view;
  const draft = new FileDraft((paths) => view.disk(paths));
  draft.change(changes);
  return {
    place,
    lock,
    configs,
    generalConfigs: () => view.generalConfigs(),
    disk: (paths) => draft.disk(paths),
    baseOf: (hash) => view.baseOf(hash),
  };
}

/** With bases that are not kept in the store. */
export function withBases(view: DraftView, baseOf: DraftView["baseOf"]): DraftView {
  return { ...withFiles(view, []), baseOf: (hash) => view.baseOf(hash) ?? baseOf(hash) };
}

/** With what a plugin adds to OpenCode, for later updates. */
export function withRegisters(
  decision: DeliveryDecision,
  name: string,
  registers: Registers | undefined,
): DeliveryDecision {
  const locked = decision.lock.workflows.get(name);
  if (locked === undefined || registers === undefined) return decision;
  const workflows = new Map([...decision.lock.workflows, [name, { ...locked, registers }]]);
  return { ...decision, lock: { ...decision.lock, workflows } };
}

/** What happened to a copied file. */
export interface FileOutcome extends Pick<FileStep, "verdict" | "destination"> {
  readonly because?: FileStep["because"] & string;
}

/** What a decision changes, for results. */
export interface Delivered {
  /** Its new positions in plugin arrays. */
  readonly entries: readonly NamedEntry[];
  readonly files: readonly FileOutcome[];
  readonly translated: readonly TranslationNote[];
  readonly stopped: readonly StoppedFile[];
}

export function deliveredBy(view: DraftView, decision: DeliveryDecision, target: PluginTarget): Delivered {
  const { steps, notes, stopped } = decision;
  const arrays = new PluginArrays(view.configs, new Map());
  arrays.replace(decision.configs, new Map());
  const entries = entriesFor({ place: view.place, configs: arrays.configs }, target);
  return {
    entries: entries.map(({ file, spec }) => ({ file: portablePath(view.place, file), spec })),
    files: steps.map(({ verdict, destination, because }) => ({
      verdict,
      destination,
      ...(because !== undefined && { because }),
    })),
    translated: notes,
    stopped,
  };
}
