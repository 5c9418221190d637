import { expect, test } from "bun:test";
import { displayWidth } from "@atomic/terminal/width";
import { toolNode, waitNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import type { NodeDefinition } from "../../src/graph/node-definition.ts";
import { drawGraph } from "../../src/graph/pictures.ts";
import type { BaseState } from "../../src/graph/state.ts";
import { sample } from "./sample.ts";

test("a graph with every kind of node is drawn as a tree", () => {
  expect(drawGraph(sample().json)).toMatchInlineSnapshot(`
    "ship: From an idea to a release
    └─ try                        failures are handled below
       ├─ agent-researcher        agent researcher
       ├─ reviews                 parallel, all, 2 at a time
       │  ├─ security:
       │  │  └─ security          agent reviewer
       │  └─ tests:
       │     └─ command-test      command test, may fail
       ├─ found                   if
       │  ├─ yes:
       │  │  └─ approval          wait: Go on?
       │  └─ otherwise:
       │     └─ note              tool
       ├─ task-loop               task loop, at most 100 times
       │  ├─ clear-context        forget all sessions
       │  └─ skill-implement      skill implement
       ├─ criteria-loop           loop until COMPLETE, at most 5 times
       │  └─ polish               agent
       ├─ loop                    loop, at most 3 times
       │  └─ check                tool lint
       ├─ verdict                 if
       │  ├─ good:
       │  │  └─ subgraph-release  graph release
       │  │     ├─ ask-user       ask: Which version?
       │  │     └─ skill-commit   skill commit
       │  └─ otherwise:
       │     └─ by-name           graph other
       │        └─ sorry          tool
       └─ if that fails:
          └─ explain              agent
    "
  `);
});

test("narrow terminals get as much as fits", () => {
  for (const columns of [10, 20, 40, 80, 200]) {
    const widths = drawGraph(sample().json, { columns }).split("\n").map(displayWidth);
    expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
  }
});

test("wide letters count twice, and no text moves the cursor", () => {
  const { json } = graph({ name: "絵", description: "下".repeat(60) })
    .wait(waitNode({ id: "ask", prompt: `\u001b[2J${"字".repeat(60)}\nsecond line` }))
    .toGraph()
    .assemble();
  const picture = drawGraph(json);
  expect(
    picture
      .split("\n")
      .map(displayWidth)
      .filter((width) => width > 80),
  ).toEqual([]);
  expect(picture).not.toContain("\u001b");
  expect(picture.split("\n")).toHaveLength(3);
});

test("very deep nodes are still shown", () => {
  let nodes: readonly NodeDefinition<BaseState>[] = [toolNode({ id: "deepest", run: () => 1 })];
  for (let depth = 0; depth < 30; depth++)
    nodes = [...graph({ name: "x" }).loop(nodes, { until: () => true }).definitions];
  const { json } = graph({ name: "deep" }).start(nodes).toGraph().assemble();
  expect(drawGraph(json)).toContain("deepest");
  expect(Math.max(...drawGraph(json).split("\n").map(displayWidth))).toBeLessThanOrEqual(80);
});
