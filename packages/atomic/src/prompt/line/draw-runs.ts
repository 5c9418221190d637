// The open runs above the prompt line: one as a tree, the others as a line each.
import { painter } from "@atomic/terminal/paint";
import { truncate } from "@atomic/terminal/width";
import type { GraphJson } from "@atomic/workflows/internal/graph/graph-json";
import { type Canvas, progressLines, runHeadline } from "../../view/progress.ts";
import { headline, questionsOf, type RunQuestion } from "../../view/questions.ts";
import type { RunView } from "../../view/run-view.ts";

/** More runs than this are only counted. */
const mostRuns = 6;
/** Other runs leave the tree at least this many rows, below its headline. */
const leastTree = 3;

interface ShownRun {
  readonly view: RunView;
  readonly question: RunQuestion | undefined;
}

/** Newest first. @param expanded The id of the one that is shown as a tree. */
export function drawRuns(runs: readonly RunView[], expanded: string | undefined, canvas: Canvas): string[] {
  const { rows, colour } = canvas;
  const columns = Math.max(4, canvas.columns - 1);
  if (runs.length === 0 || rows < 2) return [];
  const paint = painter(colour);
  const isExpanded = ({ view }: ShownRun): boolean => view.state.runId === expanded;
  const treeIn = ({ view }: ShownRun, room: number): string[] =>
    progressLines(view.state.graph as unknown as GraphJson, view, { ...canvas, columns, rows: room + 2 });
  const all = runs.map((view): ShownRun => ({ view, question: questionsOf(view.state)[0] }));
  const tree = all.find(isExpanded);
  const shown = fitting(all, tree, rows, tree === undefined ? 0 : treeIn(tree, leastTree).length - 1);
  const isCut = shown.length < runs.length ? 1 : 0;
  const room = rows - isCut - heightOf(shown);
  const lines = shown.flatMap((run) => {
    const { view, question } = run;
    const { runId } = view.state;
    const answer = question && paint("yellow", truncate(`  ? ${headline(question)}  /answer ${runId}`, columns));
    const drawn = isExpanded(run) && room > 0 ? treeIn(run, room) : [runHeadline(view, { ...canvas, columns })];
    return [...drawn, ...(answer === undefined ? [] : [answer])];
  });
  const more = paint("dim", truncate(`… ${runs.length - shown.length} more (see /runs)`, columns));
  return [...lines, ...(isCut === 0 ? [] : [more])].slice(0, rows);
}

/** The one that is a tree, and as many others as fit, in the order of all: those that wait for an answer go first. */
function fitting(
  all: readonly ShownRun[],
  tree: ShownRun | undefined,
  rows: number,
  treeRows: number,
): readonly ShownRun[] {
  const others = all.filter((run) => run !== tree);
  const asking = others.filter(({ question }) => question !== undefined);
  const chosen = new Set(tree === undefined ? [] : [tree]);
  for (const run of [...asking, ...others.filter((each) => !asking.includes(each))]) {
    const more = chosen.size + 1 < all.length ? 1 : 0;
    const isFull = chosen.size === mostRuns || treeRows + heightOf([...chosen, run]) + more > rows;
    if (isFull && chosen.size > 0) break;
    chosen.add(run);
  }
  return all.filter((run) => chosen.has(run));
}

/** Without the tree. */
function heightOf(runs: Iterable<ShownRun>): number {
  return [...runs].reduce((sum, { question }) => sum + (question === undefined ? 1 : 2), 0);
}
