import { answerOf, type FinalAnswer } from "@atomic/workflows/internal/graph/answer";
import type { GraphJson } from "@atomic/workflows/internal/graph/graph-json";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { RunState, RunStatus } from "@atomic/workflows/internal/run/run-state";

/** What the workflow says at its end. Undefined unless the run is done. Loads nothing else of its result. */
export async function runAnswer(
  engine: Pick<LocalEngine, "load">,
  { runId, graph }: Pick<RunState, "runId" | "graph">,
  status: RunStatus,
): Promise<FinalAnswer | undefined> {
  if (status.kind !== "done") return undefined;
  const { nodes = [] } = graph as unknown as Partial<GraphJson>;
  return await answerOf(nodes, (id, of = "outputs") => engine.load(runId, status.result, [of, id]));
}

/** The status with the whole result, however large: its large parts are read one after the other, as they are printed. */
export async function wholeStatus(
  engine: Pick<LocalEngine, "loadLarge">,
  runId: string,
  status: RunStatus,
): Promise<RunStatus> {
  if (status.kind !== "done") return status;
  return { ...status, result: { value: await engine.loadLarge(runId, status.result) } };
}
