// Questions of a graph, and their answers.
import { describe, expect, test } from "bun:test";
import { askUserNode, toolNode, waitNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { last, sum } from "../../src/graph/state.ts";
import { noEntities, runGraph } from "./run-graph.ts";

describe("answers", () => {
  test("are asked for under the node's path, with the question", async () => {
    const compiled = graph({ name: "x", state: { topic: "locks", database: "" } })
      .start(
        askUserNode({
          id: "ask",
          question: ({ topic }) => `Which database for ${topic}?`,
          header: "Database",
          options: [{ label: "SQLite" }, { label: "Postgres", description: "on a server" }],
          output: (answer) => ({ database: String(answer).toLowerCase() }),
        }),
      )
      .compile(noEntities);
    const { result, events } = await runGraph(compiled, { signals: { ask: "SQLite" } });
    expect(result.state.database).toBe("sqlite");
    expect(events.find(({ type }) => type === "wait-started")).toMatchObject({
      key: "ask",
      about: {
        kind: "ask-user",
        question: "Which database for locks?",
        header: "Database",
        options: [{ label: "SQLite" }, { label: "Postgres", description: "on a server" }],
      },
    });
  });

  test("are not waited for when they are not needed", async () => {
    const compiled = graph({ name: "x", state: { yolo: true } })
      .start(waitNode({ id: "a", prompt: "?", autoApprove: ({ yolo }) => yolo }))
      .then(waitNode({ id: "b", prompt: "?", autoApprove: true, fallback: false }))
      .compile(noEntities);
    const { result, events } = await runGraph(compiled);
    expect(result.outputs).toEqual({ a: true, b: false });
    expect(events.filter(({ type }) => type === "wait-started")).toEqual([]);
  });

  test("that do not come in time become the fallback, or a failure that can be handled", async () => {
    const compiled = graph({ name: "x" })
      .start(waitNode({ id: "a", prompt: "?", timeoutMs: 1, fallback: false }))
      .then(waitNode({ id: "b", prompt: "?", timeoutMs: 1, onError: "continue" }))
      .then(toolNode({ id: "c", run: ({ error }) => `${error?.name}: ${error?.message}` }))
      .compile(noEntities);
    expect((await runGraph(compiled)).result.outputs).toEqual({
      a: false,
      c: "WaitTimeoutError: no response within 1 ms",
    });
  });

  test("that are not answers are asked for again, with the reason", async () => {
    const databases = [{ label: "SQLite" }, { label: "Postgres" }];
    const compiled = graph({ name: "x", state: { go: last(false) } })
      .start(waitNode({ id: "go", prompt: "Go on?", into: "go" }))
      .then(askUserNode({ id: "which", question: "Which?", options: databases }))
      .then(askUserNode({ id: "all", question: "All?", options: databases, multiple: true }))
      .then(askUserNode({ id: "name", question: "Its name?" }))
      .compile(noEntities);
    const { result, events } = await runGraph(compiled, {
      signals: {
        ...{ go: "please wait, I found a bug", "go?2": { sure: true }, "go?3": "Yes." },
        ...{ which: "MySQL", "which?2": "SQLite", all: "SQLite", "all?2": ["SQLite"], name: 7, "name?2": "seven" },
      },
    });
    expect(result.outputs).toEqual({ go: true, which: "SQLite", all: ["SQLite"], name: "seven" });
    expect(result.state).toEqual({ go: true });
    const again = events.flatMap((event) => (event.type === "wait-started" ? [event.about] : []));
    expect(again).toMatchObject([
      { kind: "wait", question: "Go on?" },
      { question: "Go on?", problem: '"please wait, I found a bug" is neither yes nor no.' },
      { question: "Go on?", problem: '{"sure":true} is neither yes nor no.' },
      { question: "Which?" },
      { question: "Which?", problem: '"MySQL" is not one of SQLite, Postgres.' },
      { question: "All?" },
      { question: "All?", problem: '"SQLite" is not an array of SQLite, Postgres.' },
      { question: "Its name?" },
      { question: "Its name?", problem: "7 is not text." },
    ]);
  });

  test("that do not fit the state fail in the node, not in the interpreter", async () => {
    const compiled = graph({ name: "x", state: { total: sum() } })
      // @ts-expect-error text does not fit a sum
      .start(askUserNode({ id: "a", question: "How many?", into: "total" }))
      .compile(noEntities);
    const { status } = await runGraph(compiled, { signals: { a: "three" } });
    expect(status).toMatchObject({ kind: "failed", error: { key: "a:result" } });
  });
});
