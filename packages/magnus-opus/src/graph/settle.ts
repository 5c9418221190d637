// After a phase's agents: runs the tests, looks at the files, and decides whether the phase is finished.

import { join } from "node:path";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { evidenceOf, runTests } from "../evidence/run-tests.ts";
import { testCommand } from "../evidence/test-command.ts";
import { MagnusSettings } from "../plugin/live/settings.ts";
import { testVerdict } from "../run/evidence.ts";
import { nextStep } from "../run/next-step.ts";
import { gateOf } from "../run/phases.ts";
import type { MagnusState } from "../run/state.ts";
import { whyStuck } from "../run/stuck.ts";
import { metaOf } from "../sessions/session-meta.ts";
import { Sessions } from "../sessions/sessions.ts";
import { sessionsFolder } from "../sessions/workplace.ts";
import { timelineHtml } from "../timeline/html.ts";
import { timelineText } from "../timeline/text.ts";
import { type MagnusEvents, orchestrator, plugin, runOf, StepRecord } from "./record.ts";

/** Runs the project's tests if the phase needs them. */
export async function test(events: MagnusEvents, signal: AbortSignal): Promise<MagnusEvents> {
  const record = new StepRecord(events);
  await record.refresh();
  const { state } = record;
  if (nextStep(state).do !== "work") return record.added;
  const isWanted =
    state.phase === "acceptance"
      ? !testVerdict(state.evidence, { ...state.options, tree: state.tree }).passed
      : gateOf(state, state.phase) === "all_tests_pass";
  if (!isWanted) return record.added;
  const { config, stack } = new MagnusSettings({ directory: state.worktree, worktree: state.worktree });
  const command = testCommand(state.worktree, config.tests, stack.stack);
  if ("unknown" in command)
    return [...record.added, paused(`Cannot run the tests: ${command.unknown.replace(/\.$/, "")}`)];
  const ran = await runTests({
    ...command,
    testGlobs: stack.stack.testFiles,
    project: state.worktree,
    env: process.env,
    signal,
  });
  const proof = evidenceOf(ran);
  if ("evidence" in proof) record.add({ type: "tests-ran", at: Date.now(), by: plugin, evidence: proof.evidence });
  await record.refresh();
  if ("nothing" in proof && !signal.aborted) record.add(paused(proof.nothing));
  return record.added;
}

/** Reports the phase as finished. If the agents make no progress, a person is asked. */
export async function settle(events: MagnusEvents): Promise<MagnusEvents> {
  const record = new StepRecord(events);
  await record.refresh();
  if (nextStep(record.state).do !== "work") return record.added;
  const isSummarized = Object.hasOwn(record.state.artifacts, "final-summary.md");
  if (record.state.phase === "acceptance" && !isSummarized) {
    // No orchestrator could write it, so the timeline is the summary.
    const text = timelineText([...events, ...record.added], { colour: false, columns: 100 });
    await write(record.state, "final-summary.md", `# ${record.state.description}\n\n\`\`\`text\n${text}\`\`\`\n`);
    await record.refresh();
  }
  const { phase } = record.state;
  record.add({ type: "phase-ready", at: Date.now(), by: orchestrator, phase });
  const stuck = whyStuck(record.state);
  if (stuck !== undefined) record.add({ ...paused(stuck), reason: "stuck" });
  await new Sessions(record.state.worktree).save(metaOf(record.state));
  return record.added;
}

/** Writes the run's timeline page beside its other files. */
export async function finish(events: MagnusEvents): Promise<{ readonly status: string; readonly folder: string }> {
  const state = runOf(events);
  const { status, folder } = state;
  await write(state, "timeline.html", timelineHtml(events));
  await new Sessions(state.worktree).save(metaOf(state));
  if (status.kind !== "cancelled") return { status: status.kind, folder };
  throw new Error(`The user cancelled the run${status.why === "" ? "" : `: ${status.why}`}.`);
}

async function write({ worktree, folder }: MagnusState, name: string, content: string): Promise<void> {
  await transaction(join(worktree, sessionsFolder, ".state"), [{ path: join(worktree, folder, name), content }]);
}

function paused(detail: string) {
  return { type: "paused", at: Date.now(), by: plugin, reason: "error", detail } as const;
}
