// Every command that a refusal, a step or a status prints does what the text says, in the state in which it is printed.
import { afterEach, expect, test } from "bun:test";
import { answered } from "../../src/graph/person-answer.ts";
import { updateOf } from "../../src/plugin/session-hooks.ts";
import type { Limits } from "../../src/run/budget.ts";
import { decide } from "../../src/run/decide.ts";
import type { MagnusEvent } from "../../src/run/event.ts";
import { nextStep } from "../../src/run/next-step.ts";
import { type ActName, acts, personAct } from "../../src/run/person-act.ts";
import { approve } from "../../src/run/person-actions.ts";
import { offerCommands } from "../../src/run/person-commands.ts";
import { reduce } from "../../src/run/reduce.ts";
import { refusalText } from "../../src/run/refusal.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { statusWords } from "../../src/words/status-words.ts";
import { stepWords } from "../../src/words/step-words.ts";
import { anna, orchestrator, plugin, root, SimulatedRun, startEvent } from "./simulated-run.ts";

afterEach(() => offerCommands({ commands: "shell", update: "hugo update magnus-opus" }));

const act = { by: anna, at: 90_000_000 };

/** Runs in every phase, waiting, paused, out of budget, stuck and disputed. */
function* states(): Generator<MagnusState> {
  const rounds = { planRounds: 1, designRounds: 1, codeRounds: 2, failingRuns: 1 };
  for (const [workflow, options] of [
    ["UI_FOCUSED", {}],
    ["API_FOCUSED", {}],
    ["MIXED", {}],
    ["UNCLEAR", {}],
    ["UI_FOCUSED", { maxIterations: 0 }],
  ] as const) {
    const run = new SimulatedRun({ workflow, options }, rounds);
    for (let step = 0; step < 60 && run.state.status.kind === "running"; step++) {
      const { state } = run;
      yield state;
      const paused = { type: "paused", at: state.at, by: plugin, detail: "it stopped" } as const;
      yield reduce(state, { ...paused, reason: "abort" });
      yield reduce(state, { ...paused, reason: "stuck" });
      for (const limit of ["usd", "tokens", "ms", "sessions"] as const) {
        const used: Limits = { [limit]: 0 };
        for (const budget of [
          { run: { depth: 1, ...used }, phases: {} },
          { run: { depth: 1 }, phases: { [state.phase]: used } },
          { run: { depth: 3 }, phases: { [state.phase]: { depth: 1 } } },
        ]) {
          const over = { ...state, budget, spent: { run: spent, phases: { [state.phase]: spent } } };
          yield over;
          yield reduce(over, { type: "tree-seen", at: state.at, by: plugin, tree: state.tree ?? "tree-0" });
        }
      }
      const isDisputed = nextStep(state).do === "wait" && state.workflow !== "UNCLEAR" && !approve(state, act).ok;
      if (isDisputed) break;
      run.play(1);
    }
  }
}

const spent = { usd: 1, tokens: 1, ms: 1, sessions: 1 };

const calls = [
  ["write", { filePath: "src/a.ts" }, "orchestrator", false, 0],
  ["bash", { command: "rm a" }, "developer", true, 1],
  ["task", { subagent_type: "developer" }, "orchestrator", false, 0],
  ["task", { subagent_type: "reviewer" }, "orchestrator", false, 0],
  ["task", { subagent_type: "explorer" }, "developer", true, 1],
  ["submit_review", {}, "developer", true, 1],
] as const;

function printedIn(state: MagnusState): readonly string[] {
  const refusals = calls.map(([tool, args, agent, isChild, depth]) => {
    const call = { tool, args, agent, isChild, depth, session: root, at: state.at };
    const decision = decide(state, call);
    return decision.do === "allow" ? "" : refusalText(state, tool, decision);
  });
  return [...refusals, stepWords(state), statusWords(state)];
}

const filledIn = (command: string): string =>
  command
    .replace("<type>", "MIXED")
    .replace("<amount>", "999999999")
    .replace("<what to change>", "less of it")
    .replace("<reason>", "because I say so");

test("what is printed in OpenCode can be typed there", () => {
  offerCommands({ commands: "opencode" });
  const wrong = new Set<string>();
  const seen = new Set<string>();
  for (const state of states()) {
    for (const text of printedIn(state)) {
      expect(text).not.toContain("magnus-opus ");
      for (const line of text.split("\n")) {
        for (const [, command = ""] of line.matchAll(/`(\/[^`]+)`/g)) {
          const [, name = "", words = ""] = /^\/(?:magnus-)?(\S+) ?(.*)$/s.exec(filledIn(command))!;
          if (!acts.includes(name as ActName)) {
            expect(["implement", "confirm", "dismiss"]).toContain(name);
            continue;
          }
          seen.add(name);
          const acted = personAct(name as ActName, words, state, act);
          const isLater = /finish the \S+ phase|in the next phase|when the rest is done/.test(line);
          if (!acted.ok && !isLater) wrong.add(`${state.phase} ${state.status.kind}: ${line} | ${acted.because}`);
          if (acted.ok && name === "raise" && state.status.kind === "paused") {
            const next = reduce(state, acted.event);
            if (next.status.kind === "paused") wrong.add(`${command} leaves ${next.status.detail}`);
          }
        }
      }
    }
  }
  expect([...wrong].slice(0, 10)).toEqual([]);
  expect([...seen].toSorted()).toEqual([...acts].toSorted());
});

test("what a question of a graph prints can be answered", () => {
  const events: MagnusEvent[] = [startEvent({ workflow: "UNCLEAR" })];
  const ready = { type: "phase-ready", at: 1, by: orchestrator, phase: "requirements" } as const;
  events.push({ type: "tree-seen", at: 0, by: plugin, tree: "tree-0" }, ready);
  const { problem } = answered(events, "yes");
  expect(problem).toEndWith("Choose UI_FOCUSED, API_FOCUSED or MIXED: `approve --type=<type>`.");
  expect(answered(events, "approve --type=MIXED").problem).toBe("");
  expect(answered(events, "waive phase").problem).toEndWith("`waive phase <reason>`.");
  expect(answered(events, "waive phase no need").problem).toBe("");
});

test.each([
  ["/p/.opencode/hugo/store/x/node_modules/magnus-opus", "hugo update magnus-opus"],
  ["/home/ü/.config/opencode/hugo/store/x", "hugo update magnus-opus --global"],
  ["/home/ü/.cache/opencode/packages/magnus-opus@latest", undefined],
])("how a plugin in %s is updated", (root, command) => {
  expect(updateOf(root, "/home/ü/.config/opencode")).toBe(command);
});
