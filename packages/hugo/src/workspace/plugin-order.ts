// The order of a plugin array of which some plugins are disabled: the position of each is the one that it has when all
// disabled ones are back, so that the order survives, in whichever order they are disabled and enabled.
import type { LockedWorkflow, RememberedPlugin } from "@atomic/workflows/internal/hugo-lock/lock";
import type { PluginEntry } from "../opencode/read-config.ts";
import type { OwnConfigs } from "./own-configs.ts";
import type { PluginArrays } from "./plugin-arrays.ts";

/** A disabled plugin that will come back to this array. */
export interface DisabledEntry {
  readonly workflow: string;
  readonly position: number;
}

export type OrderedPlugin = { readonly entry: PluginEntry } | { readonly absent: string };

interface Known {
  readonly configs: OwnConfigs;
  /** Somebody put it back by hand: then it has a position, and the old one is forgotten. */
  isBack(name: string, workflow: LockedWorkflow): boolean;
}

/** The disabled plugins that will come back to a file. */
export function absentFrom(
  file: string,
  workflows: ReadonlyMap<string, LockedWorkflow>,
  { configs, isBack }: Known,
): DisabledEntry[] {
  return [...workflows].flatMap(([name, workflow]) => {
    const disabled = workflow.delivery.kind === "plugin" ? (workflow.delivery.disabled ?? []) : [];
    const here = disabled.filter((remembered) => configs.named(remembered.file) === file);
    if (here.length === 0 || isBack(name, workflow)) return [];
    return here.map(({ index }) => ({ workflow: name, position: index }));
  });
}

/** The array with the disabled ones in it. */
export function pluginOrder(entries: readonly PluginEntry[], absent: readonly DisabledEntry[]): OrderedPlugin[] {
  const order: OrderedPlugin[] = entries.map((entry) => ({ entry }));
  const inOrder = absent.toSorted((a, b) => a.position - b.position || (a.workflow < b.workflow ? -1 : 1));
  // Somebody may have shortened the array: then a position behind its end is the end.
  for (const { workflow, position } of inOrder) order.splice(Math.min(position, order.length), 0, { absent: workflow });
  return order;
}

/** The index at which a disabled plugin comes back, the first of its positions, with those still left out that stay disabled; else the end. */
export function indexFor(workflow: string, entries: readonly PluginEntry[], absent: readonly DisabledEntry[]): number {
  const order = pluginOrder(entries, absent);
  const own = order.findIndex((position) => "absent" in position && position.absent === workflow);
  if (own < 0) return entries.length;
  return order.slice(0, own).filter((position) => "entry" in position).length;
}

interface PluginReturn extends Known {
  readonly arrays: PluginArrays;
  readonly workflows: ReadonlyMap<string, LockedWorkflow>;
  /** Where it goes if none of the files that it stood in is this place's. */
  readonly usualFile: string;
  /** What is written for it; `remembered` is what stood in this very file. */
  specIn(file: string, remembered: RememberedPlugin | undefined): string;
}

/** Puts a disabled plugin back into the arrays: where it stood, with its options. Also one that never stood anywhere. */
export function returnPlugin(
  name: string,
  disabled: readonly RememberedPlugin[],
  { arrays, workflows, usualFile, specIn, configs, isBack }: PluginReturn,
): { readonly file: string; readonly spec: string }[] {
  const known = disabled.flatMap((remembered) => {
    const file = configs.named(remembered.file);
    return file === undefined ? [] : [{ file, remembered }];
  });
  const wanted = known.length > 0 ? known : [{ file: usualFile, remembered: disabled.at(-1) }];
  return wanted.map(({ file, remembered }, at) => {
    // What is back has no position to come back to any more.
    const now = new Map(workflows);
    const locked = workflows.get(name);
    const left = known.slice(at).map((each) => each.remembered);
    if (locked !== undefined) now.set(name, { ...locked, delivery: { kind: "plugin", disabled: left } });
    const index = indexFor(name, arrays.entriesIn(file), absentFrom(file, now, { configs, isBack }));
    const spec = specIn(file, known.length > 0 ? remembered : undefined);
    const options = remembered?.options;
    arrays.put(file, { spec, index, ...(options !== undefined && { options }) });
    return { file, spec };
  });
}
