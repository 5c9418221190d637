import { beforeAll, expect, test } from "bun:test";
import { decide } from "../../src/run/decide.ts";
import { journalVersion, type MagnusEvent } from "../../src/run/event.ts";
import { nextStep } from "../../src/run/next-step.ts";
import * as persons from "../../src/run/person-actions.ts";
import { offerCommands } from "../../src/run/person-commands.ts";
import { reduce } from "../../src/run/reduce.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { stepWords } from "../../src/words/step-words.ts";
import { anna, plugin, root, SimulatedRun, startEvent } from "./simulated-run.ts";

beforeAll(() => offerCommands({ commands: "shell", update: "hugo update magnus-opus" }));

const act = { by: anna, at: 9_000 };

/** Only another version of the plugin can have written these. */
const strange: readonly (readonly [string, object])[] = [
  ["an event of an unknown type", { type: "approval-revoked", at: 1, by: anna, phase: "architecture" }],
  ["a process of a newer version", { type: "run-opened", at: 1, by: plugin, version: journalVersion + 1 }],
];

function waiting(): MagnusState {
  const run = new SimulatedRun();
  while (run.step());
  return run.state;
}

test.each(strange)("%s stops the run until the plugin is updated", (_, event) => {
  const state = reduce(waiting(), event as MagnusEvent);
  expect(state.status).toMatchObject({ kind: "paused", reason: "newer-version" });
  expect(stepWords(state)).toContain("`hugo update magnus-opus`");
  const call = { tool: "task", args: { subagent_type: "architect" }, session: root, agent: "orchestrator", at: 0 };
  expect(decide(state, { ...call, isChild: false, depth: 0 })).toMatchObject({ do: "refuse", gate: "paused" });
  for (const acted of [
    persons.resume(state, act),
    persons.approve(state, act),
    persons.waive(state, act, { gate: "phase", why: "go on" }),
    persons.reject(state, act, { notes: "again" }),
    persons.raiseBudget(state, act, { run: { usd: 5 } }),
  ]) {
    expect(acted).toMatchObject({ ok: false, because: expect.stringContaining("newer version") });
  }
});

test.each(strange)("after %s, nothing that is recorded continues the run, but the user can end it", (_, event) => {
  const before = waiting();
  const known: readonly MagnusEvent[] = [
    { type: "resumed", at: 2, by: anna },
    { type: "paused", at: 3, by: plugin, reason: "abort", detail: "Esc" },
    { type: "resumed", at: 4, by: anna },
    { type: "approved", at: 5, by: anna, phase: "architecture", subject: "x" },
    { type: "run-opened", at: 6, by: plugin, version: journalVersion },
  ];
  const after = [event as MagnusEvent, ...known].reduce<MagnusState>(reduce, before);
  expect(after).toMatchObject({ status: { kind: "paused", reason: "newer-version" }, phase: "plan-review" });
  expect(nextStep(after).do).toBe("paused");
  const ended = persons.cancel(after, act, "another plugin");
  expect(ended.ok && reduce(after, ended.event).status.kind).toBe("cancelled");
});

test("a run that a newer version started is not driven", () => {
  const begun = reduce(undefined, { ...startEvent(), version: journalVersion + 1 } as MagnusEvent)!;
  expect(begun.status).toMatchObject({ kind: "paused", reason: "newer-version" });
});

test("a journal without a version is one of version 1, and is read", () => {
  const { version: _, ...first } = { version: 0, ...startEvent() };
  expect(reduce(undefined, first as MagnusEvent)!.status.kind).toBe("running");
});
