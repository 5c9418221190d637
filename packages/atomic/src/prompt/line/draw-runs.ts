// The open runs above the prompt line: one as a tree, the others as a line each.
import { painter } from "@atomic/terminal/paint";
import { truncate } from "@atomic/terminal/width";
import type { GraphJson } from "@atomic/workflows/internal/graph/graph-json";
import { type Canvas, progressLines, runHeadline } from "../../view/progress.ts";
import { headline, questionsOf } from "../../view/questions.ts";
import type { RunView } from "../../view/run-view.ts";

/** More runs than this are only counted. */
const mostLines = 6;

/** Newest first. @param expanded The id of the one that is shown as a tree. */
export function drawRuns(runs: readonly RunView[], expanded: string | undefined, canvas: Canvas): string[] {
  const { rows, colour } = canvas;
  const columns = Math.max(4, canvas.columns - 1);
  if (runs.length === 0 || rows < 2) return [];
  const paint = painter(colour);
  const shown = runs.slice(0, Math.min(mostLines, rows - 1));
  const asked = new Map(shown.map((run) => [run, questionsOf(run.state)[0]]));
  const questions = shown.filter((run) => asked.get(run) !== undefined).length;
  const isCut = shown.length < runs.length ? 1 : 0;
  const room = rows - shown.length - questions - isCut;
  const lines = shown.flatMap((run) => {
    const { state } = run;
    const question = asked.get(run);
    const answer = question && paint("yellow", truncate(`  ? ${headline(question)}  /answer ${state.runId}`, columns));
    const isTree = state.runId === expanded && room > 0;
    const graph = state.graph as unknown as GraphJson;
    const tree = isTree
      ? progressLines(graph, run, { ...canvas, columns, rows: room + 2 })
      : [runHeadline(run, { ...canvas, columns })];
    return [...tree, ...(answer === undefined ? [] : [answer])];
  });
  const more = paint("dim", truncate(`… ${runs.length - shown.length} more (see /runs)`, columns));
  return [...lines, ...(isCut === 0 ? [] : [more])].slice(0, rows);
}
