// Which open runs there is room for above the prompt line.
import { describe, expect, test } from "bun:test";
import { toolNode, waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { drawRuns } from "../../src/prompt/line/draw-runs.ts";
import type { RunView } from "../../src/view/run-view.ts";
import { newGraph } from "../runs/begun.ts";
import { TestJournal } from "../runs/journal.ts";

/** Newest first: "w" waits for an answer, "-" does not. They are called run-1, run-2, … */
function runs(kinds: string): readonly RunView[] {
  return [...kinds].map((kind, at) => {
    const graph = newGraph()
      .start(toolNode({ id: "build", run: () => "built" }))
      .wait(waitNode({ id: "approval", prompt: "Publish?" }))
      .then(toolNode({ id: "publish", run: () => "published" }))
      .then(toolNode({ id: "say", run: () => "said" }));
    const journal = new TestJournal(graph).started("build");
    if (kind === "w") journal.finished("build").asked("approval", { question: "Publish?" });
    const { view } = journal;
    return { ...view, state: { ...view.state, runId: `run-${at + 1}`, status: view.state.status } };
  });
}

/** Each line in a word: the number of a run, ?number for its question, "node" for one of the tree, … */
function drawn(kinds: string, expanded: number, columns: number, rows: number): string {
  const canvas = { columns, rows, colour: false, now: 0 };
  const lines = drawRuns(runs(kinds), `run-${expanded}`, canvas).map((line) => {
    const [, headline] = /^release run-(\d+)/.exec(line) ?? [];
    const [, question] = /^ {2}\? Publish\? {2}\/answer run-(\d+)$/.exec(line) ?? [];
    if (headline !== undefined) return headline;
    if (question !== undefined) return `?${question}`;
    return line.startsWith("… ") ? line.replace(" (see /runs)", "") : "node";
  });
  return lines.join(" ");
}

describe("the open runs", () => {
  test.each<[string, string, number, number, number, string]>([
    ["all fit", "w-", 1, 80, 20, "1 node node node node ?1 2"],
    ["the newest six, if none waits", "---------", 1, 80, 20, "1 node node node node 2 3 4 5 6 … 3 more"],
    ["the tree, wherever it is", "wwwwwwwww", 9, 80, 20, "1 ?1 2 ?2 3 ?3 4 ?4 5 ?5 9 node node node node ?9 … 3 more"],
    ["those that wait, before others", "-------w-w", 1, 80, 20, "1 node node node node 2 3 4 8 ?8 10 ?10 … 4 more"],
    ["the tree, if there is little room", "wwwwwwwww", 7, 40, 10, "1 ?1 2 ?2 7 node node node ?7 … 6 more"],
    ["the headline, if there is none", "wwwwwwwww", 7, 40, 3, "7 ?7 … 8 more"],
    ["the headline in two rows", "wwwwwwwww", 7, 40, 2, "7 ?7"],
    ["nothing in one row", "w", 1, 40, 1, ""],
  ])("show %s", (_title, kinds, expanded, columns, rows, expected) => {
    expect(drawn(kinds, expanded, columns, rows)).toBe(expected);
  });
});
