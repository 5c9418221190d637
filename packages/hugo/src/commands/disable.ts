import { disable as disableOn } from "../delivery/toggle.ts";
import { changeDraft } from "../workspace/draft.ts";
import { type StateChanges, stateChangeReport } from "./enable.ts";
import { namedOrAll } from "./shared/find-workflows.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";

const names = { name: { count: "many", term: "<name…>", summary: "Workflow names, or --all" } } as const;

const options = { all: { kind: "flag", summary: "Disable every installed workflow" } } as const;

export const disable: HugoCommand<typeof names, typeof options, StateChanges> = {
  name: "disable",
  summary: "Hide workflows from OpenCode without removing them",
  details: "Local edits are kept.",
  arguments: names,
  options,
  examples: [
    { command: "hugo disable review", shows: "OpenCode starts without it; `hugo enable review` restores it" },
    { command: "hugo disable --all", shows: "OpenCode starts without any of them" },
  ],
  mutates: true,
  run: (context, input) =>
    changeDraft(context, input, "disable", (draft) => {
      const workflows = disableOn(draft, namedOrAll(draft.snapshot.lock, "disable", input));
      const disabled = workflows.filter(({ change }) => change === "disabled").map(({ name }) => name);
      return { title: `disable ${disabled.join(" ")}`, result: { workflows, collisions: [] } };
    }),
  report: stateChangeReport("Nothing is installed, so there is nothing to disable."),
};
