import { placeFor } from "../workspace/place.ts";
import { listReport } from "./report/list.ts";
import { oneOrAll } from "./shared/find-workflows.ts";
import { readInstalled } from "./shared/installed.ts";
import { type ListedWorkflow, listedWorkflow } from "./shared/listed.ts";
import type { Operation } from "./shared/operation.ts";

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
    { command: "hugo ls review", shows: "everything about one workflow" },
  ],
  mutates: false,
  async run(context, input) {
    const place = placeFor(context, input);
    const installed = await readInstalled(place);
    const workflows = oneOrAll(installed, input.name).map((name) => listedWorkflow(place, installed, name));
    return { detailed: input.name !== undefined, workflows, notices: installed.notices };
  },
  report: listReport,
};
