// The part of `outputOf()` that is loaded when a program calls it.
import { didYouMean } from "@atomic/terminal/suggest";
import { nodeOutput } from "./graph/node-output.ts";
import { projectEngine } from "./project-engine.ts";
import type { Json } from "./run/json.ts";
import { RunError } from "./run/run-error.ts";

export async function readOutput(runId: string, node: string, folder: string): Promise<Json | undefined> {
  const engine = projectEngine(folder, {
    interpret: async () => {
      throw new Error("This engine can only read runs.");
    },
  });
  const found = await nodeOutput(engine, await engine.state(runId), node);
  if (found.kind !== "unknown") return found.kind === "said" ? found.output : undefined;
  const [best] = didYouMean(node, found.nodes);
  const message = `The run ${runId} has no node "${node}"${best === undefined ? "" : ` (did you mean "${best}"?)`}`;
  throw new RunError("bad-request", { message, at: runId, hint: `Its nodes are ${found.nodes.join(", ")}.` });
}
