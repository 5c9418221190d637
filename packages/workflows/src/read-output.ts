// The part of `outputOf()` and `outputsOf()` that is loaded when a program calls them.
import { didYouMean } from "@atomic/terminal/suggest";
import { type NodeOutput, nodeOutput, outputsAt } from "./graph/node-output.ts";
import { projectEngine } from "./project-engine.ts";
import type { LocalEngine } from "./run/engine.ts";
import type { Json } from "./run/json.ts";
import { RunError } from "./run/run-error.ts";
import type { RunState } from "./run/run-state.ts";

export async function readOutput(runId: string, node: string, folder: string): Promise<Json | undefined> {
  const { found } = await findNode(runId, node, folder);
  if (found.kind !== "several") return found.kind === "said" ? found.output : undefined;
  const [first = ""] = found.keys;
  throw new RunError("bad-request", {
    message: `The node "${node}" of the run ${runId} has run at ${found.keys.length} paths, so its id alone is ambiguous`,
    at: runId,
    hint: `Pass one of its paths, such as "${first}", or use outputsOf("${runId}", "${node}") for all of them.`,
  });
}

export async function readOutputs(runId: string, node: string, folder: string): Promise<Record<string, Json>> {
  const { engine, state, found } = await findNode(runId, node, folder);
  const outputs: Record<string, Json> = {};
  for await (const { key, output } of outputsAt(engine, state, found)) outputs[key] = output;
  return outputs;
}

async function findNode(
  runId: string,
  node: string,
  folder: string,
): Promise<{ engine: LocalEngine; state: RunState; found: Exclude<NodeOutput, { kind: "unknown" }> }> {
  const engine = projectEngine(folder, {
    interpret: async () => {
      throw new Error("This engine can only read runs.");
    },
  });
  const state = await engine.state(runId);
  const found = await nodeOutput(engine, state, node);
  if (found.kind !== "unknown") return { engine, state, found };
  const [best] = didYouMean(node, found.nodes);
  const message = `The run ${runId} has no node "${node}"${best === undefined ? "" : ` (did you mean "${best}"?)`}`;
  throw new RunError("bad-request", { message, at: runId, hint: `Its nodes are ${found.nodes.join(", ")}.` });
}
