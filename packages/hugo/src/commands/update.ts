import type { Context } from "../context.ts";
import { Decisions } from "../delivery/view.ts";
import { HugoError } from "../errors.ts";
import { versionLabel } from "../packages/version-label.ts";
import { change, type Decide, rehearse } from "../workspace/change.ts";
import { type ChangeSummary, folderLabel } from "../workspace/mutate.ts";
import { placeFor } from "../workspace/place.ts";
import type { Whereabouts } from "./report/file-outcomes.ts";
import { updateReport } from "./report/update.ts";
import { type Failed, failureOf } from "./shared/failed.ts";
import { findWorkflows } from "./shared/find-workflows.ts";
import type { InputOf, Operation } from "./shared/operation.ts";
import { typedFolder } from "./shared/typed-path.ts";
import { type Updated, updateOne } from "./shared/update-one.ts";

const args = {
  name: { count: "many", summary: "Workflows, by name (default: all of them)" },
} as const;

const options = {
  skipModified: { kind: "flag", summary: "Leave files with local edits as they are instead of merging" },
  allowNew: { kind: "flag", summary: "Accept versions that were published only a short while ago" },
} as const;

export interface Current {
  readonly name: string;
  readonly version: string;
}

export interface UpdateResult extends ChangeSummary, Whereabouts {
  readonly updated: readonly Updated[];
  /** Those for which there is nothing newer, with their version. */
  readonly current: readonly Current[];
  /** Those that could not be updated. Nothing of them was changed. */
  readonly failed: readonly Failed[];
  /** Nobody was shown yet what the new versions can do. */
  readonly isUnseen: boolean;
}

export const update: Operation<typeof args, typeof options, UpdateResult> = {
  name: "update",
  summary: "Update workflows, and merge new versions with your edits",
  details:
    "If an update can do more than before, you see that first. Everything that can be updated is one change, which a single `hugo undo` reverts; the rest stays as it is.",
  arguments: args,
  options,
  examples: [
    { command: "hugo update", shows: "every workflow, within the range, tag or branch it was installed with" },
    { command: "hugo update code-review --dry-run", shows: "what an update would do to each file" },
    { command: "hugo update code-review --skip-modified", shows: "files with local edits stay as they are" },
  ],
  mutates: true,
  run,
  report: updateReport,
};

async function run(context: Context, input: InputOf<typeof args, typeof options>): Promise<UpdateResult> {
  const { global, dryRun } = input;
  if (!dryRun) context.person.refuseAgent?.("hugo update");
  const place = placeFor(context, { global });
  const updateAll: Decide<UpdateResult> = async (workspace) => {
    const { lock } = workspace;
    const names = input.name.length > 0 ? findWorkflows(lock, input.name) : [...lock.workflows.keys()].sort();
    const decisions = new Decisions(workspace);
    const result = { updated: [] as Updated[], current: [] as Current[], failed: [] as Failed[] };
    const notices: string[] = [];
    for (const name of names) {
      const before = lock.workflows.get(name)!;
      try {
        const outcome = await updateOne({ context, input, workspace, view: decisions.view }, name, before);
        notices.push(...outcome.notices);
        if (outcome.kind === "current") result.current.push({ name, version: before.version });
        else {
          decisions.add(outcome.decision);
          result.updated.push(outcome.updated);
        }
      } catch (error) {
        // One that cannot be updated must not keep the others from it.
        if (!(error instanceof HugoError)) throw error;
        result.failed.push(failureOf(name, error));
      }
    }
    const title = `update ${result.updated.map(({ name, to }) => `${name} ${versionLabel(to)}`).join(", ")}`;
    const about = {
      dryRun,
      isUnseen: input.yes || dryRun,
      folder: folderLabel(place),
      typedFolder: typedFolder(context, place),
      notices: [...workspace.notices, ...notices],
    };
    return { draft: decisions.draft(title), result: { ...result, ...about } };
  };
  return await (dryRun
    ? rehearse(place, updateAll)
    : change(place, "hugo update", updateAll, { signal: context.signal }));
}
