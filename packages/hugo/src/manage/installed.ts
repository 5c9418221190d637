import type { Place } from "../place.ts";
import type { Snapshot } from "../workspace/snapshot.ts";
import { quickLook } from "./quick-look.ts";

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

/**
 * What is installed, for commands that people and their shells run all the time. Nearly always the files are just as
 * Hugo and OpenCode write them, and a quick look will do; for anything else the whole machinery is loaded.
 */
export async function readInstalled(place: Place): Promise<Installed> {
  const quick = quickLook(place);
  if (quick !== undefined) return quick;
  const { readSnapshot } = await import("../workspace/read-snapshot.ts");
  return fromSnapshot(await readSnapshot(place));
}

function fromSnapshot(snapshot: Snapshot): Installed {
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
