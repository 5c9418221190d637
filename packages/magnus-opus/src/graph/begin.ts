import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { settledTests } from "../evidence/test-command.ts";
import { runOptionsOf } from "../plugin/live/run-options-of.ts";
import { MagnusSettings } from "../plugin/live/settings.ts";
import { detectWorkflowType } from "../run/detect.ts";
import { type EventOf, journalVersion } from "../run/event.ts";
import { readStartArguments } from "../run/start-arguments.ts";
import { sessionId } from "../sessions/session-id.ts";
import { metaOf } from "../sessions/session-meta.ts";
import { Sessions } from "../sessions/sessions.ts";
import { folderOf } from "../sessions/workplace.ts";
import { type MagnusEvents, plugin, rootSession, runOf, StepRecord } from "./record.ts";

/** What a workflow file is given. */
interface GraphInput {
  readonly feature: string;
  readonly type?: string | undefined;
  readonly figma?: string | undefined;
  readonly skipPlanReview: boolean;
}

/** Starts a run in a folder, with the project's settings. A retry with the same `idemKey` is the same run. */
export async function begin(
  { feature, type, figma, skipPlanReview }: GraphInput,
  project: string,
  idemKey: string,
): Promise<MagnusEvents> {
  const directory = realpathSync(project);
  const workplace = { directory, worktree: directory };
  const { config, stack } = new MagnusSettings(workplace);
  // Parsed like the words after `/implement`, with the same errors.
  const flags = [
    ...(type === undefined ? [] : [`--type=${type}`]),
    ...(figma === undefined ? [] : [`--figma=${figma}`]),
    ...(skipPlanReview ? ["--skip-plan-review"] : []),
  ];
  const read = readStartArguments("implement", [...flags, "--", feature].join(" "));
  if ("problem" in read) throw new TypeError(read.problem);
  const asked = read.ok;
  if (asked.description === "") throw new TypeError("The description is missing.");
  const sessions = new Sessions(directory);
  const random = createHash("sha256").update(idemKey).digest("hex").slice(0, 6);
  const at = new Date();
  const known = sessions.list().find(({ id }) => id.split("-")[3] === random)?.id;
  const run = known ?? sessionId({ command: "impl", at, random, descriptor: asked.description });
  const started: EventOf<"run-started"> = {
    ...{ type: "run-started", at: at.getTime(), by: plugin, run, flow: "implement", description: asked.description },
    version: journalVersion,
    workflow: asked.type ?? detectWorkflowType(asked.description, stack.stack.words).type,
    ...{ session: rootSession, worktree: directory, folder: folderOf(workplace, run) },
    options: {
      ...runOptionsOf(config, { ...asked, roles: {} }),
      ...settledTests(directory, config.tests, stack.stack),
    },
  };
  if (known === undefined) await sessions.create(metaOf(runOf([started])));
  const record = new StepRecord([started]);
  await record.refresh();
  return [started, ...record.added];
}
