import { expect, test } from "bun:test";
import { agentNode, askUserNode, clearContextNode, toolNode } from "../../src/graph/action-nodes.ts";
import { answerOf } from "../../src/graph/answer.ts";
import { graph } from "../../src/graph/builder.ts";
import { decisionNode, loopNode, parallelNode } from "../../src/graph/control-nodes.ts";
import { subgraphNode } from "../../src/graph/subgraph-node.ts";
import { noEntities, runGraph } from "./run-graph.ts";

const say = (id: string, what: unknown = `${id} said`) => toolNode({ id, run: () => what });
const fails = (id: string) =>
  toolNode({
    id,
    run: () => {
      throw new Error("no");
    },
  });
const start = () => graph({ name: "x" }).start(say("first"));
const inner = () =>
  graph({ name: "inner", state: { done: false } })
    .start(say("one"))
    .then(toolNode({ id: "two", run: () => true, into: "done" }))
    .then(say("last-inside"))
    .toGraph();
/** A node that fails in one iteration of the loop around it. */
const failsIn = (bad: number, onError?: ReturnType<typeof say> | "continue") =>
  toolNode({
    id: "work",
    onError,
    run: ({ iteration }) => {
      if (iteration === bad) throw new Error("no");
      return `work ${iteration}`;
    },
  });
const body = (bad: number) => graph({ name: "body" }).start(failsIn(bad)).catch(say("rescue"));
const twice = { until: () => false, maxIterations: 2 };
const once = { until: () => true, maxIterations: 1 };

test.each([
  ["a tool", start().then(say("last")), { value: "last said" }],
  ["what is not a text", start().then(say("last", { n: [1] })), { value: { n: [1] } }],
  ["nothing, if the last node says nothing", start().then(say("last", null)), { value: null }],
  ["an answer", start().wait(askUserNode({ id: "ask", question: "?" })), { value: "yes" }],
  ["the node before one that has no output", start().then(clearContextNode()), { value: "first said" }],
  [
    "the way that a decision took",
    start().then(
      decisionNode({ id: "if", routes: [{ label: "a", when: () => true, nodes: say("a") }], otherwise: say("b") }),
    ),
    { value: "a said" },
  ],
  [
    "the node before a decision whose way is empty",
    start().then(decisionNode({ id: "if", routes: [{ label: "a", when: () => false, nodes: say("a") }] })),
    { value: "first said" },
  ],
  ["the last node of a loop", start().then(loopNode([say("a"), say("b")], once)), { value: "b said" }],
  [
    "each branch, by its label",
    start().then(parallelNode({ id: "p", branches: { one: say("a"), two: [say("b"), say("c", 3)] } })),
    { value: { one: "a said", two: 3 }, branches: true },
  ],
  [
    "the only branch that counts",
    start().then(parallelNode({ id: "p", branches: { one: fails("a"), two: say("b") }, strategy: "any" })),
    { value: "b said" },
  ],
  [
    "the handler of a node that failed",
    start().then(toolNode({ id: "bad", run: () => Promise.reject(new Error("no")), onError: say("rescue") })),
    { value: "rescue said" },
  ],
  ["the handler of nodes that failed", start().then(fails("bad")).catch(say("rescue")), { value: "rescue said" }],
  [
    "the last iteration's, if a handler ran in an earlier one",
    start().then(loopNode(body(1), twice)),
    { value: "work 2" },
  ],
  [
    "the last iteration's handler, if the nodes worked in an earlier one",
    start().then(loopNode(body(2), twice)),
    { value: "rescue said" },
  ],
  [
    "the handler of a node that worked in an earlier iteration",
    start().then(loopNode(failsIn(2, say("rescue")), twice)),
    { value: "rescue said" },
  ],
  [
    "the node before one that failed in the last iteration",
    start().then(loopNode([say("a"), failsIn(2, "continue")], twice)),
    { value: "a said" },
  ],
  [
    "what a branch's handler said, if the branch worked in an earlier iteration",
    start().then(loopNode(parallelNode({ id: "p", branches: { one: body(2), two: say("b") } }), twice)),
    { value: { one: "rescue said", two: "b said" }, branches: true },
  ],
  ["that of a graph inside", start().then(subgraphNode({ id: "sub", graph: inner() })), { value: "last-inside said" }],
  [
    "that of a graph inside a graph inside a branch",
    start().then(
      parallelNode({
        id: "p",
        branches: {
          one: subgraphNode({
            graph: graph({ name: "mid" })
              .start(subgraphNode({ graph: inner() }))
              .toGraph(),
          }),
          two: say("b"),
        },
      }),
    ),
    { value: { one: "last-inside said", two: "b said" }, branches: true },
  ],
  [
    "the final state of a graph inside that says nothing",
    start().then(
      subgraphNode({
        id: "sub",
        graph: graph({ name: "silent", state: { n: 1 } })
          .start(clearContextNode())
          .toGraph(),
      }),
    ),
    { value: { n: 1 } },
  ],
  ["an agent", start().then(agentNode({ id: "agent", prompt: "hi" })), { value: "reply to: hi" }],
])("the answer is %s", async (_what, built, expected) => {
  const compiled = built.compile(noEntities);
  const { result } = await runGraph(compiled, { signals: { ask: "yes" } });
  expect(await answerOf(compiled.json.nodes, async (id, of = "outputs") => result[of]?.[id])).toEqual(
    expected as never,
  );
});
