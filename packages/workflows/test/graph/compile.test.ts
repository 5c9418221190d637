import { describe, expect, test } from "bun:test";
import { createEntityRegistry } from "../../src/entities/registry.ts";
import { agentNode, commandNode, skillNode, toolNode } from "../../src/graph/action-nodes.ts";
import { defineGraph, graph } from "../../src/graph/builder.ts";
import { bindGraph } from "../../src/graph/compile.ts";
import { criteriaLoopNode, decisionNode, loopNode, parallelNode, taskLoopNode } from "../../src/graph/control-nodes.ts";
import { GraphError, type GraphProblem } from "../../src/graph/graph-error.ts";
import { isGraph, type NodeDefinition } from "../../src/graph/node-definition.ts";
import type { BaseState } from "../../src/graph/state.ts";
import { append, last, reduced } from "../../src/graph/state.ts";
import { subgraphNode } from "../../src/graph/subgraph-node.ts";
import { entity } from "../entities.ts";
import { noEntities, registryWith } from "./run-graph.ts";
import { sample, sampleRegistry } from "./sample.ts";

function problemsOf(compile: () => unknown): readonly GraphProblem[] {
  try {
    compile();
  } catch (error) {
    if (error instanceof GraphError) return error.problems;
    throw error;
  }
  return [];
}

const nothing = (id: string) => toolNode({ id, run: () => null });

test("all unknown names are reported at once, with suggestions", () => {
  const registry = registryWith({ agent: ["debugger"], skill: ["commit"], command: ["review", "commit"] });
  const inner = graph({ name: "inner" })
    .start(skillNode({ skill: "comit" }))
    .toGraph();
  const build = () =>
    graph({ name: "typos" })
      .start(agentNode({ agent: "debuger" }))
      .loop(commandNode({ command: "reviw" }), { until: () => true })
      .parallel({ branches: [skillNode({ skill: "review" }), agentNode({ agent: "Debugger" })] })
      .then(subgraphNode({ id: "sub", graph: inner }))
      .then(toolNode({ tool: "lnt" }))
      .then(subgraphNode({ graph: "realese" }))
      .catch(skillNode({ id: "last", skill: "nothing-like-it" }))
      .compile(registry, { tools: { lint: () => 1 }, workflows: { release: inner } });
  expect(build).toThrow(`The graph "typos" has 7 problems:
  subgraph-realese: Workflow not found: "realese" (did you mean "release"?).
  agent-debuger: Agent not found: "debuger" (did you mean "debugger"?).
  command-reviw: Command not found: "reviw" (did you mean "review"?).
  skill-review: Skill not found: "review"; there is a command "review".
  sub/skill-comit: Skill not found: "comit" (did you mean "commit"?).
  tool-lnt: Tool not found: "lnt" (did you mean "lint"?).
  last: Skill not found: "nothing-like-it".`);
  expect(problemsOf(build).map(({ code }) => code)).toEqual(Array.from({ length: 7 }, () => "unknown-name"));
});

test("names resolve as in the registry: in any case, by alias, by origin", () => {
  const registry = registryWith({
    more: [
      entity("Commit", "claude:project", { type: "skill", aliases: ["ci"] }),
      entity("commit", "claude:user", { type: "skill" }),
    ],
  });
  const { json } = graph({ name: "names" })
    .start([skillNode({ skill: "COMMIT" }), skillNode({ skill: "ci" }), skillNode({ skill: "claude:user/commit" })])
    .compile(registry);
  expect(json.entities).toEqual({
    "skill:COMMIT": "claude:project/commit",
    "skill:ci": "claude:project/commit",
    "skill:claude:user/commit": "claude:user/commit",
  });
  expect(json.nodes.map(({ id }) => id)).toEqual(["skill-COMMIT", "skill-ci", "skill-claude-user-commit"]);
});

test("an entity that must not run is a problem before anything runs", () => {
  const broken = entity("broken", "claude:project", {
    type: "agent",
    disabledBecause: "its tool list cannot be read.",
  });
  const problems = problemsOf(() =>
    graph({ name: "disabled" })
      .start(agentNode({ agent: "broken" }))
      .compile(registryWith({ more: [broken] })),
  );
  expect(problems).toEqual([
    {
      code: "entity-disabled",
      at: "agent-broken",
      message: 'The agent "broken" cannot run: its tool list cannot be read.',
    },
  ]);
});

describe("a graph is refused if", () => {
  const word = { word: "", list: append<string>(), own: reduced("", (a, b) => a + b) };
  type State = BaseState & { readonly word: string; readonly list: readonly string[]; readonly own: string };
  const into = (id: string, key: "word" | "list" | "own") => toolNode<State>({ id, run: () => "x", into: key });
  const talk = (id: string, session: string) => agentNode({ id, prompt: "Hi", session });
  const cases: [string, NodeDefinition<State>[], string[]][] = [
    ["it is empty", [], ["empty"]],
    ["two nodes have one id", [nothing("a"), nothing("a")], ["duplicate-id a"]],
    [
      "an id is taken that a node would have by default",
      [agentNode({ prompt: "x" }), nothing("agent")],
      ["duplicate-id agent"],
    ],
    ["an id would break paths", [nothing("a/b")], ["bad-id a/b"]],
    ["an id is empty", [nothing("")], ["bad-shape nodes[0].id"]],
    ["a loop may never end", [loopNode(nothing("a"), { until: () => true, maxIterations: 0 })], ["unbounded loop"]],
    [
      "a criteria loop may never end",
      [criteriaLoopNode({ taskNodes: nothing("a"), maxIterations: 0 })],
      ["unbounded criteria-loop"],
    ],
    [
      "a task loop may never end",
      [taskLoopNode({ taskNodes: nothing("a"), maxIterations: 0 })],
      ["unbounded task-loop"],
    ],
    [
      "an output goes to a key that the state does not have",
      // @ts-expect-error: the compiler sees it, too.
      [toolNode<State>({ id: "a", run: () => 1, into: "lst" })],
      ["unknown-name a"],
    ],
    [
      "two branches write one key without a reducer",
      [parallelNode({ branches: [into("a", "word"), into("b", "word")] })],
      ["write-conflict parallel"],
    ],
    [
      "two branches speak in one session",
      [parallelNode({ branches: [talk("a", "main"), [loopNode(talk("b", "main"), { until: () => true })]] })],
      ["shared-session parallel"],
    ],
    [
      "several tasks at a time speak in one session",
      [taskLoopNode({ taskNodes: talk("a", "main"), limit: 2 })],
      ["shared-session task-loop"],
    ],
    [
      "two ways have one name",
      [
        decisionNode({
          routes: [
            { label: "a", when: () => true, nodes: nothing("x") },
            { label: "a", when: () => true, nodes: nothing("y") },
            { label: "otherwise", when: () => true, nodes: [] },
          ],
        }),
      ],
      ["duplicate-id decision", "duplicate-id decision"],
    ],
    ["there is nothing to do at the same time", [parallelNode({ branches: [] })], ["bad-shape nodes[0].branches"]],
    [
      "numbers make no sense",
      [
        loopNode(nothing("a"), { until: () => true, maxIterations: 1.5 }),
        toolNode({ id: "b", run: () => 1, timeoutMs: -1, retry: { maxAttempts: 0 }, budget: { steps: 0, wallMs: -1 } }),
        parallelNode({ branches: [nothing("c")], limit: 0 }),
      ],
      [
        "bad-shape nodes[0].maxIterations",
        "bad-shape nodes[1].budget.steps",
        "bad-shape nodes[1].budget.wallMs",
        "bad-shape nodes[1].retry.maxAttempts",
        "bad-shape nodes[1].timeoutMs",
        "bad-shape nodes[2].limit",
      ],
    ],
  ];
  test.each(cases)("%s", (_name, nodes, expected) => {
    const problems = problemsOf(() => graph({ name: "x", state: word }).start(nodes).compile(noEntities));
    expect(problems.map(({ code, at }) => (at === undefined ? code : `${code} ${at}`)).sort()).toEqual(expected.sort());
  });
});

test.each([
  "../x",
  "a/../b",
  "/x",
  "a/",
  ".",
  "..",
  "a\\b",
  "a\u001b[31m",
  "a\nb",
  "a\u202eb",
  "\u200b",
  " x",
  "x".repeat(201),
])("a graph cannot be called %j", (name) => {
  const problems = problemsOf(() => graph({ name }).start(nothing("a")).compile(noEntities));
  expect(problems.map(({ code, at }) => `${code} ${at}`)).toEqual(["bad-id name"]);
  const inner = graph({ name }).start(nothing("a")).toGraph();
  const outer = problemsOf(() =>
    graph({ name: "outer" })
      .start(subgraphNode({ id: "in", graph: inner }))
      .compile(noEntities),
  );
  expect(outer.map(({ code, at }) => `${code} ${at}`)).toEqual(["bad-id in/name"]);
});

test.each(["x", "review", "@org/review", "Review: all files", "絵", "v1.2", "__proto__", "a..b"])(
  "a graph can be called %j",
  (name) => {
    expect(graph({ name }).start(nothing("a")).compile(noEntities).json.name).toBe(name);
  },
);

test("branches may write the same key if it has a reducer, if it is merged, or if only one branch counts", () => {
  const state = { word: "", list: append<string>() };
  type State = BaseState & { readonly word: string; readonly list: readonly string[] };
  const into = (key: "word" | "list") =>
    [1, 2].map((n) => toolNode<State>({ id: `${key}${n}`, run: () => "x", into: key }));
  const build = (node: NodeDefinition<State>) => graph({ name: "x", state }).start(node).compile(noEntities);
  build(parallelNode({ branches: into("list") }));
  build(parallelNode({ branches: into("word"), strategy: "any" }));
  build(parallelNode({ branches: into("word"), merge: () => ({ word: "both" }) }));
  build(
    parallelNode({
      branches: ["a", "b"].map((id) => agentNode({ id, prompt: "x", session: "s" })),
      limit: 1,
    }),
  );
});

test("a workflow that contains itself, through any number of others, is a problem", () => {
  const a = graph({ name: "a" })
    .start(subgraphNode({ graph: "b" }))
    .toGraph();
  const b = graph({ name: "b" })
    .start(loopNode(subgraphNode({ graph: "A" }), { until: () => true }))
    .toGraph();
  expect(
    problemsOf(() =>
      graph({ name: "top" })
        .start(subgraphNode({ graph: "a" }))
        .compile(noEntities, { workflows: { a, b } }),
    ),
  ).toEqual([
    {
      code: "recursion",
      at: "subgraph-a/subgraph-b/subgraph-A",
      message: 'The workflow "A" would contain itself.',
      hint: "Use a loop instead.",
    },
  ]);
});

test("a run carries every workflow that it is made of", () => {
  const { json, functions } = sample();
  const text = JSON.stringify(json);
  expect(text).toContain('"workflow":"other","graph":{"version":1,"name":"other"');
  expect([...functions.keys()]).toContain("by-name/sorry:run");
});

test("default ids are made unique, and given ids stay", () => {
  const { json } = graph({ name: "ids" })
    .start([skillNode({ skill: "x" }), skillNode({ skill: "x" }), skillNode({ id: "mine", skill: "x" })])
    .wait("One?")
    .wait("Two?")
    .compile(registryWith({ skill: ["x"] }));
  expect(json.nodes.map(({ id }) => id)).toEqual(["skill-x", "skill-x-2", "mine", "wait", "wait-2"]);
});

describe("a stored graph", () => {
  test("is bound to today's functions and entities", () => {
    const compiled = sample();
    const stored = JSON.parse(JSON.stringify(compiled.json));
    const bound = bindGraph(stored, compiled, sampleRegistry, { tools: { lint: () => 1 } });
    expect(bound.json).toEqual(compiled.json);
    expect(bound.entities.get("skill:commit")).toBe(sampleRegistry.getSkill("commit"));
  });

  test("names what the module no longer has", () => {
    const compiled = sample();
    const problems = problemsOf(() =>
      bindGraph(compiled.json, { functions: new Map() }, sampleRegistry, { tools: { lint: () => 1 } }),
    );
    expect(problems.map(({ code }) => code)).toEqual(problems.map(() => "missing-function"));
    expect(problems.map(({ at }) => at)).toEqual([
      "agent-researcher",
      "found",
      "note",
      "loop",
      "verdict",
      "by-name/sorry",
      "explain",
    ]);
  });

  test("does not accept another entity with the same name", () => {
    const mine = registryWith({ more: [entity("tidy", "claude:user", { type: "skill" })] });
    const compiled = graph({ name: "x" })
      .start(skillNode({ skill: "tidy" }))
      .compile(mine);
    const other = createEntityRegistry();
    other.register(entity("tidy", "opencode:project", { type: "skill" }));
    const problems = problemsOf(() => bindGraph(compiled.json, compiled, other));
    expect(problems.map(({ message }) => message)).toEqual(['Skill not found: "claude:user/tidy".']);
    other.register(entity("tidy", "claude:user", { type: "skill" }));
    expect(bindGraph(compiled.json, compiled, other).entities.get("skill:tidy")?.source.location).toBe("user");
  });
});

test("defineGraph makes what a workflow's module exports", () => {
  const workflow = defineGraph(
    { name: "tidy", description: "Tidies", state: { verdict: last<string | null>(null) } },
    (it) =>
      it.start(toolNode({ id: "a", run: ({ verdict }) => verdict?.length ?? 0, output: () => ({ verdict: "ok" }) })),
  );
  expect(isGraph(workflow)).toBe(true);
  expect([{}, null, "x", graph({ name: "x" })].map(isGraph)).toEqual([false, false, false, false]);
  expect(workflow.assemble().json).toMatchObject({ name: "tidy", description: "Tidies", nodes: [{ kind: "tool" }] });
});
