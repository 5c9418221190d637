import { expect, test } from "bun:test";
import fc from "fast-check";
import { type AttemptedCall, decide } from "../../src/run/decide.ts";
import type { MagnusEvent } from "../../src/run/event.ts";
import { approvalOf, isBuildAllowed } from "../../src/run/gates.ts";
import { nextStep } from "../../src/run/next-step.ts";
import * as persons from "../../src/run/person-actions.ts";
import { phaseNames, roles } from "../../src/run/phase-name.ts";
import { reduce } from "../../src/run/reduce.ts";
import { refusalText } from "../../src/run/refusal.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { type Move, randomEvents, withoutPersons, withPersons } from "./arbitrary-events.ts";
import { violations } from "./invariants.ts";
import { anna, folder, type RunStart, root, started } from "./simulated-run.ts";

const opening = fc.record({
  flow: fc.constantFrom("implement", "implement-api"),
  workflow: fc.constantFrom("UI_FOCUSED", "API_FOCUSED", "MIXED", "UNCLEAR"),
  options: fc.record({
    skipPlanReview: fc.boolean(),
    skip: fc.subarray([...phaseNames], { maxLength: 3 }),
    maxIterations: fc.nat(2),
    quorum: fc.nat(2),
    budget: fc.record({
      run: fc.record({ usd: fc.nat(20), sessions: fc.nat(5) }, { requiredKeys: [] }),
      phases: fc.constant({ architecture: { tokens: 3000 } }),
    }),
  }),
}) as fc.Arbitrary<RunStart>;

function follow(state: MagnusState, moves: readonly (Move | MagnusEvent)[], look: Look = () => undefined): MagnusState {
  let now = state;
  for (const move of moves) {
    const event = typeof move === "function" ? (move as Move)(now) : move;
    if (typeof move === "function" && event === undefined) continue;
    const before = now;
    now = reduce(before, event as MagnusEvent);
    look(now, before);
  }
  return now;
}

type Look = (state: MagnusState, before: MagnusState) => void;

test("random runs reach every state, so the properties below are meaningful", () => {
  const reached = new Set<string>();
  const seeAll = fc.property(opening, withPersons, (from, moves) => {
    follow(started(from), moves, ({ phase, status }) => reached.add(phase).add(status.kind));
  });
  fc.assert(seeAll, { numRuns: 600, seed: 7 });
  expect([...reached].sort()).toEqual(
    [...phaseNames, "cancelled", "done", "paused", "running"].filter((each) => each !== "cancelled").sort(),
  );
});

test("no sequence of events throws or leads to a state that breaks a rule", () => {
  const any = fc.oneof<fc.Arbitrary<(Move | MagnusEvent)[]>[]>(withoutPersons, withPersons, randomEvents);
  fc.assert(
    fc.property(opening, any, (from, events) => {
      follow(started(from), events, (state) => {
        expect(violations(state)).toEqual([]);
        nextStep(state);
      });
    }),
    { numRuns: 300 },
  );
});

test("something that is not an event only changes a counter", () => {
  fc.assert(
    fc.property(randomEvents, (events) => {
      const state = started();
      const { ignored, ...after } = follow(
        state,
        events.filter((event) => event?.type !== "tree-seen"),
      );
      const { ignored: _, ...before } = state;
      expect({ ...after, at: 0, spent: 0, messages: 0 }).toEqual({ ...before, at: 0, spent: 0, messages: 0 });
    }),
    { numRuns: 300 },
  );
});

test("plugin and agents alone never reach an approval", () => {
  fc.assert(
    fc.property(opening, withoutPersons, (from, events) => {
      follow(started(from), events, (state) => {
        expect(approvalOf(state, "architecture")).toBe("missing");
        expect(approvalOf(state, "acceptance")).toBe("missing");
        expect(isBuildAllowed(state)).toBe(false);
        expect(["requirements", "architecture", "plan-review"]).toContain(state.phase);
      });
    }),
    { numRuns: 300 },
  );
});

test("whatever the user has approved before, plugin and agents alone add nothing to it", () => {
  fc.assert(
    fc.property(opening, withPersons, withoutPersons, (from, first, then) => {
      const start = follow(started(from), first);
      follow(start, then, (state, before) => {
        expect(state.approvals.every((each) => start.approvals.includes(each))).toBe(true);
        expect(state.waivers).toEqual(start.waivers);
        if (!isBuildAllowed(before)) expect(isBuildAllowed(state) && !wasApproved(start, state)).toBe(false);
        if (before.status.kind === "paused") expect(state.status.kind).toBe("paused");
      });
    }),
    { numRuns: 300 },
  );
});

/** An agent may bring back the very text that a person has approved. */
function wasApproved(start: MagnusState, state: MagnusState): boolean {
  return start.approvals.some((each) => state.approvals.includes(each));
}

test("from every state the user can cancel the run or bring it to its end", () => {
  const act = { by: anna, at: 20_000_000 };
  const take = (state: MagnusState, acted: persons.Acted): MagnusState => {
    if (!acted.ok) throw new Error(acted.because);
    return reduce(state, acted.event);
  };
  fc.assert(
    fc.property(opening, withPersons, (from, events) => {
      const state = follow(started(from), events);
      if (state.status.kind === "done" || state.status.kind === "cancelled") return;
      expect(take(state, persons.cancel(state, act, "enough")).status.kind).toBe("cancelled");
      const raised = persons.raiseBudget(state, act, { run: { usd: 1e9, tokens: 1e9, ms: 1e12, sessions: 1e9 } });
      let now = raised.ok ? take(state, raised) : state; // it may have no limits
      for (let step = 0; step < 130 && now.status.kind !== "done"; step++) {
        if (now.status.kind === "paused" && now.status.reason === "budget") {
          now = take(now, persons.raiseBudget(now, act, { phase: { usd: 1e9, tokens: 1e9, ms: 1e12, sessions: 1e9 } }));
        } else if (now.held.length > 0) now = take(now, persons.dismiss(now, act, now.held[0]!.number));
        else if (now.status.kind === "paused") now = take(now, persons.resume(now, act));
        else now = take(now, persons.waive(now, act, { gate: "phase", why: "go on" }));
      }
      expect(now.status).toEqual({ kind: "done" });
    }),
    { numRuns: 400 },
  );
});

const agent = fc.constantFrom(...roles, "build", "general", "");
const path = fc.constantFrom(
  "src/a.ts",
  "/project/src/a.ts",
  "../x",
  "/etc/passwd",
  `${folder}/journal.jsonl`,
  ".git/config",
);
const hidden = fc.constantFrom(
  `${folder}/../../../src/a.ts`,
  ".opencode/plugins/x.ts",
  "convex/a.test.ts",
  "opencode.json",
);
const shell = fc.constantFrom(
  ...["rm -rf src", "echo x > src/a.ts", "npm test", "cat a | tee b", "magnus-opus approve impl-1", "ls; touch b"],
  ...["$(touch a)", "ls `touch a`", "A=1 ls", "ls\ntouch a", "git commit -m x", "find . -delete", "sed -i s/a/b/ c"],
);
const writing = fc.oneof(
  fc.record({ tool: fc.constantFrom("edit", "write", "Write"), args: fc.record({ filePath: fc.oneof(path, hidden) }) }),
  fc.record({
    tool: fc.constant("apply_patch"),
    args: path.map((file) => ({ patchText: `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch` })),
  }),
  fc.record({ tool: fc.constant("bash"), args: fc.record({ command: shell }) }),
  fc.record({
    tool: fc.constant("task"),
    args: fc.record({ subagent_type: fc.constantFrom("developer", "backend", "ui-developer", "build", "general") }),
  }),
  fc.record({ tool: fc.constantFrom("playwright_click", "fs_write", "multiedit", "patch"), args: fc.anything() }),
);

test("before the approval every call that can write is refused, in every session, with the command that helps", () => {
  fc.assert(
    fc.property(opening, withoutPersons, agent, writing, fc.boolean(), (from, events, who, { tool, args }, isChild) => {
      const state = follow(started(from), events);
      const session = isChild ? "ses_1" : root;
      const call: AttemptedCall = { tool, args, session, agent: who, isChild, depth: isChild ? 1 : 0, at: state.at };
      const decision = decide(state, call);
      expect(decision.do).toBe("refuse");
      if (decision.do === "refuse") expect(refusalText(state, tool, decision)).toMatch(/`\/[a-z-]+|nothing left/);
    }),
    { numRuns: 800 },
  );
});
