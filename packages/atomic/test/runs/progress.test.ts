// Pictures of a run, from what its journal says: no terminal, no clock.
import { expect, test } from "bun:test";
import { withoutColour } from "@atomic/terminal/paint";
import { displayWidth } from "@atomic/terminal/width";
import { agentNode, toolNode, waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { graph } from "@atomic/workflows/internal/graph/builder";
import { criteriaLoopNode, taskLoopNode } from "@atomic/workflows/internal/graph/control-nodes";
import type { GraphJson } from "@atomic/workflows/internal/graph/graph-json";
import { mapNode } from "@atomic/workflows/internal/graph/map-node";
import { subgraphNode } from "@atomic/workflows/internal/graph/subgraph-node";
import { progressLines } from "../../src/view/progress.ts";
import { timelineOf } from "../../src/view/timeline.ts";
import { TestJournal } from "./journal.ts";

const tool = (id: string) => toolNode({ id, run: () => 1 });
const agent = (id: string) => agentNode({ id, prompt: "x" });

function picture(journal: TestJournal, { columns = 60, rows = 24 } = {}): string[] {
  const canvas = { columns, rows, colour: false, now: journal.now };
  return progressLines(journal.graph as unknown as GraphJson, journal.view, canvas);
}

/** Only the tree, without the times. */
function tree(journal: TestJournal): string[] {
  return picture(journal)
    .slice(1)
    .map((line) => line.replace(/(\S) {2,}.*$/, "$1"));
}

const release = () =>
  new TestJournal(
    graph({ name: "release" })
      .start(tool("build"))
      .parallel({ id: "look", branches: { tests: agent("test"), docs: agent("write") } })
      .wait(waitNode({ id: "approval", prompt: "Ship it?" }))
      .then(tool("publish")),
  );

test("a run that has just started shows every pending node", () => {
  expect(picture(release())).toEqual([
    "release calm-otter  running  0ms",
    "  · build     tool",
    "  · look      parallel",
    "  · approval  question",
    "  · publish   tool",
  ]);
});

const looking = (): TestJournal => {
  const journal = release().started("build").after(2).finished("build", 2).forked("look", 2);
  journal.finished("look.0/test:session", 0).started("look.0/test");
  journal.used("look.0/test", { inputTokens: 1500, usd: 0.03 }).started("look.1/write:session");
  return journal.after(12);
};

test("a running node is shown with its time, cost and inner nodes", () => {
  expect(picture(looking())).toEqual([
    "release calm-otter  running  14s · 1.5k tokens · $0.03",
    "  ✓ build      tool      2.0s",
    "  ⠋ look       parallel  12s · 1.5k tokens · $0.03",
    "    ⠋ tests              12s · 1.5k tokens · $0.03",
    "      ⠋ test   agent     12s · 1.5k tokens · $0.03",
    "    ⠋ docs               12s",
    "      ⠋ write  agent     12s",
    "  · approval   question",
    "  · publish    tool",
  ]);
});

test("a finished node is one line, whatever it contains", () => {
  const journal = looking().finished("look.0/test", 12).branch("look", 0).started("look.1/write");
  expect(tree(journal).slice(1, 5)).toEqual(["  ⠋ look", "    ✓ tests", "    ⠋ docs", "      ⠋ write"]);
  journal.finished("look.1/write").branch("look", 1).joined("look");
  expect(tree(journal)).toEqual(["  ✓ build", "  ✓ look", "  · approval", "  · publish"]);
});

test("a question makes the run wait and is done once it is answered", () => {
  const journal = looking().finished("look.0/test", 12).finished("look.1/write:session", 12).joined("look");
  journal.asked("approval", { kind: "wait", question: "Ship it?" }).after(90);
  expect(picture(journal)[0]).toBe("release calm-otter  waiting for an answer  1m 44s");
  expect(picture(journal)[3]).toBe("  ? approval  question  1m 30s");
  expect(tree(journal.answered("approval", true).started("publish"))[2]).toBe("  ✓ approval");
});

test("an agent that asks for a permission waits while others continue", () => {
  const journal = looking().asked("look.0/test?1", { type: "permission", tool: "bash" }, "look.0/test");
  expect(tree(journal).slice(1, 6)).toEqual(["  ⠋ look", "    ? tests", "      ? test", "    ⠋ docs", "      ⠋ write"]);
});

test("a failed attempt reports why it failed and when the next one starts", () => {
  const journal = release().started("build").after(1).failed("build", "no \x1b[31m disk", 8).after(3);
  expect(picture(journal).slice(1, 3)).toEqual([
    "  ↻ build     tool      4.0s · again in 5.0s",
    "    no \\x1b[31m disk",
  ]);
});

test("a failure marks every node it ends, and nodes that never ran stay pending", () => {
  const error = { name: "Error", message: "model gone", key: "look.0/test" };
  const journal = looking().failed("look.0/test", "model gone");
  journal.add({ type: "branch-ended", key: "look", index: 0, ending: { ok: false, error } });
  journal.add({ type: "fork-ended", key: "look", ending: { ok: false, error }, abandoned: ["look.1/write:session"] });
  journal.add({ type: "run-ended", outcome: { kind: "failed", error } });
  expect(picture(journal)).toEqual([
    "release calm-otter  failed: look.0/test: model gone  14s",
    "  ✓ build     tool      2.0s",
    "  ✗ look      parallel  12s · 1.5k tokens · $0.03",
    "    ✗ tests             12s · 1.5k tokens · $0.03",
    "      ✗ test  agent     12s · 1.5k tokens · $0.03",
    "        model gone",
    "    – docs              12s",
    "  · approval  question",
    "  · publish   tool",
  ]);
});

test("a map shows how far it is and the items at work, one line each if an item is one node", () => {
  const each = mapNode({ id: "each", over: () => [], as: "file", nodes: agent("read") });
  const journal = new TestJournal(graph({ name: "review" }).start(each).then(tool("sum")));
  expect(tree(journal)).toEqual(["  · each", "  · sum"]);
  expect(picture(journal)[1]).toBe("  · each  for each file");
  journal.finished("each:over", 0).forked("each", 3);
  for (const item of ["a-ts", "b-ts~2"]) journal.finished(`each.${item}/read:session`, 0).started(`each.${item}/read`);
  journal.after(2).finished("each.a-ts/read", 2).branch("each", 0);
  expect(picture(journal).slice(1)).toEqual([
    "  ⠋ each      1 of 3  2.0s",
    "    ⠋ b-ts~2  agent   2.0s",
    "  · sum       tool",
  ]);
  journal.finished("each.b-ts~2/read", 2).branch("each", 1).branch("each", 2).joined("each");
  expect(picture(journal)[1]).toBe("  ✓ each  3 of 3  2.0s");
});

test("a finished map says how many items failed, wherever it is and however small the terminal is", () => {
  const each = mapNode({ id: "each", over: () => [], as: "file", nodes: tool("read"), onItemError: "continue" });
  const inner = graph({ name: "inner" }).start(each).toGraph();
  const outer = graph({ name: "g" }).start([tool("a"), tool("b")]);
  const journal = new TestJournal(outer.then(subgraphNode({ id: "sub", graph: inner })));
  journal.finished("a", 0).finished("b", 0).forked("sub/each", 3);
  journal.finished("sub/each.boat/read", 0).branch("sub/each", 0);
  for (const index of [1, 2]) {
    const failed = { name: "Error", message: `item ${index + 1} of 3, "mast": \x07` };
    journal.failed(`sub/each.${index}/read`, "\x07");
    journal.add({ type: "branch-ended", key: "sub/each", index, ending: { ok: true, result: { value: { failed } } } });
  }
  journal.joined("sub/each").done();
  const sub = [
    "  ✓ sub     graph inner       1.0s",
    "    ✓ each  3 of 3, 2 failed  1.0s",
    '      item 2 of 3, "mast": \\x07',
  ];
  expect(picture(journal).slice(-3)).toEqual(sub);
  expect(picture(journal, { rows: 6 }).slice(1)).toEqual(["  ✓ 2 done", ...sub]);
});

test("an item with several nodes shows them, and the one that failed stays", () => {
  const each = mapNode({ id: "each", over: () => [], as: "file", nodes: [tool("read"), tool("sum")] });
  const journal = new TestJournal(graph({ name: "review" }).start(each));
  journal.finished("each:over", 0).forked("each", 2).started("each.a/read").started("each.b/read");
  journal.after(1).finished("each.a/read").started("each.a/sum");
  expect(tree(journal)).toEqual([
    "  ⠋ each",
    "    ⠋ a",
    "      ✓ read",
    "      ⠋ sum",
    "    ⠋ b",
    "      ⠋ read",
    "      · sum",
  ]);
  const error = { name: "Error", message: 'item 2 of 2, "b": gone', key: "each.b/read" };
  journal.failed("each.b/read", "gone");
  journal.add({ type: "branch-ended", key: "each", index: 1, ending: { ok: false, error } });
  journal.add({ type: "fork-ended", key: "each", ending: { ok: false, error }, abandoned: ["each.a/sum"] });
  journal.add({ type: "run-ended", outcome: { kind: "failed", error } });
  expect(picture(journal, { columns: 80 })[0]).toContain('failed: each.b/read: item 2 of 2, "b": gone');
  expect(tree(journal)).toEqual(["  ✗ each", "    ✗ b", "      ✗ read", "        gone", "      · sum"]);
});

test("a node is not shown as running once no process works on it", () => {
  expect(tree(looking().add({ type: "run-released" })).slice(1, 4)).toEqual([
    "  ‖ look",
    "    ‖ tests",
    "      ‖ test",
  ]);
});

test("a loop shows its current iteration and its total cost", () => {
  const journal = new TestJournal(
    graph({ name: "ralph" })
      .start(criteriaLoopNode({ id: "goal", taskNodes: [agent("work"), tool("check")], maxIterations: 5 }))
      .then(tool("end")),
  );
  for (const turn of [1, 2]) {
    journal.started(`goal#${turn}/work`).used(`goal#${turn}/work`, { outputTokens: 1000 }).after(3);
    journal.finished(`goal#${turn}/work`, 3).started(`goal#${turn}/check`);
    if (turn === 1) journal.finished("goal#1/check").started("goal#1").finished("goal#1", 0, { do: "continue" });
  }
  expect(picture(journal).slice(1)).toEqual([
    "  ⠋ goal     iteration 2 of 5  6.0s · 2.0k tokens",
    "    ✓ work   agent             3.0s · 1.0k tokens",
    "    ⠋ check  tool              0ms",
    "  · end      tool",
  ]);
});

test("a loop that made the run fail is shown as failed, and so is its parent", () => {
  const inner = criteriaLoopNode({ id: "goal", taskNodes: agent("work"), maxIterations: 1 });
  const journal = new TestJournal(
    graph({ name: "ralph" })
      .if(() => true, { id: "mode" })
      .then(inner)
      .endif(),
  );
  journal.finished("mode", 0, "yes").started("mode.0/goal#1/work").finished("mode.0/goal#1/work");
  const error = { name: "LoopIncompleteError", message: "the loop stopped", key: "mode.0/goal" };
  journal
    .finished("mode.0/goal#1", 0, { do: "continue" })
    .add({ type: "run-ended", outcome: { kind: "failed", error } });
  expect(tree(journal)).toEqual(["  ✗ mode", "    ✗ goal", "      the loop stopped", "      ✓ work"]);
});

test("time without a process counts for a question but not for a node", () => {
  const journal = new TestJournal(
    graph({ name: "ask" })
      .start(agent("work"))
      .wait(waitNode({ id: "ok", prompt: "Ok?" })),
  );
  journal.started("work").after(2).add({ type: "run-released" }).after(60).claimed().started("work", 2).after(3);
  journal.finished("work", 3, null, 2).asked("ok", "Ok?").after(1).add({ type: "run-released" }).after(60).claimed();
  journal.answered("ok", true);
  expect(picture(journal).slice(1)).toEqual(["  ✓ work  agent     5.0s", "  ✓ ok    question  1m 1s"]);
  const rows = timelineOf(journal.entries, journal.view).filter(({ kind }) => kind === "call");
  expect(rows).toMatchObject([{ ms: 5000 }, { ms: 61_000 }]);
});

test("a task loop shows its current task, or all of them if it runs several", () => {
  const journal = new TestJournal(
    graph({ name: "ralph" }).start(taskLoopNode({ id: "tasks", taskNodes: agent("work"), limit: 2 })),
  );
  journal.finished("tasks:tasks", 0, "tasks.json").finished("tasks#1:pick", 0, {
    do: "run",
    tasks: [{ id: "1", name: "Log in" }],
  });
  journal.started("tasks#1/work");
  expect(picture(journal).slice(1)).toEqual(["  ⠋ tasks   task 1 Log in  0ms", "    ⠋ work  agent          0ms"]);
  journal
    .finished("tasks#1/work")
    .finished("tasks#1:settle", 0)
    .finished("tasks#2:pick", 0, {
      do: "run",
      tasks: [{ id: "2" }, { id: "3" }],
    });
  journal.forked("tasks#2", 2).started("tasks#2.0/work").started("tasks#2.1/work");
  expect(tree(journal)).toEqual(["  ⠋ tasks", "    ⠋ work", "    ⠋ work"]);
  expect(picture(journal)[1]).toContain("task 2, 3");
});

test("only the chosen branch is shown, and the handler of a failed node", () => {
  const journal = new TestJournal(
    graph({ name: "ways" })
      .if(() => true, { id: "choice" })
      .then(toolNode({ id: "left", run: () => 1, onError: tool("mend") }))
      .else()
      .then(tool("right"))
      .endif(),
  );
  journal.finished("choice", 0, "yes").started("choice.0/left").after(1).failed("choice.0/left", "broken");
  journal.started("choice.0/left!/mend");
  expect(tree(journal)).toEqual(["  ⠋ choice", "    ⠋ left", "      broken", "      ⠋ mend"]);
});

test("an agent's latest message is shown below it, with control characters escaped", () => {
  const journal = looking().said("look.0/test", { type: "text", text: "first\nlast \x1b[2J line\n" });
  expect(picture(journal)[5]).toBe("        last \\x1b[2J line");
  journal.said("look.0/test", { type: "tool-started", tool: "bash", input: { command: "npm test" } });
  expect(picture(journal)[5]).toBe("        bash npm test");
  journal.finished("look.0/test", 12).branch("look", 0);
  expect(picture(journal).join("\n")).not.toContain("npm test");
});

test("a run's limits are shown in its header", () => {
  const builder = graph({ name: "release" }).start(agent("work"));
  const journal = new TestJournal(builder, { budget: { usd: 2, steps: 10 } }).started("work");
  expect(picture(journal.used("work", { usd: 0.5 }), { columns: 80 })[0]).toBe(
    "release calm-otter  running  0ms · $0.50 · 25% of $2.00, 1 of 10 steps",
  );
});

test.each([12, 20, 33, 47, 60, 200])("at %i columns no line is longer", (columns) => {
  const journal = looking().said("look.0/test", "x".repeat(300)).failed("look.1/write:session", "日本語".repeat(50), 3);
  for (const line of picture(journal, { columns })) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
});

test.each([3, 4, 5, 6, 9])("at %i rows running nodes stay visible, and the rest are counted", (rows) => {
  const many = Array.from({ length: 12 }, (_, at) => tool(`n${at}`));
  const journal = new TestJournal(graph({ name: "many" }).start(many));
  for (let at = 0; at < 6; at += 1) journal.started(`n${at}`).finished(`n${at}`);
  journal.started("n6");
  const lines = picture(journal, { rows });
  expect(lines.length).toBeLessThan(rows);
  expect(lines.some((line) => line.includes("⠋ n6"))).toBe(true);
  expect(lines.some((line) => /✓ \d done/.test(line))).toBe(rows >= 5);
  expect(lines.some((line) => /· \d to come/.test(line))).toBe(rows >= 5 && rows < 9);
});

test("running nodes are highlighted, and pending nodes are dim", () => {
  const journal = looking();
  const canvas = { columns: 60, rows: 24, colour: true, now: journal.now };
  const lines = progressLines(journal.graph as unknown as GraphJson, journal.view, canvas);
  expect(lines[0]).toStartWith("\x1b[1mrelease\x1b[22m calm-otter  \x1b[36mrunning\x1b[39m");
  expect(lines[1]).toBe("  \x1b[32m✓\x1b[39m build\x1b[2m      tool      2.0s\x1b[22m");
  expect(lines.at(-1)).toBe("\x1b[2m  · publish    tool\x1b[22m");
  expect(lines.map(withoutColour)).toEqual(picture(journal));
});
