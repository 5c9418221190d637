// A message that arrives after a run's messages were read, but before its inbox is watched.
import { expect, setDefaultTimeout, test } from "bun:test";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { fileStore } from "../../src/run/embedded/file-store.ts";
import { StoreEngine } from "../../src/run/local-engine.ts";
import { type MemoryDisk, memoryStore } from "../../src/run/memory/memory-engine.ts";
import type { RunCtx } from "../../src/run/run-ctx.ts";
import type { RunStore } from "../../src/run/run-store.ts";

setDefaultTimeout(10_000);

const storeModule = JSON.stringify(import.meta.resolve("../../src/run/embedded/file-store.ts"));

type Sent = "cancel" | "signal";
const messages = {
  cancel: { type: "cancel", at: 0 },
  signal: { type: "signal", key: "go", value: "yes", at: 0 },
} as const;

/** Does something at the last moment before it watches an inbox. */
function knockedAt(store: RunStore, knock: () => void): RunStore {
  return {
    ...store,
    watch: (runId, what, grown) => {
      if (what === "inbox") knock();
      return store.watch(runId, what, grown);
    },
  };
}

async function endOf(store: RunStore): Promise<unknown> {
  const interpret = async (ctx: RunCtx) => {
    const answer = await ctx.wait("go");
    return answer.ok ? answer.value : null;
  };
  const engine = new StoreEngine(store, { interpret });
  await engine.start({ runId: "run", graph: null, input: null });
  return await (await engine.run("run")).ended;
}

const expected = { cancel: { kind: "cancelled" }, signal: { kind: "done", result: { value: "yes" } } };

test.each<Sent>(["signal", "cancel"])("in a folder, a %s of another process arrives", async (sent) => {
  await using folder = await temporaryFolder();
  const program = `
    import { fileStore } from ${storeModule};
    await fileStore(${JSON.stringify(folder.path)}).post("run", ${JSON.stringify(messages[sent])});`;
  const store = knockedAt(fileStore(folder.path), () => {
    expect(Bun.spawnSync([process.execPath, "-e", program]).exitCode).toBe(0);
  });
  expect(await endOf(store)).toMatchObject(expected[sent]);
});

test.each<Sent>(["signal", "cancel"])("in memory, a %s arrives", async (sent) => {
  const disk: MemoryDisk = new Map();
  const store = knockedAt(memoryStore(disk), () => void memoryStore(disk).post("run", messages[sent]));
  expect(await endOf(store)).toMatchObject(expected[sent]);
});
