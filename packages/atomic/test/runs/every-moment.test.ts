// Real runs, looked at after each of their events: whatever moment it is, the picture is a sound one.
import { expect, test } from "bun:test";
import { displayWidth } from "@atomic/terminal/width";
import { tmpProject } from "@atomic/testing/project";
import { agentNode, toolNode } from "@atomic/workflows/internal/graph/action-nodes";
import type { GraphJson } from "@atomic/workflows/internal/graph/graph-json";
import { subgraphNode } from "@atomic/workflows/internal/graph/subgraph-node";
import { embeddedEngine } from "@atomic/workflows/internal/run/embedded/embedded-engine";
import type { JournalEntry } from "@atomic/workflows/internal/run/events";
import { eventLines } from "../../src/view/event-lines.ts";
import { kindsOf } from "../../src/view/node-kinds.ts";
import { type NodeStatus, type NodeView, nodeViews } from "../../src/view/node-view.ts";
import { progressLines } from "../../src/view/progress.ts";
import { type RunView, RunViewer } from "../../src/view/run-view.ts";
import { timelineOf } from "../../src/view/timeline.ts";
import { begin, newGraph } from "./begun.ts";

const tool = (id: string) => toolNode({ id, run: () => id });
let failures = 0;

/** A bit of everything that can be inside of something else. */
const everything = () =>
  newGraph("everything")
    .start(tool("first"))
    .parallel({
      id: "fan",
      limit: 2,
      branches: {
        left: [tool("a"), agentNode({ id: "b", prompt: "x", session: "talk" })],
        right: newGraph().loop(tool("turn"), { id: "twice", until: ({ iteration }) => iteration === 2 }),
        third: tool("c"),
      },
    })
    .if(() => false, { id: "maybe" })
    .then(tool("never"))
    .else()
    .then(
      subgraphNode({
        id: "inner",
        graph: newGraph("inner")
          .start([tool("x"), tool("y")])
          .toGraph(),
      }),
    )
    .endif()
    .then(
      toolNode({
        id: "shaky",
        retry: { maxAttempts: 2, backoffMs: 1 },
        run: () => {
          failures += 1;
          if (failures % 2 === 1) throw new Error("once");
        },
      }),
    )
    .then(
      toolNode({
        id: "broken",
        run: () => {
          throw new Error("always");
        },
        onError: tool("mended"),
      }),
    )
    .then(
      newGraph()
        .start(
          toolNode({
            id: "caught",
            run: () => {
              throw new Error("caught");
            },
          }),
        )
        .catch(tool("handler")),
    )
    .then(tool("last"));

async function journalOf(): Promise<JournalEntry[]> {
  await using project = await tmpProject({ git: false });
  expect(await begin(project, everything())).toMatchObject({ kind: "done" });
  const engine = embeddedEngine(project.path(".atomic/runs"), { interpret: async () => null });
  const entries: JournalEntry[] = [];
  for await (const entry of engine.journal("calm-otter")) entries.push(entry);
  return entries;
}

/** Every view that you would get while watching. */
function* moments(entries: readonly JournalEntry[]): Generator<{ view: RunView; entry: JournalEntry }> {
  const viewer = new RunViewer();
  for (const entry of entries) {
    viewer.take(entry);
    yield { view: viewer.view!, entry };
  }
}

function* flat(nodes: readonly NodeView[]): Generator<NodeView> {
  for (const node of nodes) {
    yield node;
    yield* flat(node.inside);
  }
}

const entries = await journalOf();
const graph = (entries[0]!.event as { graph?: unknown }).graph as GraphJson;

test("no frame has too long a line or too many lines", () => {
  for (const { view } of moments(entries)) {
    for (const [columns, rows] of [
      [12, 4],
      [40, 8],
      [80, 24],
      [300, 100],
    ] as const) {
      const lines = progressLines(graph, view, { columns, rows, colour: false, now: view.state.updatedAt });
      expect(lines.length).toBeLessThan(rows);
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    }
  }
});

test("a finished node stays finished, and at the end every node is finished", () => {
  const over: readonly NodeStatus[] = ["done", "dropped"];
  const known = new Map<string, NodeStatus>();
  let last: readonly NodeView[] = [];
  for (const { view } of moments(entries)) {
    last = nodeViews(graph, view);
    for (const { path, status } of flat(last)) {
      const before = known.get(path);
      if (before !== undefined && over.includes(before)) expect({ path, status }).toEqual({ path, status: before });
      known.set(path, status);
    }
  }
  expect(last.map(({ name, status }) => `${name} ${status}`)).toEqual([
    "first done",
    "fan done",
    "maybe done",
    "shaky done",
    "broken done",
    "try done",
    "last done",
  ]);
});

test("in a sequence of nodes, only one runs at a time", () => {
  for (const { view } of moments(entries)) {
    const busy = nodeViews(graph, view).filter(({ status }) => status !== "done" && status !== "pending");
    expect(busy.length).toBeLessThanOrEqual(1);
  }
});

test("a node's cost includes everything inside it", () => {
  const view = [...moments(entries)].at(-1)!.view;
  const fan = nodeViews(graph, view).find(({ name }) => name === "fan");
  expect(fan?.cost).toEqual({ usd: 0.02, tokens: 1234 });
  expect(view.state.spent).toMatchObject({ usd: 0.02, tokens: 1234 });
});

test("a log names every node that did something, and no helper", () => {
  const kinds = kindsOf(graph as never);
  const log = [...moments(entries)].map(({ view, entry }) => eventLines(entry.event, view, kinds, { colour: false }));
  const text = log.join("");
  for (const id of [
    "first",
    "fan.0/a",
    "fan.0/b",
    "fan.1/twice#2/turn",
    "fan.2/c",
    "maybe",
    "maybe.1/inner/y",
    "shaky",
  ]) {
    expect(text).toContain(`✓ ${id}`);
  }
  expect(text).toContain("↻ shaky failed: once");
  expect(text).toContain("✗ broken failed: always");
  expect(text).not.toContain(":session");
});

test("a timeline's rows are ordered by start time", () => {
  const view = [...moments(entries)].at(-1)!.view;
  const rows = timelineOf(entries, view);
  const times = rows.map(({ at }) => at);
  expect(times).toEqual([...times].sort((one, other) => one - other));
  const keys = rows.flatMap((row) => (row.kind === "call" ? [row.key] : []));
  expect(new Set(keys).size).toBe(keys.length);
  expect(rows.at(-1)).toMatchObject({ kind: "mark", text: "done" });
  expect(rows.find((row) => row.kind === "call" && row.key === "shaky")).toMatchObject({ attempts: 2, status: "done" });
});
