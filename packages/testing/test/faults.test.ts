import { expect } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatReport, type SweepScenario, sweep, sweepInParallel } from "@atomic/testing/faults";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { after, fixture, runtimeNames, sweepWriter } from "./faults-support.ts";

for (const runtime of runtimeNames) {
  faultTest(`a naive writer on ${runtime} destroys its file when killed or without space`, async () => {
    const report = await sweepWriter(runtime, "naive.mjs");
    const verdicts = new Set(report.failures.map(({ fault }) => fault));
    expect(verdicts).toEqual(new Set(["kill", "kill-after", "enospc", "enospc-persistent", "eio", "erofs"]));
  });

  faultTest(`a careful writer on ${runtime} passes at every point`, async () => {
    const report = await sweepWriter(runtime, "careful.mjs");
    expect(report.failures, formatReport(report)).toEqual([]);
    expect(report.notReached).toEqual([]);
    expect(report.varies).toBe(false);
    // Open, write, fsync, rename, fsync: six faults at each of the five, and a short one at the write.
    expect(report.operations.map(({ call }) => call)).toEqual(["openat", "write", "fsync", "rename", "fsync"]);
    expect(report.runs).toBe(5 * 6 + 1);
  });
}

function twoFiles(folder: string): SweepScenario {
  const script = [process.execPath, fixture("recovers.mjs"), folder];
  return {
    under: folder,
    command: [...script, "new"],
    prepare: async () => {
      await Bun.$`rm -rf ${folder} && mkdir ${folder}`;
      await Promise.all(["one", "two"].map((name) => writeFile(join(folder, name), "old")));
    },
    recover: script,
    check: async () => {
      const [one, two] = await Promise.all(["one", "two"].map((name) => readFile(join(folder, name), "utf8")));
      return one === two ? undefined : `one is ${one}, two is ${two}`;
    },
  };
}

faultTest("a recovery command makes two files consistent again", async () => {
  await using folder = await temporaryFolder();
  const report = await sweep(twoFiles(join(folder.path, "pair")));
  expect(report.failures, formatReport(report)).toEqual([]);
});

faultTest("without recovery, the same two files are found inconsistent", async () => {
  await using folder = await temporaryFolder();
  const { recover: _, ...scenario } = twoFiles(join(folder.path, "pair"));
  const report = await sweep({ ...scenario, faults: ["kill"] });
  expect(report.failures.map(({ problem }) => problem)).toContain("one is new, two is old");
});

faultTest("folders are swept side by side with the same result as one", async () => {
  await using folder = await temporaryFolder();
  const scenarios = [twoFiles(join(folder.path, "a")), twoFiles(join(folder.path, "b"))] as const;
  const alone = await sweep({ ...scenarios[0], points: { every: 3 } });
  const together = await sweepInParallel(scenarios, { points: { every: 3 } });
  expect(together).toMatchObject({ runs: alone.runs, failures: [], notReached: [] });
});

faultTest("a recovery that fails is a finding", async () => {
  await using folder = await temporaryFolder();
  const scenario = twoFiles(join(folder.path, "pair"));
  const recover = ["sh", "-c", "echo cannot >&2; exit 3"];
  const report = await sweep({ ...scenario, recover });
  expect(report.failures[0]).toMatchObject({ fault: "none", problem: "recovery exited with 3: cannot" });
  expect(report.runs).toBe(0);
});

faultTest("a check that throws is a finding about its point", async () => {
  await using folder = await temporaryFolder();
  const report = await sweep({
    under: folder.path,
    command: ["sh", "-c", `echo text > ${folder.path}/file`],
    prepare: async () => {
      await Bun.$`rm -f ${folder.path}/file`;
    },
    check: async () => {
      await readFile(join(folder.path, "file"));
      return undefined;
    },
    faults: ["kill"],
  });
  expect(report.failures).toHaveLength(1);
  expect(report.failures[0]?.problem).toStartWith("Error: ENOENT");
});

faultTest("a command that changes nothing is not swept silently", async () => {
  await using folder = await temporaryFolder();
  const nothing = { prepare: () => undefined, check: () => undefined };
  const report = await sweep({ under: folder.path, command: ["true"], ...nothing });
  expect(report.failures[0]?.problem).toBe(`the command changed nothing below ${folder.path}`);
});

faultTest("a command that hangs because of the fault is killed and reported", async () => {
  await using folder = await temporaryFolder();
  const report = await sweep({
    under: folder.path,
    // Busy for as long as its folder cannot be made.
    command: ["sh", "-c", `until mkdir ${folder.path}/made 2>/dev/null; do :; done`],
    prepare: async () => {
      await Bun.$`rm -rf ${folder.path}/made`;
    },
    check: () => undefined,
    faults: ["enospc", "enospc-persistent"],
    deadline: 2000,
  });
  expect(report.failures).toMatchObject([
    { fault: "enospc-persistent", problem: "the command did not end before its deadline" },
  ]);
});

faultTest("a point that a later run does not reach is reported", async () => {
  await using folder = await temporaryFolder();
  await using outside = await temporaryFolder();
  const names = join(outside.path, "names");
  let runs = 0;
  const report = await sweep({
    under: folder.path,
    command: ["sh", "-c", `cd ${folder.path}; for name in $(cat ${names}); do mkdir $name; done`],
    prepare: async () => {
      runs++;
      await Bun.$`rm -rf ${folder.path} && mkdir ${folder.path}`;
      await writeFile(names, runs === 1 ? "a b c" : "a b");
    },
    check: () => undefined,
    faults: ["kill"],
  });
  expect(report.varies).toBe(true);
  expect(report.notReached).toMatchObject([{ fault: "kill", operation: { number: 3, call: "mkdir" } }]);
  expect(formatReport(report)).toContain(`not reached: kill at #3 mkdir ${folder.path}/c`);
});

faultTest("the report names the point, the problem and what the command said", async () => {
  const report = await sweepWriter("Node", "naive.mjs", { faults: ["enospc"] });
  const lines = formatReport(report).split("\n");
  expect(lines[0]).toEndWith(JSON.stringify(after));
  expect(lines[1]).toMatch(/^ {2}2 operations, 2 runs with a fault in [\d.]+ s: 1 failed, 0 not reached$/);
  expect(lines[2]).toMatch(/^ {2}enospc at #2 write \/.*config\.json \(17 bytes\)$/);
  expect(lines[3]).toBe('    the config is "" (exit code 1)');
  expect(lines[4]).toBe("    it said: Error: ENOSPC: no space left on device, write");
});
