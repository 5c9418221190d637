// `run` from the front door: what a program of a user's gets, on real files.
import { expect, test } from "bun:test";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import { scriptedHost } from "../src/hosts/scripted.ts";
import {
  agentNode,
  askUserNode,
  graph,
  type OpenQuestion,
  run,
  StepFailedError,
  toolNode,
  waitNode,
} from "../src/index.ts";

const greeting = graph({ name: "hello" })
  .start(agentNode({ id: "greet", prompt: ({ input }) => `Greet ${input}.` }))
  .end();

const host = scriptedHost({ script: ({ prompt }) => `Ahoy! (${prompt})` });

async function inFolder(act: (folder: TemporaryFolder) => Promise<void>): Promise<void> {
  await using folder = await temporaryFolder();
  await act(folder);
}

test("a graph runs to its end and returns its outputs", () =>
  inFolder(async ({ path: folder }) => {
    const events: string[] = [];
    const onEvent = (event: { readonly type: string }): unknown => events.push(event.type);
    const { runId, outputs } = await run(greeting, { host, input: "the crew", folder, onEvent });
    expect(outputs).toEqual({ greet: "Ahoy! (Greet the crew.)" });
    expect(runId).toMatch(/^[a-z]+-[a-z]+$/);
    expect(events).toContain("run-ended");
    expect(await Bun.file(`${folder}/.atomic/runs/.gitignore`).text()).toBe("*\n");
  }));

test("the same id gives the same result without doing the work again", () =>
  inFolder(async ({ path: folder }) => {
    let count = 0;
    const counting = graph({ name: "count" })
      .start(toolNode({ id: "count", run: () => ++count }))
      .end();
    const once = await run(counting, { host, folder, runId: "nightly" });
    const again = await run(counting, { host, folder, runId: "nightly" });
    expect([once.outputs, again.outputs, count]).toEqual([{ count: 1 }, { count: 1 }, 1]);
  }));

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

test("a failed node rejects with its error, and so does the same id later", () =>
  inFolder(async ({ path: folder }) => {
    const failing = graph({ name: "fail" })
      .start(
        toolNode({
          id: "deploy",
          retry: { maxAttempts: 1 },
          run: () => {
            throw new Error("no disk");
          },
        }),
      )
      .end();
    for (const _time of [1, 2]) {
      const error = await run(failing, { host, folder, runId: "fails" }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(StepFailedError);
      expect((error as Error).message).toContain("deploy failed: no disk");
    }
  }));

test("a used-up budget stops the run and says how to continue", () =>
  inFolder(async ({ path: folder }) => {
    const two = graph({ name: "two" })
      .start(toolNode({ id: "one", run: () => 1 }))
      .then(toolNode({ id: "two", run: () => 2 }))
      .end();
    const error = await run(two, { host, folder, runId: "short", budget: { steps: 1 } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      code: "run-stopped",
      exitCode: 5,
      hint: expect.stringContaining("atomic resume short"),
    });
  }));

test("all unknown names are reported before anything starts", () =>
  inFolder(async ({ path: folder }) => {
    const unknown = graph({ name: "unknown" })
      .start(agentNode({ agent: "nobody", prompt: "Hi" }))
      .end();
    expect(run(unknown, { host, folder })).rejects.toThrow('Agent not found: "nobody"');
    expect(await Bun.file(`${folder}/.atomic/runs/.gitignore`).exists()).toBe(false);
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
