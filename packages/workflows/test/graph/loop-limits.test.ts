// Loops whose limit comes from the input of the run.
import { describe, expect, test } from "bun:test";
import { agentNode, toolNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { bindGraph } from "../../src/graph/compile.ts";
import { criteriaLoopNode, taskLoopNode } from "../../src/graph/control-nodes.ts";
import { drawGraph } from "../../src/graph/pictures.ts";
import { noEntities, runGraph } from "./run-graph.ts";

const begin = () => graph({ name: "x", arguments: { most: { type: "number", default: 5 } } });
const work = toolNode({ id: "work", run: ({ iteration }) => iteration });

const loops = [
  ["loop", begin().loop(work, { until: () => false, maxIterations: ({ input }) => input.most })],
  [
    "task-loop",
    begin().then(taskLoopNode({ taskNodes: work, maxIterations: ({ input }) => input.most, tasksPath: "t" })),
  ],
  [
    "criteria-loop",
    begin().then(
      criteriaLoopNode({ taskNodes: agentNode({ prompt: "Go." }), maxIterations: ({ input }) => input.most }),
    ),
  ],
] as const;

const services = {
  taskLoop: { pick: () => ({ do: "run", tasks: [{ id: "a" }] }) as const, settle: () => undefined },
  criteriaLoop: { judge: () => ({ do: "continue", memo: null }) as const },
};

describe.each(loops)("a %s", (id, builder) => {
  const compiled = builder.compile(noEntities);

  test("runs as often as the input allows", async () => {
    const { result } = await runGraph(compiled, { input: { most: 3 }, ...services });
    expect(result.outputs[id]).toEqual({ iterations: 3, stopped: "max-iterations", complete: false });
  });

  test("with an invalid limit fails, and says what is allowed", async () => {
    const { status } = await runGraph(compiled, { input: { most: 0 }, ...services });
    expect(status).toMatchObject({
      kind: "failed",
      error: { message: `"maxIterations" in the node "${id}" returned 0 instead of a positive whole number.` },
    });
  });

  test("is data that names the function, and a module without it is refused", () => {
    const json = JSON.parse(JSON.stringify(compiled.json));
    expect(json.nodes[0].maxIterations).toEqual({ fn: "maxIterations" });
    expect(bindGraph(json, compiled, noEntities).json).toEqual(compiled.json);
    expect(() => bindGraph(json, { functions: new Map() }, noEntities)).toThrow(
      `${id}: The module no longer has the function "maxIterations" for this node.`,
    );
  });

  test("is drawn without a number", () => {
    expect(drawGraph(compiled.json)).not.toContain("at most");
  });
});
