import type { Place } from "../../workspace/place.ts";
import { readSnapshot } from "../../workspace/read-snapshot.ts";

/** What there is to say of an installed workflow without a look at its files. */
export interface InstalledWorkflow {
  readonly package: string;
  readonly source: string;
  readonly version: string;
  readonly delivery: "plugin" | "copy";
  /** Of a copy: its files are parked. */
  readonly parked: boolean;
  /** How many files were copied. */
  readonly files: number;
  readonly agents: readonly string[];
  readonly commands: readonly string[];
  readonly skills: readonly string[];
  /** Graphs; missing if there are none. */
  readonly workflows?: readonly string[];
  readonly selection?: readonly string[];
}

export interface Installed {
  readonly workflows: ReadonlyMap<string, InstalledWorkflow>;
  readonly notices: readonly string[];
  /** Where a workflow stands in plugin arrays. */
  entriesOf(name: string): readonly { readonly file: string; readonly spec: string }[];
}

export async function readInstalled(place: Place): Promise<Installed> {
  const snapshot = await readSnapshot(place);
  const workflows = [...snapshot.lock.workflows].map(([name, workflow]): [string, InstalledWorkflow] => {
    const { package: packageName, source, version, delivery, agents, commands, skills } = workflow;
    const { workflows, selection } = workflow;
    const isCopy = delivery.kind === "copy";
    const parked = isCopy && delivery.parked;
    const files = isCopy ? delivery.files.size : 0;
    const about = { package: packageName, source, version, delivery: delivery.kind, parked, files };
    const more = { ...(workflows !== undefined && { workflows }), ...(selection !== undefined && { selection }) };
    return [name, { ...about, agents, commands, skills, ...more }];
  });
  return {
    workflows: new Map(workflows),
    notices: snapshot.notices,
    entriesOf: (name) => snapshot.entriesOf(name),
  };
}
