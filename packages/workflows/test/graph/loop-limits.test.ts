// Loops whose limit comes from the input of the run.
import { describe, expect, test } from "bun:test";
import { type GraphBuilder, graph } from "../../src/graph/builder.ts";
import { bindGraph, type CompiledGraph } from "../../src/graph/compile.ts";
import type { BaseState } from "../../src/graph/node-definition.ts";
import { agentNode } from "../../src/graph/nodes/agent.ts";
import { criteriaLoopNode } from "../../src/graph/nodes/criteria-loop.ts";
import { taskLoopNode } from "../../src/graph/nodes/task-loop.ts";
import { toolNode } from "../../src/graph/nodes/tool.ts";
import { drawGraph } from "../../src/graph/picture.ts";
import { noEntities, runGraph } from "./run-graph.ts";

const args = { most: { type: "number", default: 5 } } as const;
const work = toolNode({ id: "work", run: ({ iteration }) => iteration });
const most = ({ input }: { readonly input: { readonly most: number } }): number => input.most;

const loops: readonly (readonly [string, CompiledGraph])[] = [
  ["loop", graph({ name: "x", arguments: args }).loop(work, { until: () => false, maxIterations: most })],
  [
    "task-loop",
    graph({ name: "x", arguments: args }).then(taskLoopNode({ taskNodes: work, maxIterations: most, tasksPath: "t" })),
  ],
  [
    "criteria-loop",
    graph({ name: "x", arguments: args }).then(
      criteriaLoopNode({ taskNodes: agentNode({ prompt: "Go." }), maxIterations: most }),
    ),
  ],
].map(([id, builder]) => [id as string, (builder as GraphBuilder<BaseState>).compile(noEntities)]);

const services = {
  taskLoop: { pick: () => ({ do: "run", tasks: [{ id: "a" }] }) as const, settle: () => undefined },
  criteriaLoop: { judge: () => ({ do: "continue", memo: null }) as const },
};

describe.each(loops)("a %s", (id, compiled) => {
  test("runs as often as the input allows", async () => {
    const { result } = await runGraph(compiled, { input: { most: 3 }, ...services });
    expect(result.outputs[id]).toEqual({ iterations: 3, stopped: "max-iterations", complete: false });
  });

  test("with a limit that is none fails, and says what it takes", async () => {
    const { status } = await runGraph(compiled, { input: { most: 0 }, ...services });
    expect(status).toMatchObject({
      kind: "failed",
      error: { message: `"maxIterations" of the node "${id}" gave 0 instead of a whole number from 1.` },
    });
  });

  test("is data that names the function, and is found to lack it in another module", () => {
    const json = JSON.parse(JSON.stringify(compiled.json));
    expect(json.nodes[0].maxIterations).toEqual({ fn: "maxIterations" });
    expect(bindGraph(json, compiled, noEntities).json).toEqual(compiled.json);
    expect(() => bindGraph(json, { functions: new Map() }, noEntities)).toThrow(
      `${id}: The module has no function "maxIterations" for it any more.`,
    );
  });

  test("is drawn without a number", () => {
    expect(drawGraph(compiled.json)).not.toContain("at most");
  });
});
