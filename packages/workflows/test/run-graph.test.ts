// `run` from the front door: what a program of a user's gets, on real files.
import { expect, test } from "bun:test";
import { type Host, HostError } from "../src/hosts/host.ts";
import { scriptedHost } from "../src/hosts/scripted.ts";
import {
  agentNode,
  type Graph,
  graph,
  mapNode,
  outputOf,
  outputsOf,
  parallelNode,
  run,
  StepFailedError,
  type StepInfo,
  toolNode,
  waitNode,
} from "../src/index.ts";
import { embeddedEngine } from "../src/run/embedded/embedded-engine.ts";
import { runsFolder } from "../src/run/embedded/runs-folder.ts";
import { greeting, host, inFolder } from "./greeting.ts";

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

test("a long result is whole, and so is what one node said, also while the run waits", () =>
  inFolder(async ({ path: folder }) => {
    const text = "long ".repeat(10_000);
    const built = graph({ name: "long" })
      .start(toolNode({ id: "say", run: () => text }))
      .wait(waitNode({ id: "wait", prompt: "Go on?" }))
      .then(toolNode({ id: "end", run: ({ outputs }) => [outputs.say] }));
    const stopping = new AbortController();
    const options = { host, folder, runId: "long" };
    const first = run(built, {
      ...options,
      signal: stopping.signal,
      onEvent: ({ type }) => type === "wait-started" && stopping.abort(),
    });
    await expect(first).rejects.toThrow("aborted");
    expect(await outputOf("long", "say", { folder })).toBe(text);
    expect(await outputOf("long", "end", { folder })).toBeUndefined();
    await expect(outputOf("long", "sya", { folder })).rejects.toThrow('has no node "sya" (did you mean "say"?)');
    const { outputs, answer } = await run(built, { ...options, answer: () => true });
    expect(outputs).toEqual({ say: text, wait: true, end: [text] });
    expect(answer).toEqual([text]);
  }));

test("what a node said for each item of a map is found by its path, or all at once", () =>
  inFolder(async ({ path: folder }) => {
    const greet = toolNode({ id: "greet", run: (state) => `hi ${(state as { one?: string }).one}` });
    const built = graph({ name: "each" }).start(mapNode({ id: "all", over: ["a", "b"], as: "one", nodes: greet }));
    await run(built, { host, folder, runId: "each" });
    await expect(outputOf("each", "greet", { folder })).rejects.toThrow('"greet" of the run each has run at 2 paths');
    expect(await outputOf("each", "all.b/greet", { folder })).toBe("hi b");
    expect(await outputsOf("each", "greet", { folder })).toEqual({ "all.a/greet": "hi a", "all.b/greet": "hi b" });
    expect(await outputsOf("each", "all", { folder })).toEqual({ all: ["hi a", "hi b"] });
  }));

test("no more prompts run at a time than it may send: 8, or as many as you say", () =>
  inFolder(async ({ path: folder }) => {
    let running = 0;
    let most = 0;
    const counting = scriptedHost({
      script: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return "ok";
      },
    });
    // Branches are not limited themselves.
    const branches = Array.from({ length: 20 }, (_, at) => agentNode({ id: `a${at}`, prompt: "x" }));
    const wide = graph({ name: "wide" }).then(parallelNode({ branches }));
    await run(wide, { host: counting, folder });
    expect(most).toBe(8);
    most = 0;
    await run(wide, { host: counting, folder, maxPrompts: 3 });
    expect(most).toBe(3);
    await expect(run(wide, { host: counting, folder, maxPrompts: 0 })).rejects.toThrow(
      "maxPrompts must be a positive whole number, not 0",
    );
  }));

test("a tool node is told which folder it works in", () =>
  inFolder(async ({ path: folder }) => {
    const looking = graph({ name: "look" })
      .start(toolNode({ id: "own", run: (_state, info) => info.folder }))
      .then(toolNode({ id: "named", tool: "where" }))
      .end();
    const tools = { where: (_args: unknown, info: StepInfo) => info.folder };
    const { outputs } = await run(looking, { host, folder, tools });
    expect(outputs).toEqual({ own: folder, named: folder });
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

test("all unknown names are reported before anything starts", () =>
  inFolder(async ({ path: folder }) => {
    const unknown = graph({ name: "unknown" })
      .start(agentNode({ agent: "nobody", prompt: "Hi" }))
      .end();
    expect(run(unknown, { host, folder })).rejects.toThrow('Agent not found: "nobody"');
    expect(await Bun.file(`${folder}/.atomic/runs/.gitignore`).exists()).toBe(false);
  }));

test("a host that you pass in is shared by several runs and stays yours", () =>
  inFolder(async ({ path: folder }) => {
    const fastEnded = Promise.withResolvers<void>();
    const inner = scriptedHost({
      script: async ({ prompt }) => {
        if (prompt === "slow") await fastEnded.promise;
        return `did ${prompt}`;
      },
    });
    let disposals = 0;
    const dispose = async (): Promise<void> => {
      disposals += 1;
      await inner.dispose();
    };
    const shared: Host = { ...inner, dispose };
    const prompting = (prompt: string): Graph =>
      graph({ name: prompt })
        .start(agentNode({ id: "do", prompt, retry: { maxAttempts: 1 } }))
        .end()
        .toGraph();
    const started = Promise.withResolvers<void>();
    const onEvent = (event: { readonly type: string; readonly key?: string }): void => {
      if (event.type === "step-started" && event.key === "do") started.resolve();
    };
    const slow = run(prompting("slow"), { host: shared, folder, onEvent });
    await started.promise;
    const fast = await run(prompting("fast"), { host: shared, folder });
    fastEnded.resolve();
    expect([fast.outputs, (await slow).outputs]).toEqual([{ do: "did fast" }, { do: "did slow" }]);
    expect(disposals).toBe(0);
  }));

test("a listener that throws leaves the run to be resumed", () =>
  inFolder(async ({ path: folder }) => {
    const asking = graph({ name: "ask" })
      .start(waitNode({ id: "ready", prompt: "Ready?" }))
      .end();
    const onEvent = (): never => {
      throw new Error("broken listener");
    };
    expect(await run(asking, { host, folder, runId: "heard", onEvent }).catch(String)).toContain("broken listener");
    const { outputs } = await run(asking, { host, folder, runId: "heard", answer: () => true });
    expect(outputs).toEqual({ ready: true });
  }));

test("declared arguments are checked as on the command line", () =>
  inFolder(async ({ path: folder }) => {
    const released = graph({
      name: "release",
      arguments: {
        version: { type: "string", required: true },
        times: { type: "number", default: 2, whole: true },
        dryRun: { type: "boolean" },
        notes: { type: "rest" },
      },
    })
      .start(toolNode({ id: "show", run: ({ input }) => JSON.stringify(input) }))
      .end();
    const refused = await run(released, { host, folder, input: { times: 1.5, versoin: "1" } as never }).catch(
      (e: unknown) => e,
    );
    expect(refused).toMatchObject({ name: "RunError", code: "bad-request" });
    expect((refused as Error).message).toStartWith("release: --times must be a whole number, not");
    expect((refused as Error).message).toContain("Did you mean --version?");
    expect((refused as Error).message).toEndWith("--version is missing.");
    expect(run(released, { host, folder } as never)).rejects.toThrow("release: --version is missing.");
    const number = run(released, { host, folder, input: { version: 1 } as never });
    expect(number).rejects.toThrow("release: --version must be text, not 1.");
    const input = { version: "--1", dryRun: true, notes: "-- two words" };
    const { outputs } = await run(released, { host, folder, input });
    expect(JSON.parse(String(outputs.show))).toEqual({ ...input, times: 2 });
  }));

test("an input can have initial values for the state beside the arguments", () =>
  inFolder(async ({ path: folder }) => {
    const built = graph({ name: "x", arguments: { version: { type: "rest" } }, state: { n: 1, words: ["a"] } }).start(
      toolNode({ id: "show", run: ({ input, n, words }) => [input.version, n, ...words] }),
    );
    const input = { version: "2", n: 5, words: undefined };
    expect((await run(built, { host, folder, input })).outputs.show).toEqual(["2", 5, "a"]);
    expect((await run(built, { host, folder, input: "3" })).outputs.show).toEqual(["3", 1, "a"]);
    expect(run(built, { host, folder, input: { m: 5 } as never })).rejects.toThrow("x: Unknown flag --m.");
  }));

test("an id that belongs to another graph or another input is refused", () =>
  inFolder(async ({ path: folder }) => {
    const other = graph({ name: "other" })
      .start(toolNode({ id: "work", run: () => 1 }))
      .end();
    await run(greeting, { host, folder, runId: "taken", input: { to: "me" } });
    expect((await run(greeting, { host, folder, runId: "taken", input: { to: "me" } })).outputs.greet).toContain(
      "Ahoy",
    );
    const error = await run(other, { host, folder, runId: "taken", input: { to: "me" } }).catch((e: unknown) => e);
    expect(error).toMatchObject({
      code: "bad-request",
      message: 'The run taken belongs to the graph "hello", not to "other"',
      hint: "Choose another runId, or leave it out for a new one.",
    });
    const changed = run(greeting, { host, folder, runId: "taken", input: { to: "you" } });
    expect(changed).rejects.toThrow("The run taken was started with another input");
    await changed.catch(() => undefined);
  }));

test("a failed step reports how often it was tried, and what to do about it", () =>
  inFolder(async ({ path: folder }) => {
    const failing = graph({ name: "fail" })
      .start(
        toolNode({
          id: "deploy",
          retry: { maxAttempts: 3, backoffMs: 1 },
          run: () => {
            throw new Error("no disk");
          },
        }),
      )
      .end();
    const error = await run(failing, { host, folder }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ attempts: 3, message: "deploy failed after 3 attempts: no disk" });
    const missing: Host = {
      ...host,
      create: async () => {
        throw new HostError("host-missing", { host: "mine", message: "mine is missing", hint: "Install mine." });
      },
    };
    expect(await run(greeting, { host: missing, folder }).catch((e: unknown) => e)).toMatchObject({
      hint: "Install mine.",
    });
  }));

test("a run records that a program started it, and a larger budget lets it continue", () =>
  inFolder(async ({ path: folder }) => {
    const two = graph({ name: "two" })
      .start(toolNode({ id: "one", run: () => 1 }))
      .then(toolNode({ id: "two", run: () => 2 }))
      .end();
    const error = await run(two, { host, folder, runId: "short", budget: { steps: 1 } }).catch((e: unknown) => e);
    expect(error).toMatchObject({
      code: "run-stopped",
      exitCode: 5,
      hint: 'Run the program again with runId "short" and a larger budget.',
    });
    const other = embeddedEngine(runsFolder(folder), { interpret: async () => null });
    expect((await other.state("short")).workspace).toEqual({ program: true, host: "scripted" });
    const { outputs } = await run(two, { host, folder, runId: "short", budget: { steps: 5 } });
    expect(outputs).toEqual({ one: 1, two: 2 });
  }));
