import { describe, expect, test } from "bun:test";
import { agentNode, toolNode } from "../../src/graph/action-nodes.ts";
import { type GraphBuilder, graph } from "../../src/graph/builder.ts";
import { decisionNode, parallelNode, taskLoopNode } from "../../src/graph/control-nodes.ts";
import { GraphError } from "../../src/graph/graph-error.ts";
import { append, last, max, merge, reduced, sum } from "../../src/graph/state.ts";
import { noEntities } from "./run-graph.ts";

const node = (id: string) => toolNode({ id, run: () => id });
const jsonOf = (builder: Pick<GraphBuilder<never>, "toGraph">) => builder.toGraph().assemble().json;
const tool = (id: string) => ({ kind: "tool", id, run: { fn: "run" } });

test("a graph is data that names functions but does not contain them", () => {
  const json = jsonOf(
    graph({ name: "all", description: "Everything", state: { n: sum(1), words: append<string>() } })
      .start(node("a"))
      .then([node("b"), node("c")])
      .if(({ n }) => n > 1, { id: "big" })
      .then(node("d"))
      .else()
      .then(node("e"))
      .endif()
      .parallel({ branches: { x: node("f"), y: [node("g"), node("h")] }, strategy: "any", limit: 1 })
      .loop(node("i"), { until: () => true, maxIterations: 7 })
      .wait("Go on?")
      .catch(node("j"))
      .end(),
  );
  expect(json).toEqual({
    version: 1,
    name: "all",
    description: "Everything",
    state: { n: { initial: 1, reducer: "sum" }, words: { initial: [], reducer: "append" } },
    nodes: [
      {
        kind: "try",
        id: "try",
        nodes: [
          tool("a"),
          tool("b"),
          tool("c"),
          {
            kind: "decision",
            id: "big",
            routes: [{ label: "yes", when: { fn: "when.0" }, nodes: [tool("d")] }],
            otherwise: [tool("e")],
          },
          {
            kind: "parallel",
            id: "parallel",
            strategy: "any",
            limit: 1,
            branches: [
              { label: "x", nodes: [tool("f")] },
              { label: "y", nodes: [tool("g"), tool("h")] },
            ],
          },
          {
            kind: "loop",
            id: "loop",
            nodes: [tool("i")],
            maxIterations: 7,
            onIncomplete: "continue",
            until: { fn: "until" },
          },
          { kind: "wait", id: "wait", prompt: { value: "Go on?" } },
        ],
        handler: [tool("j")],
      },
    ],
  } as never);
});

test("a builder can be used as nodes inside another builder", () => {
  const part = graph({ name: "part" })
    .start(node("a"))
    .if(() => true)
    .then(node("b"))
    .endif();
  const json = jsonOf(
    graph({ name: "whole" })
      .start(part)
      .loop(part, { until: () => true }),
  );
  expect(json.nodes.map(({ id }) => id)).toEqual(["a", "decision", "loop"]);
});

test("a graph does not change after toGraph()", () => {
  const builder = graph({ name: "x" }).start(node("a"));
  const before = builder.toGraph();
  builder.then(node("b"));
  expect(before.assemble().json.nodes).toHaveLength(1);
  expect(jsonOf(builder).nodes).toHaveLength(2);
});

test("ifs nest, and a handler covers the nodes inside the same if", () => {
  const json = jsonOf(
    graph({ name: "nested" })
      .if(() => true)
      .then(node("a"))
      .if(() => false)
      .then(node("b"))
      .catch(node("c"))
      .endif()
      .else()
      .then(node("d"))
      .endif(),
  );
  expect(json.nodes).toMatchObject([
    {
      routes: [{ nodes: [{ id: "a" }, { kind: "decision", routes: [{ nodes: [{ kind: "try" }] }], otherwise: [] }] }],
      otherwise: [{ id: "d" }],
    },
  ] as never);
});

describe("a call that makes no sense is refused where it is written:", () => {
  const start = () => graph({ name: "odd" }).start(node("a"));
  test.each<[string, () => unknown, string]>([
    ["start twice", () => start().start(node("b")), ".start() comes first, and only once."],
    [
      "start inside if",
      () =>
        graph({ name: "odd" })
          .if(() => true)
          .start(node("b")),
      ".start() comes first",
    ],
    ["else without if", () => start().else(), ".else() must come after .if()."],
    [
      "two elses",
      () =>
        start()
          .if(() => true)
          .else()
          .else(),
      "An .if() can have only one .else().",
    ],
    ["endif without if", () => start().endif(), ".endif() comes after .if()."],
    [
      "if without endif",
      () =>
        start()
          .if(() => true)
          .if(() => true)
          .compile(noEntities),
      "2 .if() calls are missing .endif().",
    ],
    ["catch of nothing", () => graph({ name: "odd" }).catch(node("b")), ".catch() comes after the nodes it is for."],
    ["more after the end", () => start().end().then(node("b")), "Nothing may come after .end()."],
    // What JavaScript lets through.
    [
      "no node",
      () =>
        start()
          .next({ id: "x" } as never)
          .compile(noEntities),
      "Expected a node, not object.",
    ],
    [
      "null",
      () =>
        start()
          .next([null] as never)
          .compile(noEntities),
      "Expected a node, not null.",
    ],
    [
      "a promise's catch",
      () =>
        start()
          .catch((() => 0) as never)
          .compile(noEntities),
      "Expected a node, not function.",
    ],
    [
      "no function",
      () =>
        start()
          .if(true as never)
          .endif()
          .compile(noEntities),
      '"when.0" takes a function, not a boolean.',
    ],
    [
      "an object instead of a function",
      () =>
        start()
          .then(toolNode({ id: "t", run: {} as never }))
          .compile(noEntities),
      't: "run" takes a function, not an object.',
    ],
  ])("%s", (_name, build, message) => {
    expect(build).toThrow(message);
  });

  test("the error names the graph", () => {
    expect(() => start().else()).toThrow(GraphError);
    expect(() => start().else()).toThrow('The graph "odd" has a problem:');
  });
});

test("initial values must be data", () => {
  const state = { when: last(new Date(0)) };
  expect(() => jsonOf(graph({ name: "x", state }).start(node("a")))).toThrow(
    'x: the initial value of "when" in the state must be plain data, but it is a Date.',
  );
});

describe("await", () => {
  test("returns a builder that continues the graph", async () => {
    const builder = graph({ name: "x", state: { n: 0 } }).start(node("a"));
    const awaited = await builder;
    awaited.next(node("b")).then(toolNode({ id: "c", run: ({ n }) => n }));
    expect(jsonOf(builder).nodes.map(({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(await Promise.all([builder, awaited])).toHaveLength(2);
  });

  test("works through any number of async functions", async () => {
    const inner = async () => graph({ name: "x" }).start(node("a"));
    const outer = async () => (await inner()).next(node("b"));
    expect(jsonOf(await outer()).nodes).toHaveLength(2);
  });
});

test("the compiler knows the state in every function", () => {
  const builder = graph({
    name: "typed",
    state: {
      count: 0,
      list: append<string>(),
      best: max(),
      by: merge<Record<string, number>>({}),
      verdict: last<"pass" | "fail" | null>(null),
      own: reduced({ a: 1 }, (current, update) => ({ a: current.a + update.a })),
    },
  });
  builder
    .start(agentNode({ prompt: (state) => state.list.join() + state.count.toFixed(), into: "list" }))
    .then(toolNode({ run: (state) => state.own.a, output: (_output, state) => ({ count: state.count + 1 }) }))
    .then(decisionNode({ routes: [{ when: (state) => state.verdict === "pass", nodes: node("d") }] }))
    .then(
      parallelNode({ branches: [agentNode({ prompt: (state) => state.verdict ?? "" })], merge: () => ({ best: 1 }) }),
    )
    .loop(toolNode({ run: (state) => state.by.x ?? 0 }), { until: (state) => state.best > 3 })
    .then(taskLoopNode({ taskNodes: agentNode({ prompt: ({ currentTask, count }) => `${currentTask?.id} ${count}` }) }))
    .if((state) => state.outputs.agent === "yes" && state.error === undefined && (state.iteration ?? 0) > 1)
    .endif();

  const wrong = () => {
    // @ts-expect-error: there is no such key.
    builder.then(agentNode({ prompt: (state) => state.lst }));
    // @ts-expect-error: an output cannot go there.
    builder.then(agentNode({ into: "outputs" }));
    // @ts-expect-error: the value has another type.
    builder.then(toolNode({ run: () => 1, output: () => ({ count: "one" }) }));
    // @ts-expect-error: not one of its values.
    builder.if((state) => state.verdict === "maybe");
    // @ts-expect-error: the node needs a key that this graph does not have.
    graph({ name: "other" }).then(toolNode<{ readonly count: number }>({ run: ({ count }) => count }));
  };
  expect(wrong).toBeFunction();
});
