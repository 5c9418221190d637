// Whatever happens to the bytes of a journal, a resume comes to the right end or refuses, naming the record.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import { embeddedEngine } from "../../src/run/embedded/embedded-engine.ts";
import type { LocalEngine } from "../../src/run/engine.ts";
import type { RunCtx } from "../../src/run/run-ctx.ts";

setDefaultTimeout(600_000);

const isFull = process.env.SWEEP === "full";
const outcome = ["one", ["left", "right"], "yes", "last"];

/** Effects with their idempotency keys: what counts is how many there are of each. */
const effects = new Set<string>();

async function program(ctx: RunCtx) {
  const step = (own: RunCtx, key: string, value: string): Promise<string> =>
    own.step(key, ({ idemKey }) => {
      effects.add(idemKey);
      return value;
    });
  const one = await step(ctx, "one", "one");
  const both = await ctx.fork(
    "fan",
    [(own) => step(own, "fan.0/l", "left"), (own) => step(own, "fan.1/r", "right")],
    "all",
  );
  const answer = await ctx.wait("approve", { timeoutMs: 24 * 3600_000 });
  return [one, both, answer.ok ? answer.value : null, await step(ctx, "last", "last")];
}

let folder: TemporaryFolder;
let journal: Buffer;
let inbox: Buffer;
let count = 0;

/** A run that was killed after its approval. */
beforeAll(async () => {
  folder = await temporaryFolder("damage-");
  const engine = embeddedEngine(join(folder.path, "whole"), { interpret: program });
  await engine.start({ runId: "run", graph: [], input: null });
  await engine.signal("run", "approve", "yes");
  await (await engine.run("run")).ended;
  const bytes = fs.readFileSync(join(folder.path, "whole/run/journal.jsonl"));
  journal = bytes.subarray(0, bytes.lastIndexOf("\n", bytes.length - 2) + 1); // without its end
  inbox = fs.readFileSync(join(folder.path, "whole/run/inbox.jsonl"));
});
afterAll(() => folder[Symbol.asyncDispose]());

function withFiles(files: { journal?: Buffer; inbox?: Buffer }): LocalEngine {
  const place = join(folder.path, `copy-${++count}`);
  fs.mkdirSync(join(place, "run"), { recursive: true });
  fs.writeFileSync(join(place, "run/journal.jsonl"), files.journal ?? journal);
  fs.writeFileSync(join(place, "run/inbox.jsonl"), files.inbox ?? inbox);
  return embeddedEngine(place, { interpret: program });
}

/** "right", or the refusal. */
async function resume(files: { journal?: Buffer; inbox?: Buffer }): Promise<string> {
  effects.clear();
  const engine = withFiles(files);
  try {
    const status = await (await engine.run("run")).ended;
    if (status.kind !== "done") return JSON.stringify(status);
    return JSON.stringify(status.result) === JSON.stringify({ value: outcome }) ? "right" : JSON.stringify(status);
  } catch (error) {
    return (error as Error).message;
  } finally {
    fs.rmSync(join(folder.path, `copy-${count}`), { recursive: true });
  }
}

/** The number of the record that a byte belongs to. */
function recordAt(bytes: Buffer, at: number): number {
  return bytes.subarray(0, at).filter((byte) => byte === 0x0a).length + 1;
}

const places = (bytes: Buffer, everyday: number): number[] =>
  Array.from({ length: bytes.length }, (_, at) => at).filter((at) => isFull || at % everyday === 0);

describe("a journal", () => {
  test("cut off anywhere is resumed from what is left", async () => {
    const firstRecord = journal.indexOf("\n");
    for (const at of places(journal, 23)) {
      const said = await resume({ journal: journal.subarray(0, at) });
      if (at > firstRecord) expect(said, `cut off at byte ${at}`).toBe("right");
      else if (at > 0) expect(said, `cut off at byte ${at}`).toMatch(/^Record 1 of the journal .* is incomplete/);
      else expect(said, "cut off at its beginning").toMatch(/^There is no run run/);
    }
  });

  test("cut off inside its first record is refused and left alone until it is started again", async () => {
    const first = journal.subarray(0, 40);
    const engine = withFiles({ journal: first, inbox: Buffer.alloc(0) });
    const path = join(folder.path, `copy-${count}`, "run/journal.jsonl");
    for (const ask of ["status", "state", "run", "reopen"] as const) {
      await expect(engine[ask]("run")).rejects.toMatchObject({
        code: "damaged",
        at: `${path}:1`,
        message: expect.stringMatching(/^Record 1 of the journal .* is incomplete/),
        hint: expect.stringContaining("Start it again"),
      });
    }
    expect(await engine.list()).toMatchObject([
      { status: { kind: "damaged", reason: expect.stringContaining("Record 1 of the journal") } },
    ]);
    expect(fs.readFileSync(path)).toEqual(Buffer.from(first));
    await engine.start({ runId: "run", graph: [], input: null });
    await engine.signal("run", "approve", "yes");
    expect(await (await engine.run("run")).ended).toMatchObject({ kind: "done" });
  });

  test("with any bit flipped is refused with the record's number, or nothing was lost", async () => {
    for (const at of places(journal, 17)) {
      const bytes = Buffer.from(journal);
      bytes[at]! ^= 1 << (at % 8);
      const said = await resume({ journal: bytes });
      const record = recordAt(journal, at);
      // A line break that is gone joins two lines: either of them may be the one that is named.
      const isNamed = said.startsWith(`Record ${record} of the journal`);
      const isTornTail = said === "right" && record === recordAt(journal, journal.length - 2);
      expect(isNamed || isTornTail, `byte ${at}, record ${record}: ${said}`).toBe(true);
    }
  });

  test("with any number of its last records repeated is refused", async () => {
    const lines = journal.toString("utf8").split("\n").slice(0, -1);
    for (let repeated = 1; repeated <= lines.length; repeated += isFull ? 1 : 4) {
      const tail = `${lines.slice(-repeated).join("\n")}\n`;
      expect(await resume({ journal: Buffer.concat([journal, Buffer.from(tail)]) })).toStartWith(
        `Record ${lines.length + 1} of the journal`,
      );
    }
  });

  test("with a record left out, or two of them exchanged, is refused", async () => {
    const lines = journal.toString("utf8").split("\n").slice(0, -1);
    const without = lines.filter((_, index) => index !== 4);
    expect(await resume({ journal: Buffer.from(`${without.join("\n")}\n`) })).toStartWith("Record 5 of the journal");
    const exchanged = [...lines];
    [exchanged[5], exchanged[6]] = [exchanged[6]!, exchanged[5]!];
    expect(await resume({ journal: Buffer.from(`${exchanged.join("\n")}\n`) })).toStartWith("Record 6 of the journal");
  });

  test("that is a folder, or not a journal, is refused without being changed", async () => {
    const engine = withFiles({ journal: Buffer.from("# My notes\n") });
    await expect(engine.run("run")).rejects.toMatchObject({ code: "damaged" });
    expect(fs.readFileSync(join(folder.path, `copy-${count}`, "run/journal.jsonl"), "utf8")).toBe("# My notes\n");
    expect(await engine.list()).toMatchObject([{ runId: "run", status: { kind: "damaged" } }]);
  });
});

describe("an inbox", () => {
  test("with any bit flipped is refused with the record's number, or the message counts", async () => {
    for (const at of places(inbox, 5)) {
      const bytes = Buffer.from(inbox);
      bytes[at]! ^= 1 << (at % 8);
      expect(await resume({ inbox: bytes }), `byte ${at}`).toMatch(
        /^Record 1 of the (journal|inbox)|^The inbox .* has lost messages/,
      );
    }
  });

  test("that has lost what the journal has read is refused", async () => {
    expect(await resume({ inbox: Buffer.alloc(0) })).toContain(
      "has lost messages: the journal has read 1, but only 0 exist",
    );
  });

  test("with half a message at its end is as if the message had never been sent", async () => {
    const half = inbox.toString("utf8").replaceAll('"n":1', '"n":2').slice(0, 30);
    expect(await resume({ inbox: Buffer.concat([inbox, Buffer.from(half)]) })).toBe("right");
  });

  test("with something that is not a message is refused", async () => {
    const { openJournal } = await import("@atomic/durable-files/journal/journal");
    const path = join(folder.path, "odd.jsonl");
    await using odd = await openJournal(path);
    await odd.append({ type: "signal", key: "approve", value: "yes", at: 1 });
    await odd.append({ type: "gossip" });
    expect(await resume({ inbox: fs.readFileSync(path) })).toStartWith("Record 2 of the inbox");
  });
});

test("a worker that finds a damaged run reports it and continues with the others", async () => {
  const engine = withFiles({ journal: Buffer.concat([journal, journal]) });
  const place = join(folder.path, `copy-${count}`);
  expect((await engine.list()).map(({ status }) => status.kind)).toEqual(["damaged"]);
  const problems: string[] = [];
  const other = embeddedEngine(place, { interpret: program, onProblem: (runId) => problems.push(runId) });
  await other.start({ runId: "sound", graph: [], input: null });
  await other.signal("sound", "approve", "yes");
  const worker = await other.work({ concurrency: 1 });
  for await (const { event } of other.journal("sound", { follow: true })) expect(event.type).toBeString();
  await worker.stop();
  expect((await other.status("sound")).kind).toBe("done");
  expect(problems).toEqual(["run"]);
});
