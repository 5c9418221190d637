// A run as lines of a log, and as a timeline afterwards.
import { expect, test } from "bun:test";
import { agentNode, toolNode, waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { graph } from "@atomic/workflows/internal/graph/builder";
import { mapNode } from "@atomic/workflows/internal/graph/map-node";
import { eventLines, noteLine } from "../../src/view/event-lines.ts";
import { kindsOf } from "../../src/view/node-kinds.ts";
import { type RunView, viewOf } from "../../src/view/run-view.ts";
import { timelineOf } from "../../src/view/timeline.ts";
import { TestJournal } from "./journal.ts";

const page = { colour: false };

test("an item of a map that failed while the others continue is not printed as done", () => {
  const each = mapNode({
    id: "each",
    over: [1, 2],
    as: "n",
    nodes: toolNode({ run: () => 1 }),
    onItemError: "continue",
  });
  const journal = new TestJournal(graph({ name: "all" }).start(each));
  journal.add({ type: "fork-started", key: "each", branches: 2, join: "all" });
  const lines = [{ output: 1 }, { failed: { name: "Error", message: "no" } }].map((value, index) => {
    journal.add({ type: "branch-ended", key: "each", index, ending: { ok: true, result: { value } } });
    return eventLines(journal.entries.at(-1)!.event, viewOf(journal.entries) as RunView, kindsOf(journal.graph), page);
  });
  expect(lines).toEqual(["✓ each: 1 of 2\n", "✗ each: 2 of 2, this item failed\n"]);
});

function sampleJournal(): TestJournal {
  const journal = new TestJournal(
    graph({ name: "release" })
      .start(toolNode({ id: "build", run: () => 1 }))
      .if(() => true, { id: "big" })
      .then(agentNode({ id: "review", prompt: "x" }))
      .endif()
      .wait(waitNode({ id: "approval", prompt: "Ship it?" })),
  );
  journal.started("build").after(1).failed("build", "disk \x1b[31mfull", 2).after(2);
  journal.started("build", 2).after(1).finished("build", 1, null, 2).finished("big", 0, "yes");
  journal
    .finished("big.0/review:session", 0)
    .started("big.0/review")
    .used("big.0/review", { inputTokens: 1200, usd: 0.5 });
  journal.asked(
    "big.0/review?1",
    { type: "permission", path: "big.0/review", tool: "bash", detail: "npm t" },
    "big.0/review",
  );
  journal.answered("big.0/review?1", "allow").after(30).finished("big.0/review", 30);
  journal.asked("approval", { kind: "wait", question: "Ship it?" }).after(60).answered("approval", false);
  return journal.add({ type: "run-released" }).after(10).claimed().done();
}

test("events are printed as lines that fit a log", () => {
  const journal = sampleJournal();
  const kinds = kindsOf(journal.graph);
  let log = "";
  for (let n = 1; n <= journal.entries.length; n += 1) {
    const view = viewOf(journal.entries.slice(0, n)) as RunView;
    log += eventLines(journal.entries[n - 1]!.event, view, kinds, page);
  }
  expect(log).toBe(`▸ release calm-otter
▸ build (tool)
↻ build failed: disk \\x1b[31mfull (retrying in 2.0s)
▸ build (tool, attempt 2)
✓ build  1.0s
✓ big: yes
▸ big.0/review (agent)
? big.0/review wants to use bash: npm t
    atomic approve calm-otter --key 'big.0/review?1'         # yes
    atomic approve calm-otter --deny --key 'big.0/review?1'  # no
    atomic approve calm-otter always --key 'big.0/review?1'  # yes, in this run: exactly this command
✓ big.0/review?1: allow
✓ big.0/review  30s · 1.2k tokens · $0.50
? Ship it?
    atomic approve calm-otter --key approval         # yes
    atomic approve calm-otter --deny --key approval  # no
✓ approval: false
▸ release calm-otter continues
`);
});

test.each([
  [
    "review:session",
    { type: "host-starting", host: "opencode" },
    "· review: starting opencode; the first start takes longer\n",
  ],
  [
    "review",
    { type: "retrying", reason: "\x1b[2J" },
    "· review: the model's provider failed; trying again: \\x1b[2J\n",
  ],
  [
    "review:session",
    { type: "no-price", host: "copilot", model: "gpt-5" },
    "! review: copilot has no price for gpt-5, so a budget in dollars cannot stop it; use --budget-tokens\n",
  ],
  ["review", { type: "text", text: "well" }, ""],
  ["review", null, ""],
] as const)("the note of %s is a line only if it says why nothing happens, or what will not", (key, note, line) => {
  expect(noteLine({ type: "step-note", key, note, at: 0 }, page)).toBe(line);
});

test("the note of a node deep in a loop fits a terminal, and a longer one continues on the next line", () => {
  const noted = (note: Readonly<Record<string, string>>): string =>
    noteLine({ type: "step-note", key: "mode.1/tasks#10/implement", note, at: 0 }, { columns: 80, colour: false });
  expect(noted({ type: "host-starting", host: "opencode" }).split("\n")).toHaveLength(2);
  const long = noted({ type: "no-price", host: "copilot", model: "gpt-5" }).split("\n");
  expect(long.filter((line) => line.length > 80)).toEqual([]);
  expect(long[1]).toStartWith("  ");
});

test("a timeline says when a run continues on another machine, and that sessions are lost with the first", () => {
  const journal = sampleJournal();
  const moved = journal.entries.map(({ n, event }) =>
    n > 2 && event.type === "run-claimed" ? { n, event: { ...event, owner: { pid: 7, host: "there" } } } : { n, event },
  );
  expect(timelineOf(moved, journal.view).at(-2)).toMatchObject({
    text: "run by process 7 on there; agents' sessions on here are lost",
  });
});

test("a timeline lists every node once with its duration, and the run's own events", () => {
  const journal = sampleJournal();
  const rows = timelineOf(journal.entries, journal.view);
  expect(
    rows.map((row) => (row.kind === "mark" ? row.text : `${row.key} ${row.what} ${row.status} ${row.ms}`)),
  ).toEqual([
    "run by process 4711",
    "build tool done 4000",
    "big decision done 0",
    "big.0/review agent done 30000",
    "big.0/review?1 question done 0",
    "approval question done 60000",
    "stopped (can be resumed)",
    "run by process 4711",
    "done",
  ]);
  expect(rows[1]).toMatchObject({ attempts: 2, cost: { usd: 0, tokens: 0 } });
  expect(rows[2]).toMatchObject({ took: "yes" });
  expect(rows[3]).toMatchObject({ cost: { usd: 0.5, tokens: 1200 } });
  expect(rows[5]).toMatchObject({ answer: false });
});

test("a helper step is shown only if it fails or hangs", () => {
  const journal = new TestJournal(graph({ name: "x" }).start(agentNode({ id: "a", prompt: "x" })));
  journal.started("a:session");
  expect(timelineOf(journal.entries, journal.view)[1]).toMatchObject({
    key: "a:session",
    what: "session",
    status: "running",
  });
  journal.failed("a:session", "no host");
  expect(timelineOf(journal.entries, journal.view)[1]).toMatchObject({ status: "failed", error: "no host" });
});
