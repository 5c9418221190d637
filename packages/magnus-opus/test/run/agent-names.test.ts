// Where you have an agent with one of our names, ours has another, and a run knows which is which.
import { describe, expect, test } from "bun:test";
import { categoryOf, delegatedAgent } from "../../src/delegate/category.ts";
import { otherNames, ourName, withNames } from "../../src/run/agent-names.ts";
import { type CallDecision, decide } from "../../src/run/decide.ts";
import { agentsFor, roleOf } from "../../src/run/gates.ts";
import { reduce } from "../../src/run/reduce.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { stepWords } from "../../src/words/step-words.ts";
import { plugin, root, started } from "./simulated-run.ts";

const taken =
  (...names: readonly string[]) =>
  (name: string) =>
    names.includes(name);

test.each<[string, readonly string[], Readonly<Record<string, string>>]>([
  ["nothing is taken", [], {}],
  ["ours is taken", ["reviewer", "build"], { reviewer: "magnus-reviewer" }],
  ["so is the other name", ["reviewer", "magnus-reviewer"], { reviewer: "magnus-opus-reviewer" }],
  [
    "and the next",
    ["reviewer", "magnus-reviewer", "magnus-opus-reviewer", "magnus-opus-reviewer-2"],
    { reviewer: "magnus-opus-reviewer-3" },
  ],
  ["only a copy's is taken", ["reviewer-2"], { "reviewer-2": "magnus-reviewer-2" }],
])("the other names of our agents if %s", (_, users, names) => {
  expect(otherNames(["reviewer", "reviewer-1", "reviewer-2", "tester"], taken(...users))).toEqual(names);
});

test("two of our agents never get the same name", () => {
  const ours = ["a", "magnus-a"];
  expect(otherNames(ours, taken("a", "magnus-a"))).toEqual({ a: "magnus-opus-a", "magnus-a": "magnus-opus-a-2" });
});

test("your agent is not ours, whatever it is called", () => {
  const names = { reviewer: "magnus-reviewer" };
  expect(["reviewer", "magnus-reviewer", "tester", "build"].map((name) => ourName(names, name))).toEqual([
    ...[undefined, "reviewer", "tester", "build"],
  ]);
  expect(withNames("Ask `reviewer`, `tester` or a reviewer; write `reviewer.md`.", names)).toBe(
    "Ask `magnus-reviewer`, `tester` or a reviewer; write `reviewer.md`.",
  );
});

test("a category without an agent of yours means ours, under its name", () => {
  const settings = { config: { categories: { visual: { model: "a/b" }, tiny: { agent: "tester" } } }, names: {} };
  const names = { designer: "magnus-designer", backend: "magnus-backend", tester: "magnus-tester" };
  expect(categoryOf({ ...settings, names }, "visual")).toEqual({ agent: "magnus-designer", model: "a/b" });
  expect(delegatedAgent({ ...settings, names }, { category: "business-logic" })).toBe("magnus-backend");
  expect(delegatedAgent({ ...settings, names }, { category: "tiny" })).toBe("tester");
  expect(delegatedAgent(settings, { category: "business-logic" })).toBe("backend");
});

describe("in a run", () => {
  const names = { orchestrator: "magnus-orchestrator", reviewer: "magnus-reviewer", tester: "magnus-tester" };
  const named = (state: MagnusState, other: Readonly<Record<string, string>> = names): MagnusState =>
    reduce(state, { type: "agents-named", at: 1, by: plugin, names: other });
  const inPhase = (phase: MagnusState["phase"], state = started()): MagnusState => ({ ...named(state), phase });
  const delegating = (state: MagnusState, agent: string, by = "magnus-orchestrator"): CallDecision =>
    decide(state, {
      ...{ tool: "task", args: { subagent_type: agent }, session: root, agent: by, isChild: false, depth: 0, at: 1 },
    });

  test("roles follow the names, and so does the session in which the run began", () => {
    const state = named(started());
    expect(roleOf(state, "reviewer")).toBeUndefined();
    expect(roleOf(state, "magnus-reviewer")).toBe("reviewer");
    expect(roleOf(state, "designer")).toBe("designer");
    expect(state.sessions[root]?.agent).toBe("magnus-orchestrator");
    expect(roleOf(named(state, {}), "reviewer")).toBe("reviewer");
  });

  test("the steps and refusals name the agents as OpenCode knows them", () => {
    expect(stepWords(inPhase("code-review"))).toContain("`magnus-reviewer`");
    expect(stepWords(inPhase("testing"))).toContain("Delegate to `magnus-tester`");
    const refusal = delegating(inPhase("code-review"), "reviewer");
    expect(refusal).toMatchObject({
      missing: "in the code-review phase, magnus-orchestrator may delegate to magnus-reviewer, explorer, not reviewer",
    });
    expect(delegating(inPhase("code-review"), "magnus-reviewer")).toEqual({ do: "allow" });
    expect(delegating(inPhase("code-review"), "magnus-reviewer", "orchestrator").do).toBe("refuse");
  });

  test("one of several reviewers can have another name, too", () => {
    const options = { roles: { "reviewer-1": "reviewer", "reviewer-2": "reviewer" } as const };
    const state = named(started({ options }), { "reviewer-2": "magnus-reviewer-2" });
    expect(agentsFor(state, "reviewer")).toEqual(["reviewer-1", "magnus-reviewer-2"]);
    expect(["reviewer-2", "magnus-reviewer-2"].map((agent) => roleOf(state, agent))).toEqual([undefined, "reviewer"]);
  });
});
