import { expect, test } from "bun:test";
import { skillNode, toolNode, waitNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { toMermaid } from "../../src/graph/pictures.ts";
import { subgraphNode } from "../../src/graph/subgraph-node.ts";
import { mermaidProblems } from "./mermaid-grammar.ts";
import { sample } from "./sample.ts";

test("a graph with every kind of node is drawn in reading order", () => {
  const chart = toMermaid(sample().json);
  expect(mermaidProblems(chart)).toEqual([]);
  expect(chart).toMatchInlineSnapshot(`
    "flowchart TD
      n0(["start"])
      subgraph g1["try"]
        n2((" "))
        n3["agent-researcher<br/>agent researcher"]
        n4[["reviews<br/>parallel, all, 2 at a time"]]
        n5["security<br/>agent reviewer"]
        n6["command-test<br/>command test, may fail"]
        n7(("join"))
        n8{"found"}
        n9[/"approval<br/>wait: Go on?"/]
        n10["note<br/>tool"]
        n11{{"task-loop<br/>task loop, at most 100 times"}}
        n12["clear-context<br/>forget all sessions"]
        n13["skill-implement<br/>skill implement"]
        n14{{"criteria-loop<br/>loop until COMPLETE, at most 5 times"}}
        n15["polish<br/>agent"]
        n16{{"loop<br/>loop, at most 3 times"}}
        n17["check<br/>tool lint"]
        n18{"verdict"}
        subgraph g19["subgraph-release<br/>graph release"]
          n20((" "))
          n21[/"ask-user<br/>ask: Which version?"/]
          n22["skill-commit<br/>skill commit"]
        end
        subgraph g23["by-name<br/>graph other"]
          n24((" "))
          n25["sorry<br/>tool"]
        end
      end
      n26["explain<br/>agent"]
      n27(["end"])
      n0 --> n2
      n2 --> n3
      n3 --> n4
      n4 -->|"security"| n5
      n4 -->|"tests"| n6
      n5 --> n7
      n6 --> n7
      n7 --> n8
      n8 -->|"yes"| n9
      n8 -->|"otherwise"| n10
      n9 --> n11
      n10 --> n11
      n11 -->|"next"| n12
      n12 --> n13
      n13 --> n11
      n11 -->|"done"| n14
      n14 -->|"next"| n15
      n15 --> n14
      n14 -->|"done"| n16
      n16 -->|"next"| n17
      n17 --> n16
      n16 -->|"done"| n18
      n18 -->|"good"| n20
      n20 --> n21
      n21 --> n22
      n18 -->|"otherwise"| n24
      n24 --> n25
      g1 -.->|"fails"| n26
      n22 --> n27
      n25 --> n27
      n26 --> n27
    "
  `);
});

test("text cannot break out of its place", () => {
  const prompt = 'Say "no"];\nend\n%%{init}%% `x` <b>&amp; #quot; --> n0 |a| {b}';
  const { json } = graph({ name: "hostile" })
    .wait(waitNode({ id: "end", prompt }))
    .toGraph()
    .assemble();
  const chart = toMermaid(json);
  expect(mermaidProblems(chart)).toEqual([]);
  expect(chart.split("\n")).toHaveLength(7);
});

test("arrows come after the frames, so no frame contains what it only points to", () => {
  const inner = graph({ name: "inner" }).start(toolNode({ id: "a", run: () => 1 }));
  const { json } = graph({ name: "outer" })
    .start(subgraphNode({ graph: inner.toGraph(), onError: skillNode({ skill: "tidy" }) }))
    .toGraph()
    .assemble();
  const lines = toMermaid(json).split("\n");
  const lastNode = lines.findLastIndex((line) => /"\W*$|^\s*end$/.test(line));
  expect(lines.findIndex((line) => line.includes("-->"))).toBeGreaterThan(lastNode);
});

test("the grammar of these tests refuses what is not Mermaid", () => {
  expect(mermaidProblems('graph\n  n0["a]\n  n0 --> n1\n  subgraph g1["x"]\n  n0["a"]\n  n0["b"]')).toEqual([
    "begins with graph",
    'not understood: n0["a]',
    'declared twice: n0["b"]',
    "a frame is not closed",
    "not declared: n1",
  ]);
});
