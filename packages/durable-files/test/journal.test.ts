import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { DurableError } from "@atomic/durable-files/errors";
import { openJournal } from "@atomic/durable-files/journal/journal";
import { readJournal } from "@atomic/durable-files/journal/read-journal";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import fc from "fast-check";
import { refusal } from "./refusal.ts";
import { tinyDisk, tinyDiskTest } from "./scenario/tiny-disk.ts";

async function emptyJournal(): Promise<AsyncDisposable & { path: string }> {
  const folder = await temporaryFolder();
  return { path: join(folder.path, "runs/1.jsonl"), [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

async function write(path: string, ...events: unknown[]): Promise<void> {
  await using journal = await openJournal(path);
  await Promise.all(events.map((event) => journal.append(event)));
}

const eventsIn = (path: string): unknown[] => readJournal(path).records.map(({ event }) => event);

test("records are read in order, and numbering continues after reopening", async () => {
  await using at = await emptyJournal();
  await write(at.path, { type: "started" }, "text", null);
  const replayed: unknown[] = [];
  await using journal = await openJournal(at.path, { replay: (record) => replayed.push(record) });
  expect(replayed).toEqual([
    { n: 1, event: { type: "started" } },
    { n: 2, event: "text" },
    { n: 3, event: null },
  ]);
  expect(journal.last).toBe(3);
  expect(await journal.append({ type: "resumed" })).toBe(4);
  expect(journal.last).toBe(4);
  expect(eventsIn(at.path)).toEqual([{ type: "started" }, "text", null, { type: "resumed" }]);
});

test("each line is readable JSON", async () => {
  await using at = await emptyJournal();
  await write(at.path, { type: "node-started", node: "review" }, { type: "node-finished" });
  const lines = fs.readFileSync(at.path, "utf8").split("\n");
  expect(lines[0]).toMatch(/^\{"n":1,"sum":"[0-9a-f]{8}","event":\{"type":"node-started","node":"review"\}\}$/);
  expect(JSON.parse(lines[1]!)).toMatchObject({ n: 2, event: { type: "node-finished" } });
  expect(lines[2]).toBe("");
});

test("any JSON value survives", async () => {
  await using at = await emptyJournal();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue({ stringUnit: "binary" }), { maxLength: 8 }), async (events) => {
      fs.rmSync(at.path, { force: true });
      const asJson = events.map((event) => JSON.parse(JSON.stringify(event)) as unknown);
      await write(at.path, ...events);
      expect(eventsIn(at.path)).toEqual(asJson);
    }),
    { numRuns: 15 },
  );
});

test("an event that is not a JSON value is refused, and the journal stays usable", async () => {
  await using at = await emptyJournal();
  await using journal = await openJournal(at.path);
  await expect(journal.append(undefined)).rejects.toThrow(TypeError);
  await expect(journal.append(1n)).rejects.toThrow(TypeError);
  expect(() => journal.appendSync(() => 1)).toThrow(TypeError);
  expect(await journal.append("fine")).toBe(1);
});

test("appendSync writes what was appended before it first", async () => {
  await using at = await emptyJournal();
  await using journal = await openJournal(at.path);
  const first = journal.append("first");
  expect(journal.appendSync("second")).toBe(2);
  expect(eventsIn(at.path)).toEqual(["first", "second"]);
  expect(await first).toBe(1);
});

test("closing writes pending appends, and later appends are refused", async () => {
  await using at = await emptyJournal();
  const journal = await openJournal(at.path);
  const last = journal.append("last");
  journal.close();
  journal.close();
  expect(await last).toBe(1);
  expect((await refusal(() => journal.append("too late"))).code).toBe("fenced");
  expect((await refusal(() => journal.appendSync("too late"))).code).toBe("fenced");
  expect(eventsIn(at.path)).toEqual(["last"]);
});

test("one hundred thousand records are read back", async () => {
  await using at = await emptyJournal();
  await write(
    at.path,
    ...Array.from({ length: 100_000 }, (_, index) => ({ type: "tick", index, text: "é".repeat(index % 90) })),
  );
  const { records, torn } = readJournal(at.path);
  expect(records).toHaveLength(100_000);
  expect(records.every(({ n, event }, index) => n === index + 1 && (event as { index: number }).index === index)).toBe(
    true,
  );
  expect(torn).toBeUndefined();
});

test("a record longer than what is read at once is read back", async () => {
  await using at = await emptyJournal();
  const long = "x".repeat(1_000_000);
  await write(at.path, "before", long, "after");
  expect(eventsIn(at.path)).toEqual(["before", long, "after"]);
});

type Reading = { records: number } | { refused: string };

/** Reads damaged bytes; what comes back has to be a true prefix or a refusal. */
function readDamaged(path: string, bytes: Uint8Array, truth: unknown[]): Reading {
  fs.writeFileSync(path, bytes);
  try {
    const { records } = readJournal(path);
    expect(records.map(({ event }) => event)).toEqual(truth.slice(0, records.length));
    return { records: records.length };
  } catch (error) {
    const { code, message } = error as DurableError;
    expect(code).toBe("damaged");
    expect(message).toMatch(/^Record \d+ of the journal .*line \d+/);
    return { refused: message };
  }
}

const truth = [{ type: "a", text: "ü" }, { type: "b", n: 1 }, [], { type: "d", __proto__x: null }, "e"];

async function damageable(): Promise<AsyncDisposable & { path: string; good: Buffer; lines: string[] }> {
  const at = await emptyJournal();
  await write(at.path, ...truth);
  const good = fs.readFileSync(at.path);
  return { ...at, good, lines: good.toString().split(/(?<=\n)/) };
}

test("every flip of an acknowledged record is refused with the record's number", async () => {
  await using at = await damageable();
  const starts = at.lines.map((_, index) => at.lines.slice(0, index).join("").length);
  for (const place of at.good.keys()) {
    const record = starts.findLastIndex((start) => Buffer.from(at.lines.join("").slice(0, start)).length <= place) + 1;
    for (let flip = 1; flip < 256; flip++) {
      const bytes = Buffer.from(at.good);
      bytes[place] = bytes[place]! ^ flip;
      expect(readDamaged(at.path, bytes, truth)).toEqual({ refused: expect.stringContaining(`Record ${record} of`) });
    }
  }
});

test("a journal of one record, with any flip of it, is refused and left untouched", async () => {
  await using at = await emptyJournal();
  await write(at.path, { type: "only" });
  const good = fs.readFileSync(at.path);
  for (const place of good.keys()) {
    for (const flip of [1, 4, 0x20, 0x40, 0x80, good[place]!]) {
      const bytes = Buffer.from(good);
      bytes[place] = bytes[place]! ^ flip;
      fs.writeFileSync(at.path, bytes);
      expect((await refusal(() => openJournal(at.path))).code).toBe("damaged");
      expect(fs.readFileSync(at.path).equals(bytes)).toBe(true);
    }
  }
});

test.each([
  ['{"plugin":["a@1.0.0"]}'],
  ['{"plugin":["a@1.0.0"]}\n'],
  ["mine"],
  ["\n"],
  [" "],
  ['{"n":2,"sum":"00000000","event":'],
  ['{"n":1,"sum":"0000000g'],
  ['{"n":1,"sum":"00000000","event":{"a":1}}'],
  ['{"n":1,"sum":"00000000","event":{"a":1}} '],
  ['{"n":1,"sum":"00000000","event":{"a":1}}\u0000'],
  ['{"n":1,"sum":"00000000","event":{"a":"\t'],
  ['{"n":1,"sum":"00000000","event":]'],
  ["\0\0\0x"],
])("a file that contains only %j is not a journal and stays unchanged", async (text) => {
  await using at = await emptyJournal();
  await write(at.path);
  fs.writeFileSync(at.path, text);
  const error = await refusal(() => openJournal(at.path));
  expect(error).toMatchObject({ code: "damaged", at: `${at.path}:1`, message: expect.stringContaining("Record 1 of") });
  expect(await refusal(() => readJournal(at.path))).toMatchObject({ code: "damaged" });
  expect(fs.readFileSync(at.path, "utf8")).toBe(text);
});

test.each([
  ["zeros, as a file that grew before its content arrived", "\0".repeat(5000)],
  ["the start of a line and then zeros", `{"n":6,"sum":"00000000","event":{"te\\"xt":"}]}${"\0".repeat(100)}`],
  ["half a character", Buffer.from('{"n":6,"sum":"00000000","event":"ü').subarray(0, -1).toString("latin1")],
])("a tail of %s is cut off", async (_what, tail) => {
  await using at = await damageable();
  fs.appendFileSync(at.path, tail, "latin1");
  expect(readJournal(at.path).torn).toMatchObject({ afterRecord: 5, bytes: tail.length });
  await write(at.path, "f");
  expect(eventsIn(at.path)).toEqual([...truth, "f"]);
});

test("a record with a correct checksum but invalid JSON is refused", async () => {
  await using at = await emptyJournal();
  await write(at.path);
  const sum = crc32(Buffer.from("{a"), 1).toString(16).padStart(8, "0");
  fs.writeFileSync(at.path, `{"n":1,"sum":"${sum}","event":{a}\n`);
  expect((await refusal(() => readJournal(at.path))).code).toBe("damaged");
});

test("a link and its journal are one journal: the second writer waits", async () => {
  await using at = await emptyJournal();
  await using first = await openJournal(at.path);
  first.appendSync("first");
  const link = `${at.path}.link`;
  fs.symlinkSync(at.path, link);
  fs.symlinkSync("..", join(at.path, "../up"));
  for (const name of [link, join(at.path, "../up/runs/1.jsonl")]) {
    expect((await refusal(() => openJournal(name, { deadlineMs: 0 }))).code).toBe("locked");
  }
  first.close();
  await write(link, "second");
  expect(eventsIn(at.path)).toEqual(["first", "second"]);
  expect(fs.readdirSync(join(at.path, "..")).sort()).toEqual(["1.jsonl", "1.jsonl.link", "1.jsonl.lock", "up"]);
});

test("a journal below a file, or behind a link to nothing, is refused with a hint", async () => {
  await using at = await emptyJournal();
  await write(at.path);
  fs.symlinkSync("missing", `${at.path}.link`);
  for (const path of [join(at.path, "below.jsonl"), `${at.path}.link`]) {
    for (const open of [openJournal, readJournal]) {
      expect(await refusal(() => open(path))).toMatchObject({ hint: expect.any(String) });
    }
  }
  expect(fs.readdirSync(join(at.path, "..")).sort()).toEqual(["1.jsonl", "1.jsonl.link", "1.jsonl.lock"]);
});

test("a journal cut off anywhere gives the records before the cut", async () => {
  await using at = await damageable();
  for (let length = 0; length <= at.good.length; length++) {
    const bytes = at.good.subarray(0, length);
    expect(readDamaged(at.path, bytes, truth)).toEqual({ records: bytes.toString("latin1").split("\n").length - 1 });
  }
});

test("a journal with a repeated tail of any length gives a true prefix or names the record", async () => {
  await using at = await damageable();
  for (let from = 0; from < at.good.length; from++) {
    readDamaged(at.path, Buffer.concat([at.good, at.good.subarray(from)]), truth);
  }
  const twice = (count: number): Buffer => Buffer.from(at.lines.join("") + at.lines.slice(-count).join(""));
  expect(readDamaged(at.path, twice(1), truth)).toEqual({ refused: expect.stringContaining("Record 6 of") });
  expect(readDamaged(at.path, twice(2), truth)).toEqual({ refused: expect.stringContaining("Record 6 of") });
});

test("a missing line and lines in another order are refused with the record's number and the line", async () => {
  await using at = await damageable();
  const [a, b, c, d, e] = at.lines as [string, string, string, string, string];
  for (const lines of [
    [b, c, d, e],
    [a, c, d, e],
    [a, c, b, d, e],
    [a, b, b, c, d, e],
  ]) {
    expect(readDamaged(at.path, Buffer.from(lines.join("")), truth)).toHaveProperty("refused");
  }
  fs.writeFileSync(at.path, [a, b, d, e].join(""));
  const error = await refusal(() => readJournal(at.path));
  expect(error.message).toContain(`Record 3 of the journal ${at.path} (line 3) is damaged`);
  expect(error.at).toBe(`${at.path}:3`);
  expect((await refusal(() => openJournal(at.path))).code).toBe("damaged");
  expect(fs.readFileSync(at.path, "utf8")).toBe([a, b, d, e].join(""));
});

test("a record of another journal does not fit, even with the right number", async () => {
  await using at = await damageable();
  await using other = await emptyJournal();
  await write(other.path, "x", "y", "z", "z", "z");
  const foreign = fs.readFileSync(other.path, "utf8").split(/(?<=\n)/);
  for (const n of [2, 3]) {
    const lines = at.lines.with(n, foreign[n]!);
    expect(readDamaged(at.path, Buffer.from(lines.join("")), truth)).toHaveProperty("refused");
  }
});

test("opening a journal cuts off a torn tail and reports it; reading leaves it alone", async () => {
  await using at = await damageable();
  const torn = { afterRecord: 5, bytes: 10, text: '{"n":6,"su' };
  fs.appendFileSync(at.path, torn.text);
  expect(readJournal(at.path).torn).toEqual(torn);
  expect(fs.readFileSync(at.path, "utf8")).toEndWith(torn.text);
  await using journal = await openJournal(at.path);
  expect(journal.torn).toEqual(torn);
  expect(await journal.append("f")).toBe(6);
  expect(readJournal(at.path)).toMatchObject({ torn: undefined });
  expect(eventsIn(at.path)).toEqual([...truth, "f"]);
});

test("a second writer waits for the first, and its error names it", async () => {
  await using at = await emptyJournal();
  const first = await openJournal(at.path, { purpose: "atomic run 1" });
  const error = await refusal(() => openJournal(at.path, { deadlineMs: 0 }));
  expect(error).toMatchObject({ code: "locked", message: expect.stringContaining('"atomic run 1"') });
  const second = openJournal(at.path);
  first.appendSync("first");
  first.close();
  await using journal = await second;
  expect(journal.last).toBe(1);
});

test("a writer that was overtaken stops before it writes", async () => {
  await using at = await emptyJournal();
  const slow = await openJournal(at.path);
  slow.appendSync("slow 1");
  fs.rmSync(`${at.path}.lock`, { recursive: true }); // as a person does who believes that the process is gone
  const quick = await openJournal(at.path);
  expect((await refusal(() => slow.append("slow 2"))).code).toBe("fenced");
  quick.appendSync("quick 2");
  expect((await refusal(() => slow.appendSync("slow 3"))).code).toBe("fenced");
  slow.close();
  quick.appendSync("quick 3");
  quick.close();
  expect(eventsIn(at.path)).toEqual(["slow 1", "quick 2", "quick 3"]);
});

for (const [what, disturb] of [
  ["removed", (path: string) => fs.rmSync(path)],
  ["written by another program", (path: string) => fs.appendFileSync(path, "not ours\n")],
  ["emptied", (path: string) => fs.truncateSync(path)],
] as const) {
  test(`a journal that is ${what} while it is open is not written any more`, async () => {
    await using at = await emptyJournal();
    await using journal = await openJournal(at.path);
    await journal.append(1);
    disturb(at.path);
    expect((await refusal(() => journal.append(2))).code).toBe("fenced");
  });
}

test("a FIFO or folder in place of a journal is refused without waiting, a missing one is named", async () => {
  await using folder = await temporaryFolder();
  const fifo = join(folder.path, "fifo");
  const inner = join(folder.path, "inner");
  Bun.spawnSync(["mkfifo", fifo]);
  fs.mkdirSync(inner);
  expect((await refusal(() => openJournal(fifo))).code).toBe("unsafe-file");
  expect((await refusal(() => readJournal(fifo))).code).toBe("unsafe-file");
  expect((await refusal(() => openJournal(inner))).code).toBe("unsafe-file");
  expect(fs.readdirSync(folder.path).sort()).toEqual(["fifo", "inner"]);
  expect((await refusal(() => readJournal(`${fifo}.none`))).message).toContain(
    `The journal ${fifo}.none does not exist`,
  );
});

tinyDiskTest(
  "a full disk stops the writer for good and keeps acknowledged records, and reopening continues",
  async () => {
    await using disk = await tinyDisk();
    const path = join(disk.path, "run.jsonl");
    const journal = await openJournal(path);
    await journal.append("safe");
    disk.fill();
    const error = await refusal(() => journal.append("x".repeat(100_000)));
    expect(error).toMatchObject({ code: "io", hint: expect.stringContaining("Records up to number 1 are safe") });
    disk.free();
    expect(await refusal(() => journal.append("small"))).toBe(error);
    expect(readJournal(path)).toEqual({ records: [{ n: 1, event: "safe" }], torn: undefined });
    journal.close();
    await write(path, "again");
    expect(eventsIn(path)).toEqual(["safe", "again"]);
  },
);
