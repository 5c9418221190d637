import { expect, jest, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { QuietWatch } from "../../../src/entities/watch/quiet-watch.ts";

test("a change in a watched folder is looked at, and a look that fails is reported", async () => {
  await using folder = await temporaryFolder();
  const base = folder.path;
  mkdirSync(join(base, "runs"));
  const failure = Promise.withResolvers<unknown>();
  const watch = new QuietWatch(async () => Promise.reject(new Error("cannot be read")), failure.resolve);
  try {
    const targets = [{ base, path: "runs", deep: false }];
    expect(watch.follow(targets)).toBe(true);
    expect(watch.follow(targets)).toBe(false);
    writeFileSync(join(base, "runs", "a.json"), "{}");
    expect(await failure.promise).toEqual(new Error("cannot be read"));
  } finally {
    watch.close();
  }
});

test("many wishes to look are one look, and after it is closed there is none", async () => {
  const looks: string[] = [];
  const rethrow = (error: unknown): never => {
    throw error;
  };
  const watchNamed = (name: string): QuietWatch => new QuietWatch(async () => void looks.push(name), rethrow);
  const [busy, closed] = [watchNamed("busy"), watchNamed("closed")];
  closed.soon();
  closed.close();
  closed.soon();
  for (let at = 0; at < 50; at += 1) busy.soon();
  // It waits as long, and begins later: then the others are over.
  await new Promise<void>((resolve) => new QuietWatch(async () => resolve(), rethrow).soon());
  expect(looks).toEqual(["busy"]);
  busy.close();
});

test("changes that never stop are looked at twice a second", () => {
  jest.useFakeTimers();
  let looks = 0;
  const watch = new QuietWatch(
    async () => {
      looks += 1;
    },
    (error) => {
      throw error;
    },
  );
  const changeFor = (ms: number): void => {
    for (let at = 0; at < ms; at += 5) {
      watch.soon();
      jest.advanceTimersByTime(5);
    }
  };
  try {
    changeFor(105);
    expect(looks).toBe(1);
    changeFor(2000);
    expect(looks).toBe(5);
  } finally {
    watch.close();
    jest.useRealTimers();
  }
});

test.each([
  ["this Bun", process.execPath],
  ["the Bun inside OpenCode", opencodeBinary],
])("in %s, what is renamed into place is noticed, and what changes in it later", async (_, program) => {
  await using folder = await temporaryFolder();
  const script = join(import.meta.dirname, "renames.ts");
  await using running = Bun.spawn([program, "run", script, folder.path], {
    env: { ...process.env, BUN_BE_BUN: "1" },
    stderr: "inherit",
    timeout: 60_000,
  });
  const moves = ["state/runs", "state"].flatMap((path) => [
    `${path} moved away`,
    `${path} moved back`,
    `a change in ${path}`,
  ]);
  expect(await new Response(running.stdout).text()).toBe(
    `${["a file replaced", "a file moved in", ...moves].join("\n")}\n`,
  );
});
