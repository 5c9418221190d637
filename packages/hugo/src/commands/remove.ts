import { type ChangeSummary, mutate } from "../workspace/mutate.ts";
import { removeReport } from "./report/remove.ts";
import { findWorkflows } from "./shared/find-workflows.ts";
import type { Operation } from "./shared/operation.ts";
import { type Removed, remove as removeFrom } from "./shared/remove-workflow.ts";

export interface RemoveResult extends ChangeSummary {
  readonly workflows: readonly Removed[];
}

const names = { name: { count: "some", summary: "Workflows, by name or by package" } } as const;

export const remove: Operation<typeof names, Record<never, never>, RemoveResult> = {
  name: "remove",
  aliases: ["rm"],
  summary: "Remove workflows; files you edited stay",
  arguments: names,
  options: {},
  examples: [
    {
      command: "hugo remove review",
      shows: "its plugin entry or its files are gone, and your config is as it was before",
    },
    { command: "hugo rm review --dry-run", shows: "what would be removed and what would stay" },
  ],
  mutates: true,
  run: (context, input) =>
    mutate(context, input, "remove", (desk) => {
      const workflows = removeFrom(desk, findWorkflows(desk.snapshot.lock, input.name));
      return { title: `remove ${workflows.map(({ name }) => name).join(" ")}`, result: { workflows } };
    }),
  report: removeReport,
};
