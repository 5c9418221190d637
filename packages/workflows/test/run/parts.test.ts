// The small parts that runs are made of.
import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { openJournal } from "@atomic/durable-files/journal/journal";
import { fakeClock, quiet } from "@atomic/testing/simulation/clock";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { after, remaining } from "../../src/run/clock.ts";
import { endsOf, tailOf } from "../../src/run/embedded/journal-lines.ts";
import type { RunEvent } from "../../src/run/events.ts";
import { AbortScope } from "../../src/run/execution/abort-scope.ts";
import { BusyTime } from "../../src/run/execution/busy-time.ts";
import { delayAfter } from "../../src/run/execution/call-step.ts";
import { encode } from "../../src/run/execution/encode.ts";
import { Watchers } from "../../src/run/execution/watchers.ts";
import { PermanentError, recordError, StepFailedError } from "../../src/run/step-errors.ts";

test.each([
  [1, {}, 1000],
  [2, {}, 2000],
  [5, {}, 16_000],
  [7, {}, 60_000],
  [500, {}, 60_000],
  [3, { ms: 10, factor: 1 }, 10],
  [3, { ms: 10, factor: 10, maxMs: 500 }, 500],
])("after %d failures with %j the next attempt waits for %d ms", (failures, backoff, expected) => {
  expect(delayAfter(failures, backoff)).toBe(expected);
});

describe("a timer", () => {
  test("can be called off, also in the middle of a delay that the system splits", async () => {
    const clock = fakeClock();
    let fired = 0;
    const cancel = after(clock, 2 ** 33, () => {
      fired += 1;
    });
    await clock.advance(2 ** 32);
    cancel();
    await clock.advance(2 ** 33);
    expect(fired).toBe(0);
    expect(clock.nextDue()).toBeUndefined();
  });

  test("for a negative time fires at once", async () => {
    const clock = fakeClock();
    let fired = 0;
    after(clock, -5, () => {
      fired += 1;
    });
    await clock.advance(0);
    expect(fired).toBe(1);
  });

  test.each([
    [5000, 10_000, 5000],
    [-5000, 10_000, 0],
    [99_000_000, 10_000, 10_000],
  ])("whose date is %d ms from now, of %d ms in all, takes %d ms", (ahead, asked, expected) => {
    const clock = fakeClock();
    expect(remaining(clock, clock.now() + ahead, asked)).toBe(expected);
  });
});

describe("busy time", () => {
  test("counts while anything runs, once, and loses nothing to rounding", async () => {
    const clock = fakeClock();
    const busy = new BusyTime(clock);
    busy.begin();
    await clock.advance(10.6);
    busy.begin();
    await clock.advance(10.6);
    busy.end();
    expect(busy.count()).toBe(21);
    busy.end();
    await clock.advance(1000); // nothing is busy
    busy.begin();
    await clock.advance(0.9);
    busy.end();
    expect(busy.count()).toBe(1);
  });

  test("sounds an alarm after the given time, and never while nothing runs", async () => {
    const clock = fakeClock();
    const busy = new BusyTime(clock);
    let alarms = 0;
    busy.setAlarm(100, () => {
      alarms += 1;
    });
    await clock.advance(1000);
    expect(alarms).toBe(0);
    busy.begin();
    busy.setAlarm(100, () => {
      alarms += 1;
    });
    await clock.advance(99);
    expect(alarms).toBe(0);
    await clock.advance(1);
    expect(alarms).toBe(1);
    busy.end();
  });

  test("an alarm ends with the last running step", async () => {
    const clock = fakeClock();
    const busy = new BusyTime(clock);
    busy.begin();
    busy.setAlarm(100, () => {
      throw new Error("nothing is busy");
    });
    busy.end();
    await clock.advance(1000);
  });
});

describe("a value for the journal", () => {
  const limits = { inlineBytes: 20, maxBytes: 40 };
  test.each<[unknown, unknown, boolean]>([
    [undefined, null, false],
    [null, null, false],
    [0, 0, false],
    [-0, 0, false],
    [[-0], [0], false],
    [Number.POSITIVE_INFINITY, null, false],
    ["x".repeat(18), "x".repeat(18), false],
    ["x".repeat(19), "x".repeat(19), true],
    ["äöü", "äöü", false],
    ["ä".repeat(10), "ä".repeat(10), true],
    [{ toJSON: () => "other" }, "other", false],
    [new Map([["a", 1]]), {}, false],
  ])("%p is kept as %p", (value, kept, isBeside) => {
    const encoded = encode(value, limits);
    expect(encoded.value).toEqual(kept as never);
    expect(encoded.piece !== undefined).toBe(isBeside);
  });

  test("longer than the cap is refused with both sizes", () => {
    expect(() => encode("x".repeat(39), limits)).toThrow(
      "the result has 41 bytes, but a journal can hold at most 40 bytes",
    );
    const large = { ...limits, maxBytes: 3 * 1024 * 1024 };
    expect(() => encode("x".repeat(large.maxBytes), large)).toThrow(
      "has 3.1 MiB, but a journal can hold at most 3 MiB",
    );
  });

  test("whose toJSON throws is refused, and the error is not rethrown", () => {
    const hostile = {
      toJSON: () => {
        throw new Error("boo");
      },
    };
    expect(() => encode(hostile, limits)).toThrow(PermanentError);
  });
});

describe("an error for the journal", () => {
  test("keeps name, message and code, and the details of one that has some", () => {
    const error = Object.assign(new TypeError("odd"), { code: "ODD", details: { secret: 1 } });
    expect(recordError(error)).toEqual({ name: "TypeError", message: "odd", code: "ODD" });
    expect(recordError(new PermanentError("no", { details: [1] }))).toEqual({
      name: "PermanentError",
      message: "no",
      code: "permanent",
      details: [1],
    });
  });

  test("keeps apart what happened and what to do about it", () => {
    const explained = new PermanentError("no key", { code: "auth", at: "a.json:1:2", hint: "Sign in." });
    expect(recordError(explained)).toEqual({
      name: "PermanentError",
      message: "a.json:1:2: no key",
      hint: "Sign in.",
      code: "auth",
    });
  });

  test("for a value that is not an error is its text", () => {
    expect(recordError("just words")).toEqual({ name: "Error", message: "just words" });
    expect(recordError(undefined)).toEqual({ name: "Error", message: "undefined" });
  });

  test("through several forks names the step that failed", () => {
    const step = new StepFailedError("a/b", { name: "Error", message: "no" }, 2);
    expect(step.message).toBe("a/b failed after 2 attempts: no");
    const fork = new StepFailedError("a", recordError(step), 1);
    expect(recordError(fork)).toEqual({ name: "Error", message: "no", key: "a/b" });
  });

  test("is not longer than a line should be", () => {
    expect(recordError(new Error("x".repeat(10_000))).message).toHaveLength(4002);
  });
});

describe("a scope", () => {
  test("that is aborted aborts everything inside it, and reports the first reason", () => {
    const root = new AbortScope();
    const branch = new AbortScope(root);
    const aborted: string[] = [];
    root.opened("r", { abort: (why) => aborted.push(`root ${why}`) });
    branch.opened("b", { abort: (why) => aborted.push(`branch ${why}`) });
    branch.abort("abandoned");
    root.abort("cancelled");
    expect(branch.frozen).toBe("abandoned");
    expect(root.frozen).toBe("cancelled");
    expect(aborted).toEqual(["branch abandoned", "branch cancelled", "root cancelled"]);
  });

  test("that is frozen freezes those within it without aborting them", () => {
    const root = new AbortScope();
    const branch = new AbortScope(root);
    branch.opened("b", {
      abort: () => {
        throw new Error("not aborted");
      },
    });
    root.freeze("budget");
    expect(branch.frozen).toBe("budget");
  });

  test("tells what was open in it and in its branches when it is left", () => {
    const root = new AbortScope();
    const branch = new AbortScope(root);
    root.opened("a");
    branch.opened("b");
    branch.opened("c");
    branch.closed("c");
    const left: string[] = [];
    new AbortScope(branch).opened("d");
    branch.leave(left);
    expect(left).toEqual(["b", "d"]);
    root.leave(left);
    expect(left).toEqual(["b", "d", "a"]);
  });
});

const event = (key: string): RunEvent => ({ type: "sleep-ended", key, at: 1 });

describe("watchers", () => {
  test("get what is new each time, and then the end", async () => {
    const watchers = new Watchers();
    const news = [event("a")];
    const seen: string[] = [];
    const watching = (async () => {
      for await (const each of watchers.iterate(() => news.splice(0))) seen.push((each as { key: string }).key);
    })();
    for (const key of ["b", "c"]) {
      await quiet();
      news.push(event(key));
      watchers.wake();
    }
    watchers.tell({ type: "step-note", key: "note", note: 1, at: 1 });
    news.push(event("last"));
    watchers.close();
    await watching;
    expect(seen).toEqual(["a", "b", "c", "last", "note"]);
  });

  test("that are too slow miss notes, but no events", async () => {
    const watchers = new Watchers();
    let isRead = false;
    const iterator = watchers.iterate(() => {
      const found = isRead ? [] : [event("a")];
      isRead = true;
      return found;
    });
    for (let note = 0; note < 5000; note++) watchers.tell({ type: "step-note", key: "n", note, at: 1 });
    watchers.close();
    const seen: string[] = [];
    for await (const each of iterator) seen.push(each.type);
    expect(seen.filter((type) => type === "sleep-ended")).toHaveLength(1);
    expect(seen.filter((type) => type === "step-note")).toHaveLength(1000);
  });
});

describe("the lines of a journal", () => {
  test("are read as they come, each once, and half a line when it is whole", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "journal.jsonl");
    await using journal = await openJournal(path);
    await journal.append(event("a"));
    const tail = tailOf(path, 0);
    expect(tail().map(({ n }) => n)).toEqual([1]);
    expect(tail()).toEqual([]);
    await journal.append(event("b"));
    journal.close();
    const whole = fs.readFileSync(path);
    fs.writeFileSync(path, Buffer.concat([whole, Buffer.from('{"n":3,"sum":"0')]));
    expect(tail().map(({ n, event: { type } }) => [n, type])).toEqual([[2, "sleep-ended"]]);
    expect(tail()).toEqual([]);
    fs.writeFileSync(
      path,
      Buffer.concat([whole, Buffer.from('{"n":3,"sum":"00000000","event":{"type":"sleep-ended","key":"ü"}}\n')]),
    );
    expect(tail().map(({ event: each }) => (each as { key: string }).key)).toEqual(["ü"]);
  });

  test("can be read from any record on", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "journal.jsonl");
    await using journal = await openJournal(path);
    for (const key of ["a", "b", "c"]) await journal.append(event(key));
    expect(tailOf(path, 2)().map(({ n }) => n)).toEqual([3]);
    expect(tailOf(path, 9)()).toEqual([]);
  });

  test("have a first and a last, however long they are", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "journal.jsonl");
    await using journal = await openJournal(path);
    const long = (name: string): RunEvent => event(name + "x".repeat(200_000));
    expect(endsOf(path)).toBeUndefined();
    await journal.append(long("first"));
    expect(endsOf(path)).toMatchObject({ first: { key: expect.stringMatching(/^first/) } });
    await journal.append(event("middle"));
    await journal.append(long("last"));
    journal.close();
    const ends = endsOf(path) as { first: { key: string }; last: { key: string } };
    expect([ends.first.key.slice(0, 5), ends.last.key.slice(0, 4)]).toEqual(["first", "last"]);
    expect([ends.first.key.length, ends.last.key.length]).toEqual([200_005, 200_004]);
    // What a crash left of the next one does not count.
    fs.appendFileSync(path, '{"n":4,"su');
    expect((endsOf(path) as { last: { key: string } }).last.key).toStartWith("last");
  });
});
