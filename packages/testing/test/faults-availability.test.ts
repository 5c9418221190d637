import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { buildKillpoint, runTraced } from "@atomic/testing/faults/run-traced";
import { temporaryFolder } from "@atomic/testing/temporary-folder";

const sources = join(import.meta.dirname, "../src/faults");

faultTest("several processes that build at once all get the one program", async () => {
  await using folder = await temporaryFolder();
  const programs = await Promise.all([1, 2, 3].map(() => buildKillpoint(folder.path)));
  expect(new Set(programs).size).toBe(1);
  expect(await readdir(folder.path)).toEqual([programs[0]!.slice(folder.path.length + 1)]);
});

test("without a compiler, the reason says so", async () => {
  await using folder = await temporaryFolder();
  const script = `
    const { buildKillpoint } = await import(${JSON.stringify(join(sources, "run-traced.ts"))});
    await buildKillpoint(${JSON.stringify(folder.path)}).catch((error) => console.log(error.message));`;
  const child = Bun.spawn([process.execPath, "-e", script], { env: { PATH: folder.path }, stdout: "pipe" });
  expect(await child.stdout.text()).toBe("there is no C compiler: `cc` is not on PATH\n");
});

faultTest("where ptrace is refused the reason says so", async () => {
  await using folder = await temporaryFolder();
  // A traced process cannot be traced a second time, so inside a trace the kernel refuses ptrace to everyone.
  const script = `
    const { faultsAvailable } = await import(${JSON.stringify(join(sources, "run-traced.ts"))});
    console.log(JSON.stringify(await faultsAvailable()));`;
  const { stdout } = await runTraced({ under: folder.path, command: [process.execPath, "-e", script] });
  expect(JSON.parse(stdout)).toEqual({
    available: false,
    reason: "killpoint: ptrace is not allowed here: Operation not permitted",
  });
});
