import type { PluginTarget } from "../opencode/find-plugin.ts";
import type { DraftView } from "../workspace/draft.ts";
import { portablePath } from "../workspace/place.ts";
import { PluginArrays } from "../workspace/plugin-arrays.ts";
import type { Step } from "../workspace/step.ts";
import type { NamedEntry } from "../workspace/toggled.ts";
import type { Decision } from "./decision.ts";
import { entriesFor } from "./plugin-delivery.ts";
import type { StoppedFile, TranslationNote } from "./translate/delivery.ts";

/** What happened to a copied file. */
export interface FileOutcome extends Pick<Step, "verdict" | "destination"> {
  readonly because?: Step["because"] & string;
}

/** What a decision does, for results. */
export interface Delivered {
  /** Where it stands in plugin arrays from now on. */
  readonly entries: readonly NamedEntry[];
  readonly files: readonly FileOutcome[];
  readonly translated: readonly TranslationNote[];
  readonly stopped: readonly StoppedFile[];
}

export function deliveredBy(view: DraftView, decision: Decision, target: PluginTarget): Delivered {
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
