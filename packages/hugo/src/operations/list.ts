import { oneOrAll } from "../manage/find-workflows.ts";
import type { Operation } from "../operation.ts";
import { placeFor, portablePath } from "../place.ts";
import { listReport } from "../report/list.ts";
import { readSnapshot } from "../workspace/read-snapshot.ts";

export interface ListedWorkflow {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly source: string;
  readonly delivery: "plugin" | "copy";
  readonly enabled: boolean;
  readonly agents: readonly string[];
  readonly commands: readonly string[];
  readonly skills: readonly string[];
  /** What of it the user wanted; missing if all of it. */
  readonly selection?: readonly string[];
  /** How it stands in plugin arrays. */
  readonly entries: readonly { readonly file: string; readonly spec: string }[];
  /** How many files were copied. */
  readonly files: number;
}

export interface ListResult {
  /** Somebody asked for one and wants to know all of it. */
  readonly detailed: boolean;
  readonly workflows: readonly ListedWorkflow[];
  readonly notices: readonly string[];
}

const names = { name: { count: "maybe", summary: "Only this workflow, with all details" } } as const;

export const list: Operation<typeof names, Record<never, never>, ListResult> = {
  name: "list",
  aliases: ["ls"],
  summary: "List installed workflows, and whether OpenCode sees them",
  arguments: names,
  options: {},
  examples: [
    { command: "hugo list", shows: "name, version, state, package and contents of each workflow" },
    { command: "hugo ls review", shows: "all that is known of one workflow" },
  ],
  mutates: false,
  async run(context, input) {
    const snapshot = await readSnapshot(placeFor(context, input));
    const { place, lock, notices } = snapshot;
    const workflows = oneOrAll(lock, input.name).map((name): ListedWorkflow => {
      const {
        package: packageName,
        version,
        source,
        delivery,
        agents,
        commands,
        skills,
        selection,
      } = lock.workflows.get(name)!;
      const entries = delivery.kind === "plugin" ? snapshot.entriesOf(name) : [];
      return {
        name,
        package: packageName,
        version,
        source,
        delivery: delivery.kind,
        enabled: delivery.kind === "copy" ? !delivery.parked : entries.length > 0,
        agents,
        commands,
        skills,
        ...(selection !== undefined && { selection }),
        entries: entries.map(({ file, spec }) => ({ file: portablePath(place, file), spec })),
        files: delivery.kind === "copy" ? delivery.files.size : 0,
      };
    });
    return { detailed: input.name !== undefined, workflows, notices };
  },
  report: listReport,
};
