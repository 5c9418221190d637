// One counter for all threads and child processes, and no process left behind.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { KillpointFailed, listOperations, runTraced } from "@atomic/testing/faults/run-traced";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { fixture, runOddCall, runtimeNames, runtimes } from "./faults-support.ts";

for (const runtime of runtimeNames) {
  faultTest(`threads and child processes of ${runtime} share one counter`, async () => {
    await using folder = await temporaryFolder();
    const command = [runtimes[runtime], fixture("threads-and-children.mjs"), folder.path];
    const operations = await listOperations({ under: folder.path, command });
    expect(operations.map(({ number }) => number)).toEqual(operations.map((_, index) => index + 1));

    const writes = operations.filter(({ call }) => call === "write");
    expect(writes).toHaveLength(4);
    const main = writes[0]!.pid;
    const poolThreads = writes.filter(({ pid, tid }) => pid === main && tid !== main);
    expect(poolThreads).toHaveLength(3);
    expect(new Set(operations.map(({ pid }) => pid)).size).toBe(3);
  });
}

faultTest("the start of child programs counts when asked for, the command's own does not", async () => {
  await using folder = await temporaryFolder();
  const command = ["sh", "-c", `mkdir ${folder.path}/a; rmdir ${folder.path}/a`];
  const operations = await listOperations({ under: folder.path, command, exec: true });
  expect(operations.map(({ call, path }) => (call === "execve" ? path.replace(/.*\//, "") : call.slice(0, 5)))).toEqual(
    ["mkdir", "mkdir", "rmdir", expect.stringMatching(/rmdir|unlin/)],
  );
  const outcome = await runTraced({ under: folder.path, command, exec: true }, { kind: "kill-after", at: 3 });
  expect(outcome.exitCode).toBe(137);
  expect(existsSync(join(folder.path, "a"))).toBe(true);
});

faultTest("a kill takes every process along, in the middle of starting them", async () => {
  for (const at of [1, 10, 20]) {
    await using folder = await temporaryFolder();
    const outcome = await runOddCall("crowd", folder.path, { kind: "kill", at });
    expect(outcome.exitCode).toBe(137);
    const children = outcome.stdout.trim().split("\n");
    expect(children.length).toBeGreaterThanOrEqual(at);
    expect(children.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  }
});

faultTest("a kill strikes before the operation, a kill-after once it is done", async () => {
  await using folder = await temporaryFolder();
  const command = ["mkdir", join(folder.path, "made")];
  await runTraced({ under: folder.path, command }, { kind: "kill", at: 1 });
  expect(await readdir(folder.path)).toEqual([]);
  await runTraced({ under: folder.path, command }, { kind: "kill-after", at: 1 });
  expect(await readdir(folder.path)).toEqual(["made"]);
});

faultTest("a process that outlives the command is waited for, and counted", async () => {
  await using folder = await temporaryFolder();
  const { operations } = await runOddCall("orphan", folder.path);
  expect(operations.map(({ path }) => path)).toEqual([join(folder.path, "made-by-an-orphan")]);
});

faultTest("a program that a thread becomes is still traced", async () => {
  await using folder = await temporaryFolder();
  const { operations, exitCode } = await runOddCall("exec-from-thread", folder.path);
  expect(exitCode).toBe(0);
  expect(operations.map(({ path }) => path)).toEqual([join(folder.path, "made-by-a-thread")]);
  const killed = await runOddCall("exec-from-thread", folder.path, { kind: "kill-after", at: 1 }, { exec: true });
  expect(killed.exitCode).toBe(137);
});

faultTest("a stopped process stays stopped until it is continued", async () => {
  await using folder = await temporaryFolder();
  const { stdout, operations } = await runOddCall("stop", folder.path);
  expect(stdout).toBe("stopped, ended\n");
  expect(operations).toHaveLength(1);
});

faultTest("signals reach the program as they would without us", async () => {
  await using folder = await temporaryFolder();
  const { stdout, exitCode, operations } = await runOddCall("signals", folder.path);
  expect(stdout).toBe("heard");
  expect(exitCode).toBe(128 + 15);
  expect(operations).toHaveLength(1);
});

// Only there a 64-bit program can pose as a 32-bit one.
const x64Test = process.arch === "x64" ? faultTest : (name: string) => test.skip(`${name} (x64 only)`, () => undefined);

x64Test("a program for another architecture is refused, because its calls cannot be counted", async () => {
  await using folder = await temporaryFolder();
  await expect(runOddCall("foreign", folder.path)).rejects.toThrow("a program for another architecture");
});

faultTest("a command that does not exist is an error, not an empty run", async () => {
  await using folder = await temporaryFolder();
  const run = runTraced({ under: folder.path, command: ["no-such-command-at-all"] });
  await expect(run).rejects.toThrow(KillpointFailed);
  await expect(run).rejects.toThrow("cannot start no-such-command-at-all: No such file or directory");
});
