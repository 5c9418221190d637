// OpenCode is killed around every event of a run. Started again, the run ends like an undisturbed one.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { sweepPoints } from "@atomic/testing/faults";
import { nextStep } from "../../src/run/next-step.ts";
import { readRun } from "../../src/sessions/journal.ts";
import { Sessions } from "../../src/sessions/sessions.ts";
import { journalName } from "../../src/sessions/workplace.ts";
import { OpencodeWithMagnus } from "../plugin/opencode-with-magnus.ts";
import { agentsByState, continueRun } from "./agents-by-state.ts";
import { type KillPoint, orderName } from "./kill-point.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";

let opencode: OpencodeWithMagnus;
beforeAll(async () => {
  opencode = await OpencodeWithMagnus.open({}, [import.meta.resolve("./killing-plugin.ts")]);
  agentsByState(opencode.model);
}, 180_000);
afterAll(() => opencode[Symbol.asyncDispose]());

const order = `~/${orderName}`;
/** A run that asks for you again and again is stuck. */
const mostActs = 12;
const words = "a mutation --type=API_FOCUSED --skip-plan-review";

interface ProcessRun {
  readonly outcome: Outcome;
  readonly kills: number;
}

/** One run to its end, killed at each of the points in turn, by a person who looks how it stands and does what it wants. */
async function live(points: readonly KillPoint[]): Promise<ProcessRun> {
  await opencode.project.remove("convex");
  const session = await opencode.session();
  let kills = 0;
  for (let acts = 0; acts < points.length + mostActs && !isOver(session); acts++) {
    const point = points[kills];
    if (point !== undefined) await opencode.project.write(order, point);
    try {
      await act(session);
    } catch (error) {
      if (point === undefined || (await opencode.project.exists(order))) throw error;
      kills += 1;
      await opencode.server.restart();
    }
  }
  await opencode.project.remove(order);
  return { outcome: outcomeOf(run(session)?.events ?? []), kills };
}

async function act(session: string): Promise<void> {
  const state = run(session)?.state;
  if (state === undefined) await opencode.type(session, "implement", words);
  else if (nextStep(state).do === "wait") await opencode.type(session, "approve");
  else await opencode.server.reopen(session).prompt(continueRun, { agent: "orchestrator" });
}

function isOver(session: string): boolean {
  const state = run(session)?.state;
  return state !== undefined && nextStep(state).do === "over";
}

function run(session: string): ReturnType<typeof readRun> | undefined {
  const journals = new Sessions(opencode.project.dir).list().map(({ folder }) => join(folder, journalName));
  const runs = journals.filter((journal) => existsSync(journal)).map((journal) => readRun(journal));
  return runs.find(({ state }) => state !== undefined && Object.hasOwn(state.sessions, session));
}

/** The outcome of an undisturbed run, and so of all others. */
const wanted: Outcome = {
  status: "done",
  phases: ["requirements", "architecture", "implementation", "code-review", "acceptance", "cleanup"],
  persons: ["approved architecture", "approved acceptance"],
  proofs: [
    ...["left requirements", "approved architecture", "left architecture"],
    ...["tests fail", "tests pass", "left implementation", "review-submitted", "left code-review"],
    ...["approved acceptance", "left acceptance"],
  ],
  artifacts: ["final-summary.md", "implementation-plan.md", "quick-reference.md", "reviews/code-review/one.md"],
  refusals: 0,
  ignored: 0,
  violations: [],
};

test("a run that was killed twice ends like an undisturbed one", async () => {
  const points = [
    { when: "after", at: 20 },
    { when: "before", at: 36 },
  ] as const;
  expect(await live(points)).toEqual({ outcome: wanted, kills: points.length });
}, 300_000);

/** Twice as many lives as a run has events: about a quarter of an hour. */
const sides = sweepPoints() === "all" ? (["after", "before"] as const) : [];

test.each(sides)(
  "a run that was killed %s any one event ends as one that was not",
  async (when) => {
    expect(await live([])).toEqual({ outcome: wanted, kills: 0 });
    const failures: unknown[] = [];
    for (let at = 1; ; at++) {
      const life = await live([{ when, at }]);
      if (!isDeepStrictEqual(life.outcome, wanted)) failures.push({ at, ...life });
      if (life.kills === 0) break; // there is no such event
    }
    expect(failures).toEqual([]);
  },
  60 * 60_000,
);
