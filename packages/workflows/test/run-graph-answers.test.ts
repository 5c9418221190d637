// The questions of a graph that a program runs.
import { expect, test } from "bun:test";
import { askUserNode, graph, type OpenQuestion, parallelNode, run, toolNode, waitNode } from "../src/index.ts";
import { embeddedEngine } from "../src/run/embedded/embedded-engine.ts";
import { runsFolder } from "../src/run/embedded/runs-folder.ts";
import { host, inFolder } from "./greeting.ts";

test("questions are answered one after the other, also those that were open before a restart", () =>
  inFolder(async ({ path: folder }) => {
    const asking = graph({ name: "ask" })
      .start(waitNode({ id: "ready", prompt: "Ready?" }))
      .then(askUserNode({ id: "colour", question: "Which colour?", options: [{ label: "red" }, { label: "blue" }] }))
      .end();
    const leaving = new AbortController();
    const leave = (event: { readonly type: string }): void => {
      if (event.type === "wait-started") leaving.abort();
    };
    const first = run(asking, { host, folder, runId: "asks", signal: leaving.signal, onEvent: leave });
    expect(first).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
    await first.catch(() => undefined);

    const asked: unknown[] = [];
    const answer = ({ key, about }: OpenQuestion): string | boolean => {
      asked.push([key, (about as { question?: string }).question ?? about]);
      return key === "ready" ? true : "blue";
    };
    const { outputs } = await run(asking, { host, folder, runId: "asks", answer });
    expect(outputs).toMatchObject({ ready: true, colour: "blue" });
    expect(asked).toHaveLength(2);
  }));

test("an answer that throws leaves the run to be resumed", () =>
  inFolder(async ({ path: folder }) => {
    const asking = graph({ name: "ask" })
      .start(waitNode({ id: "ready", prompt: "Ready?" }))
      .end();
    const refuse = (): never => {
      throw new Error("not now");
    };
    expect(run(asking, { host, folder, runId: "later", answer: refuse })).rejects.toThrow("not now");
    const { outputs } = await run(asking, { host, folder, runId: "later", answer: () => true });
    expect(outputs).toEqual({ ready: true });
  }));

test("an answer that comes after its question was closed is ignored, and its signal is aborted", () =>
  inFolder(async ({ path: folder }) => {
    const closed = Promise.withResolvers<void>();
    const question = askUserNode({ id: "sure", question: "Sure?", timeoutMs: 1, fallback: "fell back" });
    const timed = graph({ name: "timed" }).start(question).end();
    const late = graph({ name: "late" })
      .start(question)
      .then(toolNode({ id: "more", run: () => closed.promise.then(() => "more") }))
      .end();
    const raced = graph({ name: "raced" })
      .start(
        parallelNode({
          id: "both",
          strategy: "race",
          branches: {
            ask: waitNode({ id: "sure", prompt: "Sure?" }),
            work: toolNode({ id: "work", run: () => "won" }),
          },
        }),
      )
      .end();
    const onClose = async (_question: OpenQuestion, signal: AbortSignal): Promise<boolean> => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      closed.resolve();
      return true;
    };
    const never = (): Promise<never> => new Promise(() => undefined);
    for (const answer of [onClose, never]) {
      expect((await run(late, { host, folder, answer })).outputs).toEqual({ sure: "fell back", more: "more" });
      expect((await run(timed, { host, folder, answer })).outputs).toEqual({ sure: "fell back" });
      expect((await run(raced, { host, folder, answer })).outputs).toMatchObject({ work: "won" });
    }
  }));

test("an answer from another process counts while `answer` is pending", () =>
  inFolder(async ({ path: folder }) => {
    const asking = graph({ name: "ask" })
      .start(askUserNode({ id: "ready", question: "Ready?" }))
      .then(askUserNode({ id: "steady", question: "Steady?" }))
      .end();
    const other = embeddedEngine(runsFolder(folder), { interpret: async () => null });
    const answer = async ({ key }: OpenQuestion): Promise<string> => {
      if (key === "steady") return "from here";
      await other.signal("shared", key, "from there");
      return await new Promise<never>(() => undefined);
    };
    const { outputs } = await run(asking, { host, folder, runId: "shared", answer });
    expect(outputs).toEqual({ ready: "from there", steady: "from here" });
  }));

test("a yes/no question takes only a yes or a no, and can be answered again", () =>
  inFolder(async ({ path: folder }) => {
    const asking = graph({ name: "ask" })
      .start(waitNode({ id: "ready", prompt: "Ready?" }))
      .end();
    const refused = await run(asking, { host, folder, runId: "strict", answer: () => "cancel" }).catch(
      (e: unknown) => e,
    );
    expect(refused).toMatchObject({
      code: "bad-request",
      message: 'The answer to ready is not valid: "cancel" is neither yes nor no.',
      hint: "Answer true or false; askUserNode takes text.",
    });
    const { outputs } = await run(asking, { host, folder, runId: "strict", answer: () => "No." });
    expect(outputs).toEqual({ ready: false });
  }));

test("an aborted run does not wait for an answer", () =>
  inFolder(async ({ path: folder }) => {
    const asking = graph({ name: "ask" })
      .start(waitNode({ id: "ready", prompt: "Ready?" }))
      .end();
    const leaving = new AbortController();
    const answer = (): Promise<never> => {
      leaving.abort(new Error("closing time"));
      return new Promise(() => undefined);
    };
    const error = await run(asking, { host, folder, answer, signal: leaving.signal }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBe(leaving.signal.reason);
    expect(run(asking, { host, folder, runId: "none", signal: leaving.signal })).rejects.toThrow("closing time");
  }));

test("an answer that is not one of the options is refused", () =>
  inFolder(async ({ path: folder }) => {
    const options = [{ label: "red" }, { label: "blue" }];
    const one = graph({ name: "one" })
      .start(askUserNode({ id: "colour", question: "Which?", options }))
      .end();
    const many = graph({ name: "many" })
      .start(askUserNode({ id: "colour", question: "Which?", options, multiple: true }))
      .end();
    for (const [asking, wrong, right] of [
      [one, "green", "blue"],
      [one, ["red"], "red"],
      [many, "red", ["red", "blue"]],
      [many, ["red", "green"], []],
    ] as const) {
      const runId = `asks-${JSON.stringify(wrong).replace(/\W/g, "")}-${String(asking === one)}`;
      const error = await run(asking, { host, folder, runId, answer: () => wrong }).catch((e: unknown) => e);
      expect(error).toMatchObject({ code: "bad-request", at: runId });
      expect((error as Error).message).toContain(`${JSON.stringify(wrong)} is not `);
      const { outputs } = await run(asking, { host, folder, runId, answer: () => right });
      expect<object>(outputs).toEqual({ colour: right });
    }
  }));
