import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ActName, personAct } from "../../src/run/person-act.ts";
import { offerCommands } from "../../src/run/person-commands.ts";
import { reduce } from "../../src/run/reduce.ts";
import { planNotApproved } from "../../src/run/refusal.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { statusWords } from "../../src/words/status-words.ts";
import { stepWords } from "../../src/words/step-words.ts";
import { anna, SimulatedRun, started } from "./simulated-run.ts";

const act = { by: anna, at: 9_000 };

beforeAll(() => offerCommands({ commands: "opencode" }));
afterAll(() => offerCommands({ commands: "shell", update: "hugo update magnus-opus" }));

/** A run whose plan waits for a person. */
function planned(): MagnusState {
  const run = new SimulatedRun();
  while (run.step());
  return run.state;
}

function said(name: ActName, words: string, state: MagnusState = planned()): object {
  const acted = personAct(name, words, state, act);
  return acted.ok ? acted.event : { because: acted.because, hint: acted.hint };
}

describe("words become actions", () => {
  const rows: readonly [ActName, string, object][] = [
    ["approve", "", { type: "approved", phase: "architecture" }],
    ["reject", "smaller, please", { type: "rejected", to: "architecture", notes: "smaller, please" }],
    ["reject", '"smaller, please"', { type: "rejected", notes: "smaller, please" }],
    ["reject", "--to=requirements ask first", { type: "rejected", to: "requirements", notes: "ask first" }],
    ["reject", "ask first --to requirements", { type: "rejected", to: "requirements", notes: "ask first" }],
    ["reject", "ask --to=requirements first\nthen plan", { to: "requirements", notes: "ask first\nthen plan" }],
    ["reject", '--to requirements "no --force"', { to: "requirements", notes: "no --force" }],
    ["reject", "say what '--force' does", { to: "architecture", notes: "say what '--force' does" }],
    ["reject", "-- no --force here", { to: "architecture", notes: "no --force here" }],
    ["reject", "smaller -- and without --force", { notes: "smaller -- and without --force" }],
    ["waive", "user_approval I know it", { type: "waived", gate: "user_approval", why: "I know it" }],
    ["waive", "USER-APPROVAL 'I know it'", { type: "waived", gate: "user_approval", why: "I know it" }],
    ["waive", "phase not today", { type: "waived", gate: "phase", why: "not today" }],
    ["cancel", "", { type: "cancelled", why: "" }],
    ["cancel", "a better idea", { type: "cancelled", why: "a better idea" }],
    ["raise", "sessions=80", { type: "budget-raised", run: { sessions: 80 }, phase: {} }],
    ["raise", "sessions=80 minutes=2 phase.tokens=900", { run: { ms: 120_000 }, phase: { tokens: 900 } }],
    ["raise", "iterations=5", { type: "budget-raised", maxIterations: 5 }],
  ];
  test.each(rows)("%s %s", (name, words, event) => {
    expect(said(name, words)).toMatchObject({ ...event, by: anna });
  });

  test.each(["MIXED", "--type mixed", "--type=MIXED"])("approve %s says what kind of feature it is", (words) => {
    const state = reduce(started({ workflow: "UNCLEAR" }), {
      type: "tree-seen",
      at: 1,
      by: { kind: "plugin" },
      tree: "t",
    });
    const event = said("approve", words, state);
    if (words.startsWith("--")) expect(event).toMatchObject({ type: "type-chosen", workflow: "MIXED" });
    else expect(event).toMatchObject({ because: '"MIXED" is not a valid option for /approve' });
  });
});

describe("meaningless words record nothing, and say what would work", () => {
  test.each([
    ["approve", "the plan", '"the plan" is not a valid option for /approve'],
    ["approve", "--type=ui-focsed", '"ui-focsed" is not a workflow type'],
    ["reject", "", "a rejection must say what to change"],
    ["reject", "--to=plan again", '"plan" is not a phase of this run'],
    ["reject", "a smaller plan --to plan", '"plan" is not a phase of this run'],
    ["reject", "a smaller plan --too requirements", '"--too" is not an option of /reject'],
    ["reject", "a smaller plan --to", "--to needs a phase"],
    ["reject", "--to=requirements", "a rejection must say what to change"],
    ["reject", "a --to=requirements --to=architecture", "--to is given twice"],
    ["waive", "", "a waiver must name a gate"],
    ["waive", "because I say so", '"because" is not a gate'],
    ["waive", "user_approval", "a waiver needs a reason"],
    ["waive", "alltestspass flaky", '"alltestspass" is not a gate'],
    ["waive", "all_tests_pass they are slow", "all_tests_pass is not a gate in the plan-review phase"],
    ["resume", "", "the run is not paused"],
    ["raise", "", "no limit is named"],
    ["waive", "all-test-pass because", '"all-test-pass" is not a gate'],
    ["raise", "dollars=5", '"dollars=5" is not a valid limit'],
    ["raise", "usd=-5", '"usd=-5" is not a valid limit'],
    ["raise", "usd=0", "a limit must be a positive number"],
    ["raise", "usd=5", "there is no limit for usd, so there is nothing to raise"],
    ["raise", "phase.usd=5", "there is no limit for phase.usd, so there is nothing to raise"],
    ["raise", "sessions=5", "the limit for sessions is already 60"],
  ] as const)("%s %s", (name, words, because) => {
    expect(said(name, words)).toEqual({ because, hint: expect.stringMatching(/\S/) });
  });
});

test("what can be raised is named with the command that raises it, as printed", () => {
  const limits = "The run's limits are sessions=60, depth=1, iterations=3; for example";
  for (const words of ["", "usd=5", "usd=0", "dollars=5"]) {
    const { hint = "" } = said("raise", words) as { hint?: string };
    expect(hint).toContain(limits);
    const [, printed = ""] = /`\/magnus-raise (\S+)=<amount>`/.exec(hint) ?? [];
    expect(said("raise", `${printed}=99`)).toMatchObject({ type: "budget-raised" });
  }
});

test("only the phases that the run has been through are offered to go back to", () => {
  for (const words of ["--two=x smaller", "--to=architectur smaller", "smaller --to"]) {
    const { hint = "" } = said("reject", words) as { hint?: string };
    expect(hint).toMatch(/architecture/);
    for (const later of ["implementation", "testing", "ui-fixes"]) expect(hint).not.toContain(later);
  }
});

test("where our commands have other names, what is printed about a run follows", () => {
  const short = ["approve", "reject", "waive", "implement"];
  const commands = Object.fromEntries(short.map((name) => [name, `magnus-${name}`]));
  const by = { kind: "plugin" } as const;
  const state = reduce(planned(), { type: "agents-named", at: 2, by, names: {}, commands });
  const cancelled = reduce(state, { type: "cancelled", at: 3, by: anna, why: "" });
  const texts = [
    ...(["the plan", "--type=x"] as const).map((words) => said("approve", words, state)),
    ...["", "--two=x", "--to"].map((words) => said("reject", words, state)),
    ...["", "phase"].map((words) => said("waive", words, state)),
    ...[said("resume", "", state), said("resume", "", cancelled)],
    planNotApproved(state),
    statusWords(state),
    stepWords(state),
  ].map((text) => JSON.stringify(text));
  const printed = texts.flatMap((text) =>
    [...text.matchAll(/(?<=[\s`"(])\/([a-z-]+)(?![\w/])/g)].map(([, name]) => name),
  );
  expect(new Set(printed)).toEqual(new Set(Object.values(commands)));
});
