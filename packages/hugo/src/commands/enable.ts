import { enable as enableOn } from "../delivery/toggle.ts";
import type { Collision } from "../trust/collisions.ts";
import { collisionsOfEnabled } from "../trust/existing-claims.ts";
import { type ChangeSummary, changeDraft } from "../workspace/change-draft.ts";
import type { Toggled } from "../workspace/toggled.ts";
import { namedOrAll } from "./shared/find-workflows.ts";
import type { Operation } from "./shared/operation.ts";
import { toggleReport } from "./shared/toggle-report.ts";

/** What `enable`, `disable` and `switch` did. */
export interface Toggles extends ChangeSummary {
  readonly workflows: readonly Toggled[];
  /** Names that the enabled ones share with others. */
  readonly collisions: readonly Collision[];
}

const names = { name: { count: "many", term: "<name…>", summary: "Workflows, by name; or --all" } } as const;

const options = { all: { kind: "flag", summary: "Enable every installed workflow" } } as const;

export const enable: Operation<typeof names, typeof options, Toggles> = {
  name: "enable",
  summary: "Let OpenCode see disabled workflows again",
  details:
    "Files come back with your edits and their modes, plugin entries with their options and position. Comments next to an entry are lost.",
  arguments: names,
  options,
  examples: [
    { command: "hugo enable review", shows: "its plugin entry or its files are back where they were" },
    { command: "hugo enable --all", shows: "no workflow stays disabled" },
  ],
  mutates: true,
  run: (context, input) =>
    changeDraft(context, input, "enable", (draft) => {
      const wanted = namedOrAll(draft.snapshot.lock, "enable", input);
      const workflows = enableOn(draft, wanted);
      const enabled = workflows.filter(({ change }) => change === "enabled").map(({ name }) => name);
      const collisions = collisionsOfEnabled(draft, enabled);
      return { title: `enable ${enabled.join(" ")}`, result: { workflows, collisions } };
    }),
  report: toggleReport("Nothing is installed, so there is nothing to enable."),
};
