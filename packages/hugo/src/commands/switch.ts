import { disable, enable } from "../delivery/toggle.ts";
import { collisionsOfEnabled } from "../trust/existing-claims.ts";
import { changeDraft } from "../workspace/draft.ts";
import { type StateChanges, stateChangeReport } from "./enable.ts";
import { findWorkflows } from "./shared/find-workflows.ts";
import type { HugoCommand } from "./shared/hugo-command.ts";

const names = { name: { count: "some", summary: "Workflows to enable; all others are disabled" } } as const;

/** In a module, `switch` is not a valid name. */
export const switchTo: HugoCommand<typeof names, Record<never, never>, StateChanges> = {
  name: "switch",
  summary: "Enable exactly these workflows and disable all others",
  arguments: names,
  options: {},
  examples: [{ command: "hugo switch review debugging", shows: "enables these two and disables everything else" }],
  mutates: true,
  run: (context, input) =>
    changeDraft(context, input, "switch", (draft) => {
      const wanted = findWorkflows(draft.snapshot.lock, input.name);
      const others = [...draft.workflows.keys()].filter((name) => !wanted.includes(name)).sort();
      // The others first: their files may be in the way.
      const disabled = disable(draft, others).filter(({ change }) => change !== "already-disabled");
      const enabled = enable(draft, wanted);
      const turnedOn = enabled.filter(({ change }) => change === "enabled").map(({ name }) => name);
      const collisions = collisionsOfEnabled(draft, turnedOn);
      return { title: `switch ${wanted.join(" ")}`, result: { workflows: [...disabled, ...enabled], collisions } };
    }),
  report: stateChangeReport("Nothing is installed, so there is nothing to switch."),
};
