import { expect, test } from "bun:test";
import {
  agentNode,
  askUserNode,
  clearContextNode,
  commandNode,
  skillNode,
  toolNode,
  waitNode,
} from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { criteriaLoopNode, decisionNode, loopNode, parallelNode, taskLoopNode } from "../../src/graph/control-nodes.ts";
import { GraphError } from "../../src/graph/graph-error.ts";
import { mapNode } from "../../src/graph/map-node.ts";
import type { NodeDefinition } from "../../src/graph/node-definition.ts";
import type { BaseState } from "../../src/graph/state.ts";
import { subgraphNode } from "../../src/graph/subgraph-node.ts";

const fn = (): never => {
  throw new Error("Nothing is called before the graph runs.");
};
const nop = clearContextNode({ id: "nop" });
const nopJson = { kind: "clear-context", id: "nop" };

const inner = graph({ name: "inner" }).start(nop).toGraph();

const everything = {
  id: "all",
  description: "Does it",
  into: "list",
  output: fn,
  onError: nop,
  retry: { maxAttempts: 3, backoffMs: 5, backoffMultiplier: 3, maxBackoffMs: 50, retryOn: fn },
  timeoutMs: 1000,
  idleTimeoutMs: 100,
  host: "claude",
  model: "opus",
  tools: ["read"],
  permissions: { bash: "deny", edit: "ask" },
  session: "main",
  budget: { usd: 1, tokens: 1000, wallMs: 60_000, steps: 3 },
} as const;
const everythingJson = {
  id: "all",
  description: "Does it",
  into: "list",
  output: { fn: "output" },
  onError: [nopJson],
  retry: { maxAttempts: 3, backoffMs: 5, backoffMultiplier: 3, maxBackoffMs: 50, retryOn: { fn: "retryOn" } },
  timeoutMs: 1000,
  idleTimeoutMs: 100,
  host: "claude",
  model: "opus",
  tools: ["read"],
  permissions: { bash: "deny", edit: "ask" },
  session: "main",
  budget: { usd: 1, tokens: 1000, wallMs: 60_000, steps: 3 },
};

type State = BaseState & { readonly list: unknown };
const cases: [string, NodeDefinition<State>, object, string[]][] = [
  [
    "an agent of its own",
    agentNode({ system: "Be brief." }),
    { kind: "agent", id: "agent", system: { value: "Be brief." } },
    [],
  ],
  [
    "an agent of the registry",
    agentNode({ agent: "sub/Debug Everything!", prompt: "Go", system: fn }),
    {
      kind: "agent",
      id: "agent-sub-Debug-Everything",
      agent: "sub/Debug Everything!",
      system: { fn: "system" },
      prompt: { value: "Go" },
    },
    ["agent-sub-Debug-Everything:system"],
  ],
  [
    "a skill with everything",
    skillNode<State>({ ...everything, skill: "tidy", args: fn }),
    { kind: "skill", ...everythingJson, skill: "tidy", args: { fn: "args" } },
    ["all:output", "all:retryOn", "all:args"],
  ],
  [
    "a command",
    commandNode({ command: "ns:x", args: "" }),
    { kind: "command", id: "command-ns-x", command: "ns:x", args: { value: "" } },
    [],
  ],
  [
    "a tool by name",
    toolNode({ tool: "lint", args: { fn: "looks like a function" } }),
    { kind: "tool", id: "tool-lint", tool: "lint", args: { value: { fn: "looks like a function" } } },
    [],
  ],
  [
    "a tool of its own",
    toolNode({ run: fn, onError: "continue" }),
    { kind: "tool", id: "tool", onError: "continue", run: { fn: "run" } },
    ["tool:run"],
  ],
  [
    "a wait",
    waitNode({ prompt: fn, autoApprove: false, timeoutMs: 9, fallback: true }),
    { kind: "wait", id: "wait", prompt: { fn: "prompt" }, auto: { value: false }, timeoutMs: 9, fallback: true },
    ["wait:prompt"],
  ],
  [
    "a question",
    askUserNode({ question: "Which?", header: "Choose", options: [{ label: "a" }], multiple: true }),
    {
      kind: "ask-user",
      id: "ask-user",
      question: { value: "Which?" },
      header: "Choose",
      options: [{ label: "a" }],
      multiple: true,
    },
    [],
  ],
  [
    "a session to forget",
    clearContextNode({ session: "main" }),
    { kind: "clear-context", id: "clear-context", session: "main" },
    [],
  ],
  [
    "a decision",
    decisionNode({
      routes: [
        { when: fn, nodes: nop },
        { label: "b", when: fn, nodes: [] },
      ],
    }),
    {
      kind: "decision",
      id: "decision",
      routes: [
        { label: "1", when: { fn: "when.0" }, nodes: [nopJson] },
        { label: "b", when: { fn: "when.1" }, nodes: [] },
      ],
      otherwise: [],
    },
    ["decision:when.0", "decision:when.1"],
  ],
  [
    "branches",
    parallelNode({ branches: [nop, []], merge: fn, strategy: "race" }),
    {
      kind: "parallel",
      id: "parallel",
      strategy: "race",
      branches: [
        { label: "1", nodes: [nopJson] },
        { label: "2", nodes: [] },
      ],
      merge: { fn: "merge" },
    },
    ["parallel:merge"],
  ],
  [
    "a loop",
    loopNode(nop, { until: fn }),
    {
      kind: "loop",
      id: "loop",
      nodes: [nopJson],
      maxIterations: 100,
      onIncomplete: "continue",
      until: { fn: "until" },
    },
    ["loop:until"],
  ],
  [
    "a task loop",
    taskLoopNode({ taskNodes: [], preIterationNode: nop, until: fn, taskSelector: fn }),
    {
      kind: "task-loop",
      id: "task-loop",
      nodes: [nopJson],
      maxIterations: 100,
      onIncomplete: "continue",
      tasksPath: { value: "research/tasks.json" },
      limit: 1,
      until: { fn: "until" },
      select: { fn: "select" },
    },
    ["task-loop:until", "task-loop:select"],
  ],
  [
    "a criteria loop",
    criteriaLoopNode({ taskNodes: nop, maxIterations: 0, maxDurationMs: 60_000, onIncomplete: "fail" }),
    {
      kind: "criteria-loop",
      id: "criteria-loop",
      nodes: [nopJson],
      maxIterations: 0,
      onIncomplete: "fail",
      signal: "COMPLETE",
      noProgressLimit: 3,
      maxDurationMs: 60_000,
    },
    [],
  ],
  [
    "a graph inside",
    subgraphNode({ graph: inner, input: fn }),
    {
      kind: "subgraph",
      id: "subgraph-inner",
      graph: { version: 1, name: "inner", state: {}, nodes: [nopJson] },
      input: { fn: "input" },
    },
    ["subgraph-inner:input"],
  ],
  [
    "a workflow by name",
    subgraphNode({ graph: "release" }),
    { kind: "subgraph", id: "subgraph-release", workflow: "release" },
    [],
  ],
];

test.each(cases)("%s becomes data, and its functions stay behind", (_name, node, json, functions) => {
  const assembled = graph({ name: "x", state: { list: null as unknown } })
    .start(node)
    .toGraph()
    .assemble();
  expect(assembled.json.nodes).toEqual([json] as never);
  expect([...assembled.functions.keys()]).toEqual(functions);
  expect(assembled.problems).toEqual([]);
});

const node = toolNode({ id: "t", run: () => 1 });

test.each<[string, () => unknown, string]>([
  ["a subgraph without its graph", () => subgraphNode({ id: "inner" } as never), 'subgraphNode() needs "graph".'],
  [
    "a subgraph of something else",
    () => subgraphNode({ id: "inner", graph: node } as never),
    'subgraphNode() needs "graph".',
  ],
  [
    "a loop with its nodes among its options",
    () => loopNode({ nodes: node, until: () => true } as never, undefined as never),
    'loopNode() needs "until". Pass the nodes first, then the options:',
  ],
  ["branches that are not called so", () => parallelNode([node, node] as never), 'parallelNode() needs "branches".'],
  ["a decision without routes", () => decisionNode({ id: "inner" } as never), 'decisionNode() needs "routes".'],
  ["a map without nodes", () => mapNode({ over: [1], as: "one" } as never), 'mapNode() needs "nodes".'],
  ["a task loop without nodes", () => taskLoopNode({} as never), 'taskLoopNode() needs "taskNodes".'],
  [
    "a criteria loop without nodes",
    () => criteriaLoopNode(undefined as never),
    'criteriaLoopNode() needs "taskNodes".',
  ],
  ["a skill without its name", () => skillNode({} as never), 'skillNode() needs "skill".'],
  ["a command without its name", () => commandNode("review" as never), 'commandNode() needs "command".'],
  [
    "nothing as a node",
    () =>
      graph({ name: "x" })
        .then(undefined as never)
        .toGraph()
        .assemble(),
    "Expected a node, not undefined.",
  ],
])("%s is a clear error", (_what, build, message) => {
  expect(build).toThrow(GraphError);
  expect(build).toThrow(message);
});
