import { expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { DurableError } from "@atomic/durable-files/errors";
import { type FolderLock, lock } from "@atomic/durable-files/lock/lock";
import { recover } from "@atomic/durable-files/transaction/recover";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { listOperations, runTraced, type TracedCommand } from "@atomic/testing/faults/run-traced";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { type LockOwner, thisProcess } from "../src/lock/owner.ts";
import { refusal } from "./refusal.ts";
import { bundleScenarios, runtimes } from "./scenario/runtimes.ts";
import { tinyDisk, tinyDiskTest } from "./scenario/tiny-disk.ts";

/** Leaves a lock behind as if `owner` had taken it. */
function plant(dir: string, generation: number, owner: Partial<LockOwner> | string): string {
  const folder = join(dir, "lock", String(generation));
  fs.mkdirSync(folder, { recursive: true });
  const text = typeof owner === "string" ? owner : JSON.stringify({ ...thisProcess("planted"), ...owner });
  fs.writeFileSync(join(folder, "owner.json"), text);
  return folder;
}

async function deadPid(): Promise<number> {
  const child = Bun.spawn(["true"]);
  await child.exited;
  return child.pid;
}

test("a second caller waits until the first releases the lock", async () => {
  await using folder = await temporaryFolder();
  const first = await lock(folder.path);
  const order: string[] = [];
  const second = lock(folder.path).then((held) => {
    order.push("second");
    return held;
  });
  order.push("first");
  first.release();
  (await second).release();
  expect(order).toEqual(["first", "second"]);
});

test("twenty tasks of one process are inside one at a time", async () => {
  await using folder = await temporaryFolder();
  let inside = 0;
  const visit = async (): Promise<number> => {
    await using _held = await lock(folder.path, { deadlineMs: 60_000 });
    inside += 1;
    const seen = inside;
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
    return seen;
  };
  expect(await Promise.all(Array.from({ length: 20 }, visit))).toEqual(Array(20).fill(1));
});

test("the deadline passes with the owner's name, purpose and time", async () => {
  await using folder = await temporaryFolder();
  await using _held = await lock(folder.path, { purpose: "hugo install" });
  const error = await refusal(() => lock(folder.path, { deadlineMs: 0 }));
  expect(error.code).toBe("locked");
  expect(error.message).toMatch(/held by this process \(pid \d+\) for "hugo install" since \d{4}-\d\d-\d\dT/);
});

test("waiting can be aborted with a reason, and leaves nothing behind", async () => {
  await using folder = await temporaryFolder();
  await using held = await lock(folder.path);
  const before = fs.readdirSync(folder.path, { recursive: true });
  const [reason, abort] = [new Error("enough"), new AbortController()];
  const waiting = lock(folder.path, { deadlineMs: 600_000, signal: abort.signal }).catch((error: unknown) => error);
  await Promise.resolve();
  abort.abort(reason);
  expect(await waiting).toBe(reason);
  expect(fs.readdirSync(folder.path, { recursive: true })).toEqual(before);
  held.release();
  expect(await lock(folder.path, { signal: abort.signal }).catch((error: unknown) => error)).toBe(reason);
  (await lock(folder.path, { signal: new AbortController().signal })).release();
});

test("each time the lock is taken its generation is higher, and only the last two leave a small file behind", async () => {
  await using folder = await temporaryFolder();
  const seen: number[] = [];
  for (let round = 0; round < 5; round++) {
    await using held = await lock(folder.path);
    seen.push(held.generation);
  }
  expect(seen).toEqual([1, 2, 3, 4, 5]);
  const left = fs.readdirSync(join(folder.path, "lock"), { recursive: true }).sort();
  expect(left).toEqual(["4", "4/released.json", "5", "5/released.json"]);
});

for (const [what, owner] of [
  ["whose process is gone", async () => ({ pid: await deadPid() })],
  ["whose pid now belongs to a process started at another time", () => ({ started: "1" })],
  ["from before the machine restarted", () => ({ boot: "another-boot" })],
  ["whose machine was renamed, gone all the same", async () => ({ pid: await deadPid(), host: "old-name" })],
] as const) {
  test(`a lock ${what} is taken over at once`, async () => {
    await using folder = await temporaryFolder();
    plant(folder.path, 7, await owner());
    await using held = await lock(folder.path, { deadlineMs: 0 });
    expect(held.generation).toBe(8);
  });
}

for (const [what, owner] of [
  ["of another host", { host: "elsewhere", boot: "elsewhere", pid: 4_000_000 }],
  ["of another container on this machine", { pidSpace: "pid:[1]", pid: 4_000_000 }],
] as const) {
  test(`a lock ${what} is never stolen, and the error says what to remove`, async () => {
    await using folder = await temporaryFolder();
    const planted = plant(folder.path, 3, { ...owner, purpose: "hugo update" });
    const error = await refusal(() => lock(folder.path, { deadlineMs: 5 }));
    expect(error.code).toBe("locked");
    expect(error.message).toContain(`pid 4000000 on ${"host" in owner ? owner.host : hostname()} for "hugo update"`);
    expect(error.hint).toContain(`remove ${planted}`);
    fs.rmSync(planted, { recursive: true });
    (await lock(folder.path, { deadlineMs: 0 })).release();
  });
}

test("the lock of a killed process is taken over before its parent has reaped it", async () => {
  await using folder = await temporaryFolder();
  // The shell turns into a program that never reaps its child; until then, the child must live.
  const parent = Bun.spawn(["sh", "-c", "sleep 60 & echo $!; exec cat"], { stdin: "pipe", stdout: "pipe" });
  try {
    const { value } = await parent.stdout.getReader().read();
    const pid = Number(new TextDecoder().decode(value));
    const isCat = (): boolean => fs.readFileSync(`/proc/${parent.pid}/comm`, "utf8") === "cat\n";
    for (let tries = 0; !isCat() && tries < 10_000; tries++) await Bun.sleep(0);
    process.kill(pid, "SIGKILL");
    const state = (): string => fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    for (let tries = 0; !state().includes(") Z ") && tries < 10_000; tries++) await Bun.sleep(0);
    expect(state()).toContain(") Z ");
    plant(folder.path, 1, { pid, started: state().split(") ")[1]!.split(" ")[19]! });
    (await lock(folder.path, { deadlineMs: 0 })).release();
  } finally {
    await parent.stdin.end();
    await parent.exited;
  }
});

test("a program with spaces and parentheses in its name keeps its lock", async () => {
  await using folder = await temporaryFolder();
  const program = join(folder.path, "a) Z (b");
  fs.copyFileSync(Bun.which("cat")!, program);
  const child = Bun.spawn([program], { stdin: "pipe" });
  try {
    const stat = fs.readFileSync(`/proc/${child.pid}/stat`, "utf8");
    const started = stat.slice(stat.lastIndexOf(")")).split(" ")[20]!;
    plant(folder.path, 1, { pid: child.pid, started });
    expect((await refusal(() => lock(folder.path, { deadlineMs: 0 }))).code).toBe("locked");
  } finally {
    await child.stdin.end();
    await child.exited;
  }
});

for (const [what, text] of [
  ["empty", ""],
  ["not JSON", "{"],
  ["of a wrong shape", '{"pid":"1"}'],
  ["with an impossible pid", JSON.stringify({ ...thisProcess(""), pid: -1 })],
] as const) {
  test(`a lock file that is ${what} is refused by name`, async () => {
    await using folder = await temporaryFolder();
    const planted = plant(folder.path, 1, text);
    const error = await refusal(() => lock(folder.path));
    expect(error.code).toBe("damaged");
    expect(error.hint).toContain(`remove ${planted}`);
  });
}

test.each(["999999999999999", "1000000000000", "9".repeat(400)])(
  "a generation that no lock can have reached, %s, is refused by name",
  async (generation) => {
    await using folder = await temporaryFolder();
    const planted = join(folder.path, "lock", generation.slice(0, 200));
    fs.mkdirSync(planted, { recursive: true });
    const error = await refusal(() => lock(folder.path, { deadlineMs: 0 }));
    expect(error).toMatchObject({ code: "damaged", at: planted });
    expect(error.hint).toContain(`remove ${planted}`);
  },
);

test("a lock that cannot be taken for an unknown reason fails at the deadline", async () => {
  await using folder = await temporaryFolder();
  // As if another process were always faster: the next number is taken, but it is not a generation.
  plant(folder.path, 1, { pid: await deadPid() });
  fs.writeFileSync(join(folder.path, "lock/2x"), "");
  const { renameSync } = fs;
  const lostRace = Object.assign(new Error("EEXIST: planted"), { code: "EEXIST", syscall: "rename" });
  const rename = spyOn(fs, "renameSync").mockImplementation((from, to) => {
    if (String(to).endsWith("lock/2")) throw lostRace;
    renameSync(from, to);
  });
  try {
    const error = await refusal(() => lock(folder.path, { deadlineMs: 20 }));
    expect(error).toMatchObject({
      code: "locked",
      message: expect.stringContaining("other processes kept getting there first"),
    });
  } finally {
    rename.mockRestore();
  }
});

test("a lock file's text is shown without terminal control characters", async () => {
  await using folder = await temporaryFolder();
  const evil = "\u001b]0;x\u0007\u009b2J\u202e\n";
  plant(folder.path, 1, { boot: "elsewhere", host: evil, since: evil, purpose: evil });
  const error = await refusal(() => lock(folder.path, { deadlineMs: 0 }));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  expect(`${error.message}${error.hint}`).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  expect(error.message).toContain("on \\u{1b}]0;x\\u{7}\\u{9b}2J\\u{202e}\\u{a}");
});

test.each(["", "a\0b"])("%j is not the name of a folder to lock", async (dir) => {
  const changes = [{ path: "a", content: "" }];
  for (const attempt of [() => lock(dir), () => transaction(dir, changes), () => recover(dir)]) {
    expect((await refusal(attempt)).code).toBe("unsafe-path");
  }
});

test("a FIFO in place of the lock file does not hang", async () => {
  await using folder = await temporaryFolder();
  fs.mkdirSync(join(folder.path, "lock/1"), { recursive: true });
  Bun.spawnSync(["mkfifo", join(folder.path, "lock/1/owner.json")]);
  expect((await refusal(() => lock(folder.path))).code).toBe("unsafe-file");
});

test("leftovers of dead processes are removed, those of live processes are not", async () => {
  await using folder = await temporaryFolder();
  const names = [`tmp-${await deadPid()}-aa`, `tmp-${process.pid}-bb`, "gone-cc"];
  for (const name of names) fs.mkdirSync(join(folder.path, "lock", name), { recursive: true });
  (await lock(folder.path)).release();
  expect(fs.readdirSync(join(folder.path, "lock")).sort()).toEqual(["1", `tmp-${process.pid}-bb`]);
});

test("a holder that was overtaken gets an error before its next write", async () => {
  await using folder = await temporaryFolder();
  const overtaken = async (how: (held: FolderLock) => void): Promise<unknown> => {
    const held = await lock(folder.path);
    held.assertHeld();
    how(held);
    try {
      held.assertHeld();
      return undefined;
    } catch (error) {
      return (error as DurableError).code;
    } finally {
      held.release();
    }
  };
  expect(await overtaken(({ generation }) => plant(folder.path, generation + 1, { pid: 4_000_000 }))).toBe("fenced");
  expect(await overtaken(({ folder: lockFolder }) => fs.rmSync(lockFolder, { recursive: true }))).toBe("fenced");
  expect(await overtaken((held) => held.release())).toBe("fenced");
});

test("releasing twice, or after being overtaken, does no harm", async () => {
  await using folder = await temporaryFolder();
  const first = await lock(folder.path);
  fs.rmSync(join(folder.path, "lock"), { recursive: true });
  const second = await lock(folder.path);
  expect(second.generation).toBe(first.generation);
  first.release();
  first.release();
  second.assertHeld();
  second.release();
});

for (const runtime of runtimes) {
  faultTest(
    `a lock that could not be given back on ${runtime.name} is given back before the next one is taken`,
    async () => {
      await using scenarios = await bundleScenarios("lock-twice");
      await using quiet = await temporaryFolder();
      await using faulty = await temporaryFolder();
      const traced = (folder: string): TracedCommand => ({
        command: scenarios.run(runtime, "lock-twice", folder),
        under: folder,
        env: runtime.env,
      });
      const operations = await listOperations(traced(quiet.path));
      const release = operations.find(({ call, path }) => call.startsWith("rename") && path.endsWith("released.json"));
      const { stdout, exitCode } = await runTraced(traced(faulty.path), { kind: "eio", at: release!.number });
      expect(stdout).toMatch(/could not be released: EIO.*\ntaken again\n$/);
      expect(exitCode).toBe(0);
    },
  );
}

tinyDiskTest("a read-only disk is named", async () => {
  await using disk = await tinyDisk();
  disk.remount("ro");
  const error = await refusal(() => lock(disk.path));
  expect(error.code).toBe("io");
  expect(error.message).toContain("cannot be acquired: EROFS");
});

test("a lock that is removed while it is read is read again, and its new holder is not overtaken", async () => {
  await using folder = await temporaryFolder();
  const first = await lock(folder.path);
  const { readdirSync } = fs;
  let removals = 0;
  // Between the list of generations and the look at the last of them.
  const listing = spyOn(fs, "readdirSync").mockImplementation(((path: string, ...more: []) => {
    const names = readdirSync(path, ...more);
    if (removals++ === 0) fs.rmSync(join(folder.path, "lock/1"), { recursive: true });
    return names;
  }) as typeof readdirSync);
  try {
    await using second = await lock(folder.path);
    expect(second.generation).toBe(1);
    expect(removals).toBeGreaterThan(1);
  } finally {
    listing.mockRestore();
    first.release();
  }
});
