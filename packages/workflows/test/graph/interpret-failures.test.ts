import { describe, expect, test } from "bun:test";
import { agentNode, toolNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { append } from "../../src/graph/state.ts";
import type { StepInfo } from "../../src/run/run-ctx.ts";
import { RateLimitError } from "../../src/run/step-errors.ts";
import { noEntities, runGraph } from "./run-graph.ts";
import { ScriptedHost } from "./scripted-host.ts";

const failing = (message: string) => () => Promise.reject(new Error(message));

describe("a node that fails", () => {
  test("is tried again, with the same idempotency key", async () => {
    const keys: string[] = [];
    const compiled = graph({ name: "x" })
      .start(
        toolNode({
          id: "t",
          run: (_state, { attempt, idemKey }) => {
            keys.push(idemKey);
            if (attempt < 3) throw new Error("not yet");
            return attempt;
          },
          retry: { maxAttempts: 3, backoffMs: 0 },
        }),
      )
      .compile(noEntities);
    expect((await runGraph(compiled)).result.outputs.t).toBe(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys).toHaveLength(3);
  });

  test("is not tried again for an error that it does not retry", async () => {
    const tried: number[] = [];
    const compiled = graph({ name: "x" })
      .start(
        toolNode({
          id: "t",
          run: (_state, { attempt }) => {
            tried.push(attempt);
            throw attempt === 1 ? new Error("busy") : new RangeError("never");
          },
          retry: { maxAttempts: 9, backoffMs: 0, retryOn: (error) => error.message === "busy" },
        }),
      )
      .compile(noEntities);
    expect((await runGraph(compiled)).status).toMatchObject({
      kind: "failed",
      error: { name: "RangeError", message: "never" },
    });
    expect(tried).toEqual([1, 2]);
  });

  test("because of a rate limit is always tried again", async () => {
    const compiled = graph({ name: "x" })
      .start(
        toolNode({
          id: "t",
          run: (_state, { attempt }) => {
            if (attempt === 1) throw new RateLimitError("slow down", { retryAfterMs: 1 });
            return attempt;
          },
          retry: { maxAttempts: 1, retryOn: () => false },
        }),
      )
      .compile(noEntities);
    expect((await runGraph(compiled)).result.outputs.t).toBe(2);
  });

  test("continues, or runs its handler, if it says so; its output is missing", async () => {
    const compiled = graph({ name: "x", state: { list: append<string>() } })
      .start([
        toolNode({ id: "a", run: failing("A"), onError: "continue", into: "list" }),
        toolNode({
          id: "b",
          run: failing("B"),
          onError: toolNode({ id: "c", run: ({ error }) => `${error?.key} ${error?.message}`, into: "list" }),
        }),
        toolNode({ id: "d", run: ({ outputs }) => Object.keys(outputs).join(), into: "list" }),
      ])
      .compile(noEntities);
    const { result, keys } = await runGraph(compiled);
    expect(result.state.list).toEqual(["b B", "c"]);
    expect(keys).toEqual(["b!/c", "d"]);
  });

  test("inside a handler makes the graph fail", async () => {
    const compiled = graph({ name: "x" })
      .start(toolNode({ id: "a", run: failing("first") }))
      .catch(toolNode({ id: "b", run: failing("second") }))
      .compile(noEntities);
    expect((await runGraph(compiled)).status).toMatchObject({
      kind: "failed",
      error: { message: "second", key: "try!/b" },
    });
  });

  test("because it is silent for too long is aborted; signs of life keep it going", async () => {
    const aborted: string[] = [];
    const host = new ScriptedHost(async ({ path }, info) => {
      if (path === "lively") {
        info.note("working");
        info.spend({ usd: 0.1 });
        return "done";
      }
      return await new Promise<string>((_resolve, reject) =>
        info.signal.addEventListener("abort", () => {
          aborted.push(path);
          reject(info.signal.reason);
        }),
      );
    });
    const compiled = graph({ name: "x" })
      .start(agentNode({ id: "lively", prompt: "x", idleTimeoutMs: 60_000 }))
      .then(agentNode({ id: "silent", prompt: "x", idleTimeoutMs: 1 }))
      .compile(noEntities);
    expect((await runGraph(compiled, { host })).status).toMatchObject({
      kind: "failed",
      error: { code: "idle-timeout" },
    });
    expect(aborted).toEqual(["silent"]);
  });

  test.each([
    [{ steps: 2 }, "2 of 2 attempts used"],
    [{ steps: 1 }, "1 of 1 attempt used"],
    [{ wallMs: 1 }, "1 ms of 1 ms of work used"],
    [{ tokens: 3 }, "4 of 3 tokens used"],
  ])("with a budget of %j for all its attempts says so", async (budget, expected) => {
    const run = async (_state: unknown, info: StepInfo) => {
      info.spend({ inputTokens: 2 });
      if ("wallMs" in budget) await new Promise(() => undefined);
      throw new Error("no");
    };
    const compiled = graph({ name: "x" })
      .start(toolNode({ id: "a", run, budget, retry: { maxAttempts: 9, backoffMs: 0 } }))
      .compile(noEntities);
    const { status } = await runGraph(compiled);
    expect(status).toMatchObject({
      kind: "failed",
      error: { code: "budget", message: expect.stringContaining(expected) },
    });
  });

  test("because it costs too much says so", async () => {
    const host = new ScriptedHost(async (_request, info) => {
      info.spend({ usd: 3 });
      return await new Promise<string>(() => undefined);
    });
    const compiled = graph({ name: "x" })
      .start(agentNode({ id: "a", prompt: "x", budget: { usd: 2 } }))
      .compile(noEntities);
    expect((await runGraph(compiled, { host })).status).toMatchObject({ kind: "failed", error: { code: "budget" } });
  });
});
