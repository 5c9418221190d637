// Moves what the two earlier designs of Hugo kept into hugo.json, in the first change that is made anyway.
import { join } from "node:path";
import { editJsonc } from "@atomic/durable-files/jsonc/edit";
import type { Lock, LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { readHugoKey, readStateJson } from "./lock-file/legacy.ts";
import { type Place, portablePath } from "./place.ts";
import { textIn } from "./read-text.ts";
import type { Reads } from "./reads.ts";

export interface Migrated {
  readonly lock: Lock;
  /** Texts of configs without the old state, by absolute path. */
  readonly configs: ReadonlyMap<string, string>;
  /** Files that go as a whole. */
  readonly obsolete: readonly string[];
  /** What was found, such as `The "hugo" key of opencode.json`. */
  readonly found: readonly string[];
}

/** @param configs Paths of the configs that may hold state of this place. */
export function migrate(place: Place, lock: Lock, configs: readonly string[], reads: Reads): Migrated {
  const workflows = new Map<string, LockedWorkflow>();
  const edited = new Map<string, string>();
  const found: string[] = [];
  for (const file of configs) {
    const text = textIn(reads, file);
    // Nearly no config has it, and to parse one more time costs.
    if (text === undefined || !text.includes('"hugo"')) continue;
    const old = readHugoKey(text, file);
    if (old?.edits === undefined) continue;
    for (const [name, workflow] of old.workflows) workflows.set(name, workflow);
    edited.set(file, editJsonc(text, old.edits, { file }));
    found.push(`The "hugo" key of ${portablePath(place, file)}`);
  }
  const stateFile = join(place.folder, "state.json");
  const state = textIn(reads, stateFile);
  if (state !== undefined) {
    for (const [name, workflow] of readStateJson(state, stateFile).workflows) workflows.set(name, workflow);
    found.push(portablePath(place, stateFile));
  }
  return {
    // What hugo.json says is newer.
    lock: found.length === 0 ? lock : { ...lock, workflows: new Map([...workflows, ...lock.workflows]) },
    configs: edited,
    obsolete: state === undefined ? [] : [stateFile],
    found,
  };
}
