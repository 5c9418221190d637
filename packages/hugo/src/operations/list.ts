import { oneOrAll } from "../manage/find-workflows.ts";
import { type InstalledWorkflow, readInstalled } from "../manage/installed.ts";
import type { Operation } from "../operation.ts";
import { placeFor, portablePath } from "../place.ts";
import { listReport } from "../report/list.ts";

export interface ListedWorkflow extends Omit<InstalledWorkflow, "parked"> {
  readonly name: string;
  readonly enabled: boolean;
  /** How it stands in plugin arrays. */
  readonly entries: readonly { readonly file: string; readonly spec: string }[];
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
    const place = placeFor(context, input);
    const { workflows, notices, entriesOf } = await readInstalled(place);
    const listed = oneOrAll({ workflows }, input.name).map((name): ListedWorkflow => {
      const { parked, ...workflow } = workflows.get(name)!;
      const entries = workflow.delivery === "plugin" ? entriesOf(name) : [];
      return {
        name,
        ...workflow,
        enabled: workflow.delivery === "copy" ? !parked : entries.length > 0,
        entries: entries.map(({ file, spec }) => ({ file: portablePath(place, file), spec })),
      };
    });
    return { detailed: input.name !== undefined, workflows: listed, notices };
  },
  report: listReport,
};
