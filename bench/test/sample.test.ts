import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Bench } from "../harness/bench.ts";
import { ContestantFailure, type Sample, type SampleOptions, takeSample } from "../harness/sample.ts";
import { notes } from "./notes.ts";
import { ended, isRunning } from "./process-end.ts";

const patient: SampleOptions = { microMs: 5, timeoutMs: 60_000 };

async function measure(name: string, options = patient): Promise<Sample> {
  const file = join(import.meta.dirname, "fixtures/consumption.bench.ts");
  const { default: bench } = (await import(file)) as { default: Bench };
  const contestant = bench.groups[0]!.contestants.findIndex((candidate) => candidate.name === name);
  return takeSample({ file, group: 0, contestant }, options);
}

describe("CPU time", () => {
  test("of a busy command is more than of an idle one", async () => {
    expect((await measure("busy command")).cpuMs).toBeGreaterThan((await measure("idle command")).cpuMs);
  });

  test("counts the children of the command", async () => {
    // Without its child, the shell uses far less than the start of a runtime.
    expect((await measure("busy grandchild")).cpuMs).toBeGreaterThan((await measure("idle command")).cpuMs);
  });

  test("of a busy function is more than of an idle one", async () => {
    expect((await measure("busy function")).cpuMs).toBeGreaterThan((await measure("idle function")).cpuMs);
  });

  test("of an idle function leaves out the start of its process", async () => {
    expect((await measure("idle function")).cpuMs).toBeLessThan((await measure("idle command")).cpuMs);
  });
});

describe("peak memory", () => {
  test("of a command that allocates 200 MB is so much larger", async () => {
    const [big, small] = [await measure("big command"), await measure("idle command")];
    expect(big.rssBytes - small.rssBytes).toBeGreaterThan(150e6);
    expect(big.rssAtMost).toBe(false);
  });

  test("of a function that allocates 200 MB is so much larger", async () => {
    const [big, small] = [await measure("big function"), await measure("idle function")];
    expect(big.rssBytes - small.rssBytes).toBeGreaterThan(150e6);
  });

  test("of a function is not that of the process that measures it", async () => {
    const ballast = Buffer.alloc(300e6, 1);
    expect((await measure("idle function")).rssBytes).toBeLessThan(ballast.length - 100e6);
  });

  test("of a command is not that of the setup before it", async () => {
    expect((await measure("small command after a big setup")).rssBytes).toBeLessThan(200e6);
  });
});

describe("a micro contestant", () => {
  test("is called many times, and its figures are per call", async () => {
    await using written = await notes();
    const { calls, wallMs } = await measure("micro");
    expect(calls).toBeGreaterThan(1);
    const [, root, elapsed] = /^root (\d) after ([\d.]+) ms$/.exec(written.lines()[0]!)!;
    expect(root).toBe("1");
    expect(wallMs * calls).toBeLessThan(Number(elapsed));
  });

  test("may be asynchronous", async () => {
    await using written = await notes();
    expect((await measure("micro with promises")).calls).toBeGreaterThan(1);
    expect(written.lines()).toEqual(["sum 21"]);
  });
});

test("a command that measures itself is taken at its last word, and fails like any other", async () => {
  const said = { wallMs: 1, cpuMs: 2, rssBytes: 3, rssAtMost: false, calls: 4 };
  expect(await measure("self-measured command")).toEqual(said);
  await expect(measure("self-measured command that fails")).rejects.toThrow("exit code 3");
});

test("variables that change how a runtime starts are not handed down", async () => {
  process.env.NODE_OPTIONS = "--no-warnings";
  try {
    await measure("command without our options");
  } finally {
    delete process.env.NODE_OPTIONS;
  }
});

test("a round has an empty folder, which setup, command and check share and which is gone afterwards", async () => {
  await using written = await notes();
  await measure("life cycle");
  const [setup, check, teardown] = written.lines();
  expect([setup, check]).toEqual(["setup in an empty folder: true", "check sees the output: true"]);
  expect(existsSync(dirname(teardown!.replace("teardown in ", "")))).toBe(false);
});

test("a command that fails gets its teardown all the same", async () => {
  await using written = await notes();
  await expect(measure("failing command with a teardown")).rejects.toThrow(new ContestantFailure("exit code 5"));
  expect(written.lines()).toEqual(["torn down"]);
});

describe("no process is left behind", () => {
  test("by a contestant that forgets one", async () => {
    await using written = await notes();
    await measure("forgets a background process");
    await ended(Number((await written.line("pid ")).slice(4)));
  });

  test("by an interrupted contestant", async () => {
    await using written = await notes();
    const interrupt = new AbortController();
    const measured = measure("never ends", { ...patient, signal: interrupt.signal });
    const pid = Number((await written.line("pid ")).slice(4));
    expect(isRunning(pid)).toBe(true);
    interrupt.abort(new Error("that is enough"));
    await expect(measured).rejects.toThrow("that is enough");
    await ended(pid);
  });

  test("by a contestant that outlives its time, which is a failure", async () => {
    await using _written = await notes();
    const measured = measure("never ends", { ...patient, timeoutMs: 500 });
    await expect(measured).rejects.toThrow(new ContestantFailure("no end after 0.5 s"));
  });
});
