import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import { deferred } from "@atomic/testing/waiting";
import { embeddedEngine } from "../../src/run/embedded/embedded-engine.ts";
import { fileStore } from "../../src/run/embedded/file-store.ts";
import type { LocalEngine } from "../../src/run/engine.ts";
import type { JournalEntry } from "../../src/run/events.ts";
import type { Json } from "../../src/run/json.ts";
import type { EngineOptions } from "../../src/run/local-engine.ts";
import type { RunCtx } from "../../src/run/run-ctx.ts";

let folder: TemporaryFolder;
let runs: string;
let count = 0;

beforeAll(async () => {
  folder = await temporaryFolder("embedded-");
});
afterAll(() => folder[Symbol.asyncDispose]());
beforeEach(() => {
  runs = join(folder.path, `runs-${++count}`);
});

function engineOf(program: (ctx: RunCtx) => Promise<Json>, options: Partial<EngineOptions> = {}): LocalEngine {
  return embeddedEngine(runs, { interpret: program, ...options });
}

async function started(
  program: (ctx: RunCtx) => Promise<Json>,
  options: Partial<EngineOptions> = {},
): Promise<LocalEngine> {
  const engine = engineOf(program, options);
  await engine.start({ runId: "run", graph: null, input: null });
  return engine;
}

const done = async (): Promise<Json> => "done";

function lines(name = "journal.jsonl"): string[] {
  return fs
    .readFileSync(join(runs, "run", name), "utf8")
    .split("\n")
    .slice(0, -1);
}

describe("a journal", () => {
  test("is one line of JSON for each thing that happened", async () => {
    const engine = await started(async (ctx) => {
      await ctx.step("plan", (info) => {
        info.spend({ usd: 0.5 });
        return { files: 3 };
      });
      return await ctx.wait("approve").then(() => "shipped");
    });
    await engine.signal("run", "approve", true);
    await (await engine.run("run")).ended;
    const events = lines().map((line) => (JSON.parse(line) as { event: { type: string; key?: string } }).event);
    expect(events.map(({ type, key }) => (key === undefined ? type : `${type} ${key}`))).toEqual([
      "run-created",
      "signal-received approve",
      "run-claimed",
      "step-started plan",
      "usage plan",
      "step-finished plan",
      "wait-started approve",
      "wait-ended approve",
      "run-ended",
    ]);
    expect(lines("inbox.jsonl")).toHaveLength(1);
  });

  test("records that a step started before the step does anything", async () => {
    const seen: string[] = [];
    const engine = await started(async (ctx) => {
      return await ctx.step("work", () => {
        seen.push(...lines());
        return null;
      });
    });
    await (await engine.run("run")).ended;
    expect(seen.at(-1)).toContain('"type":"step-started","key":"work"');
  });

  test("with durability turn has the same records, in fewer writes", async () => {
    const engine = await started(
      async (ctx) => {
        for (let turn = 0; turn < 3000; turn++) await ctx.step(`L#${turn}`, () => turn);
        return "done";
      },
      { durability: "turn" },
    );
    expect(await (await engine.run("run")).ended).toMatchObject({ kind: "done" });
    expect(lines()).toHaveLength(2 + 6000 + 1);
    expect(await (await engine.run("run")).ended).toMatchObject({ kind: "done" });
  });
});

test("a second signal with the same key leaves no trace", async () => {
  const engine = await started(done);
  expect(await engine.signal("run", "approve", "yes")).toBe("kept");
  expect(await engineOf(done).signal("run", "approve", "no")).toBe("ignored");
  expect(lines("inbox.jsonl")).toHaveLength(1);
});

describe("the owner of a run", () => {
  test("is alone: the next process is refused and learns which one holds it", async () => {
    const gate = deferred();
    const engine = await started(async (ctx) => await ctx.step("long", () => gate.promise.then(() => null)));
    const run = await engine.run("run");
    const refused = engineOf(done).run("run");
    await expect(refused).rejects.toMatchObject({
      code: "run-held",
      message: expect.stringMatching(new RegExp(`pid ${process.pid}.*running run`)),
    });
    gate.resolve();
    await run.ended;
    expect(await (await engineOf(done).run("run")).ended).toMatchObject({ kind: "done" });
  });

  test("writes nothing more and starts no step once it has lost its journal", async () => {
    const begun: string[] = [];
    const gate = deferred();
    const engine = await started(async (ctx) => {
      await ctx.step("one", () => gate.promise.then(() => null));
      return await ctx.step("two", () => {
        begun.push("two");
        return null;
      });
    });
    const run = await engine.run("run");
    await until(run, "step-started");
    // As a user might who believes that no process holds the lock.
    fs.rmSync(join(runs, "run", "journal.jsonl.lock"), { recursive: true });
    gate.resolve();
    await expect(run.ended).rejects.toMatchObject({ code: "lost" });
    expect(begun).toEqual([]);
  });
});

describe("a long result", () => {
  const long = "ä".repeat(20_000);

  test("is stored next to the journal under its hash, and is the same after a resume", async () => {
    const gate = deferred();
    const seen: Json[] = [];
    const engine = await started(async (ctx) => {
      const branch = (key: string) => (own: RunCtx) => own.step(key, () => [long]);
      seen.push(...(await ctx.fork("fan", [branch("a"), branch("b")], "all")), await ctx.step("c", () => long));
      await ctx.wait("later");
      return long;
    });
    const first = await engine.run("run");
    await until(first, "wait-started");
    await first.release();
    gate.resolve();
    const run = await engine.run("run");
    await engine.signal("run", "later", null);
    const status = await run.ended;
    expect(status).toMatchObject({ kind: "done", result: { bytes: 40_002 } });
    expect(seen).toEqual([[long], [long], long, [long], [long], long]);
    // The same text, alone or in a list, is one file.
    expect(fs.readdirSync(join(runs, "run", "blobs")).filter((name) => name.endsWith(".json"))).toHaveLength(1);
    expect(Math.max(...lines().map((line) => line.length))).toBeLessThan(1000);
  });

  test("that was changed or lost stops the resume by its name", async () => {
    for (const damage of [(path: string) => fs.appendFileSync(path, " "), (path: string) => fs.rmSync(path)]) {
      runs = join(folder.path, `runs-${++count}`);
      const engine = await started(async (ctx) => {
        await ctx.step("long", () => long);
        await ctx.wait("later");
        return null;
      });
      const first = await engine.run("run");
      await until(first, "wait-started");
      await first.release();
      const blobs = join(runs, "run", "blobs");
      const [name = ""] = fs.readdirSync(blobs).filter((each) => each.endsWith(".json"));
      damage(join(blobs, name));
      const before = lines();
      await expect((await engine.run("run")).ended).rejects.toMatchObject({
        code: "damaged",
        message: expect.stringContaining(name),
      });
      expect(lines().slice(0, before.length)).toEqual(before);
    }
  });

  test("that is longer than the cap fails the step", async () => {
    const engine = await started(async (ctx) => await ctx.step("huge", () => "x".repeat(2000)), {
      limits: { inlineBytes: 100, maxBytes: 1000 },
    });
    expect(await (await engine.run("run")).ended).toMatchObject({
      kind: "failed",
      error: { code: "result-too-large", message: expect.stringContaining("2002 bytes") },
    });
  });
});

describe("a program that is not the one that wrote the journal", () => {
  const sleeps = async (ctx: RunCtx): Promise<Json> => {
    await ctx.sleep("a", 1);
    return null;
  };
  const forks = async (ctx: RunCtx): Promise<Json> => {
    await ctx.step("a", () => 1);
    return await ctx.fork("f", [], "all");
  };
  const repeats = async (ctx: RunCtx): Promise<Json> => {
    await ctx.step("a", () => 1);
    return await ctx.step("a", () => 1);
  };
  test.each<[string, (ctx: RunCtx) => Promise<Json>, string]>([
    ["asks for another kind of call", sleeps, "diverged"],
    ["forks in another way", forks, "diverged"],
    ["uses a key twice", repeats, "key-repeated"],
    ["has no name for its key", async (ctx) => await ctx.step("", () => 1), "bad-request"],
  ])("and that %s is stopped before it does harm", async (_what, program, code) => {
    const engine = await started(async (ctx) => {
      await ctx.step("a", () => 1);
      return await ctx.fork("f", [async (own) => ((await own.wait("w")).ok ? 1 : 0)], "all");
    });
    const first = await engine.run("run");
    await until(first, "wait-started");
    await first.release();
    await expect((await engineOf(program).run("run")).ended).rejects.toMatchObject({ code });
    // The right one can still resume it.
    const run = await engine.run("run");
    await engine.signal("run", "w", null);
    expect(await run.ended).toMatchObject({ kind: "done" });
  });

  test("from another version does not touch it", async () => {
    await started(done);
    const before = lines();
    await expect(engineOf(done, { interpreter: "2" }).run("run")).rejects.toMatchObject({ code: "other-version" });
    expect(lines()).toEqual(before);
  });

  test("from another version ends it if it is to be cancelled", async () => {
    await started(done);
    // As if its process had ended right after the request was written.
    await fileStore(runs).post("run", { type: "cancel", at: 1 });
    const { ended } = await engineOf(done, { interpreter: "2" }).run("run");
    expect((await ended).kind).toBe("cancelled");
  });
});

describe("a cancellation that came as the run failed", () => {
  test.each(["reopen", "revise"] as const)("does not cancel it again after %s", async (way) => {
    const engine = await started(async () => {
      throw new Error("broken");
    });
    expect((await (await engine.run("run")).ended).kind).toBe("failed");
    await fileStore(runs).post("run", { type: "cancel", at: 1 });
    const again = engineOf(done);
    if (way === "reopen") await again.reopen("run");
    else await again.revise("run", { workspace: null, restart: { graph: null, from: "", keep: [] } });
    const run = await again.run("run");
    expect((await run.ended).kind).toBe("done");
  });
});

describe("requests about runs", () => {
  test("that do not exist are reported as such", async () => {
    const engine = engineOf(done);
    for (const ask of [
      () => engine.status("nobody"),
      () => engine.run("nobody"),
      () => engine.signal("nobody", "k", 1),
      () => engine.cancel("nobody"),
      () => engine.raise("nobody", { usd: 1 }),
      () => engine.reopen("nobody"),
    ]) {
      await expect(ask()).rejects.toMatchObject({ code: "run-not-found" });
    }
    expect(fs.existsSync(runs)).toBe(false);
  });

  test.each(["../x", "a/b", "", "con", "UPPER", "constructor", `${"x".repeat(65)}`])(
    "%j is not a run id",
    async (runId) => {
      const engine = engineOf(done);
      await expect(engine.start({ runId, graph: null, input: null })).rejects.toMatchObject({ code: "bad-request" });
      await expect(engine.status(runId)).rejects.toMatchObject({ code: "bad-request" });
    },
  );
});

/** Waits for the first event of a kind. */
async function until(run: AsyncIterable<{ type: string }>, type: JournalEntry["event"]["type"]): Promise<void> {
  for await (const event of run) if (event.type === type) return;
  throw new Error(`The run ended before a ${type}.`);
}
