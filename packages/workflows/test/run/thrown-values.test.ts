// Whatever a step, a branch or the program throws is a failure like any other, live and after a crash, in every engine.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import type { Json } from "../../src/run/json.ts";
import { PermanentError, RateLimitError, type StepFailedError } from "../../src/run/step-errors.ts";
import { bothEngines, endOf, type Program } from "./both-engines.ts";

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder("odd-");
});
afterAll(() => folder[Symbol.asyncDispose]());

const circle: Record<string, unknown> = {};
circle.self = circle;

const hostile = new Proxy(new Error("hidden"), {
  get: () => {
    throw new Error("do not look at me");
  },
});

/** What is thrown, and what is known of it. */
const odd: [string, () => unknown, object][] = [
  ["an object without a prototype", () => Object.create(null), { name: "Error", message: "{}" }],
  ["a plain object", () => ({ status: 429 }), { name: "Error", message: '{"status":429}' }],
  ["a circle", () => circle, { name: "Error", message: "[object Object]" }],
  ["nothing", () => undefined, { name: "Error", message: "undefined" }],
  ["a symbol", () => Symbol("odd"), { name: "Error", message: "Symbol(odd)" }],
  [
    "an error without a message",
    () => Object.assign(new Error("x"), { message: undefined }),
    { name: "Error", message: "undefined" },
  ],
  [
    "an error whose message is an object",
    () => Object.assign(new Error("x"), { message: { a: 1 } }),
    { name: "Error", message: '{"a":1}' },
  ],
  [
    "an error whose name is a number",
    () => Object.assign(new Error("x"), { name: 5 }),
    { name: "Error", message: "x" },
  ],
  ["an error that cannot be looked at", () => hostile, { name: "Error", message: expect.any(String) }],
  [
    "details that are a circle",
    () => new PermanentError("x", { details: circle as Json }),
    { name: "PermanentError", message: expect.stringMatching(/^x \(details omitted: .+\)$/) },
  ],
  [
    "details that are not JSON",
    () => new PermanentError("x", { details: 1n as never }),
    { name: "PermanentError", message: expect.stringMatching(/^x \(details omitted: .+\)$/) },
  ],
  [
    "details of a megabyte",
    () => new PermanentError("x", { details: "y".repeat(1e6) }),
    { message: "x (details omitted: 1000002 bytes, but a record can hold at most 16384)" },
  ],
  [
    "details that JSON changes",
    () => new PermanentError("x", { details: [-0, undefined as never] }),
    { details: [0, null] },
  ],
  [
    "a code without an end",
    () => new PermanentError("x", { code: "c".repeat(9000) }),
    { code: expect.stringMatching(/^c{200} …$/) },
  ],
];

describe.each(bothEngines)("%s,", (_engine, newPlace) => {
  test.each(odd)("a step that throws %s is tried again, fails, and is handled", async (_name, make, expected) => {
    const engineOf = newPlace(folder.path);
    let tries = 0;
    const errors: unknown[] = [];
    const program =
      (isOver: boolean): Program =>
      async (ctx) => {
        try {
          await ctx.step(
            "odd",
            async () => {
              tries += 1;
              throw make();
            },
            { retries: 2, backoff: { ms: 0 } },
          );
        } catch (error) {
          errors.push((error as StepFailedError).error);
        }
        if (!isOver) await ctx.wait("for the next process");
        return "handled";
      };
    const first = engineOf(program(false));
    await first.start({ runId: "run", graph: null, input: null });
    const run = await first.run("run");
    for await (const event of run) if (event.type === "wait-started") break;
    await run.release();
    await first.signal("run", "for the next process", null);
    const permanent = make() instanceof PermanentError;
    expect(tries).toBe(permanent ? 1 : 3);
    expect(await endOf(engineOf(program(false)))).toMatchObject({ kind: "done", result: { value: "handled" } });
    expect(tries).toBe(permanent ? 1 : 3);
    expect(errors).toEqual([expect.objectContaining(expected), errors[0]]);
  });

  test.each(odd)("a program that throws %s has failed", async (_name, make, { message }: { message?: unknown }) => {
    const engineOf = newPlace(folder.path);
    const status = await endOf(engineOf(async () => await Promise.reject(make())));
    expect(status).toMatchObject({ kind: "failed", error: { message: message ?? "x" } });
  });

  test.each(odd)("a branch that throws %s has failed", async (_name, make, { message }: { message?: unknown }) => {
    const engineOf = newPlace(folder.path);
    const program: Program = async (ctx) => await ctx.fork("fan", [() => Promise.reject(make())], "settled");
    const status = await endOf(engineOf(program));
    expect(status).toMatchObject({
      kind: "done",
      result: { value: [{ ok: false, error: { message: message ?? "x" } }] },
    });
  });

  test("a result whose toJSON throws null fails the step", async () => {
    const engineOf = newPlace(folder.path);
    const bad = {
      toJSON: () => {
        throw null;
      },
    };
    const status = await endOf(engineOf(async (ctx) => await ctx.step("odd", () => bad as never)));
    expect(status).toMatchObject({
      kind: "failed",
      error: { code: "not-json", message: expect.stringContaining("null") },
    });
  });

  test("a question that is not JSON is refused, and the journal stays intact", async () => {
    const engineOf = newPlace(folder.path);
    const status = await endOf(engineOf(async (ctx) => (await ctx.wait("odd", { about: circle as Json })).ok));
    expect(status).toMatchObject({ kind: "failed", error: { code: "not-json" } });
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])(
    "a provider that asks for a pause of %p gets the shortest",
    async (ms) => {
      const engineOf = newPlace(folder.path);
      let tries = 0;
      const engine = engineOf(async (ctx) => {
        return await ctx.step("limited", () => {
          tries += 1;
          if (tries === 1) throw new RateLimitError("slow down", { retryAfterMs: ms });
          return "done";
        });
      });
      await engine.start({ runId: "run", graph: null, input: null });
      const run = await engine.run("run");
      for await (const event of run) {
        if (event.type !== "run-paused") continue;
        expect(event).toMatchObject({ ms: 1000, until: event.at + 1000 });
        break;
      }
      await run.release();
    },
  );
});
