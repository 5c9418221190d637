import { afterAll, expect, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { thisProcess } from "../src/lock/owner.ts";
import { bundleScenarios, type Runtime, runtimes } from "./scenario/runtimes.ts";

const scenarios = await bundleScenarios("add-plugins", "enter-alone");
afterAll(() => scenarios[Symbol.asyncDispose]());

const [node, bun, opencode] = runtimes as [Runtime, Runtime, Runtime];
const inTurn = (index: number): Runtime => [bun, bun, bun, node, opencode][index % 5]!;

/** Runs one command for each number at the same time; gives what went wrong. */
async function runAtOnce(
  count: number,
  command: (index: number) => { runtime: Runtime; args: string[] },
): Promise<string[]> {
  const ends = Array.from({ length: count }, async (_, index) => {
    const { runtime, args } = command(index);
    const env = { ...process.env, ...runtime.env };
    const child = Bun.spawn(args, { env, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
    const [exitCode, stderr] = await Promise.all([child.exited, child.stderr.text()]);
    return exitCode === 0 ? [] : [`${args.join(" ")} ended with ${exitCode}: ${stderr}`];
  });
  return (await Promise.all(ends)).flat();
}

async function plantDeadLock(
  dir: string,
  generation: number,
  owner: { pid?: number; started?: string },
): Promise<void> {
  const folder = join(dir, "lock", String(generation));
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(join(folder, "owner.json"), JSON.stringify({ ...thisProcess("planted"), ...owner }));
}

async function deadPid(): Promise<number> {
  const child = Bun.spawn(["true"]);
  await child.exited;
  return child.pid;
}

for (const [what, owner] of [
  ["of a dead process", async () => ({ pid: await deadPid() })],
  ["of a reused pid", async () => ({ started: "1" })],
] as const) {
  test(`twenty processes that add ten plugins each lose none, starting from a lock ${what}`, async () => {
    await using folder = await temporaryFolder();
    const project = folder.path;
    const config = join(project, "opencode.json");
    const original = `{\n  // mine\n  "plugin": ["first@1.0.0"], // kept\n}\n`;
    fs.writeFileSync(config, original);
    await plantDeadLock(join(project, ".opencode/.hugo"), 5, await owner());

    const problems = await runAtOnce(20, (index) => {
      const runtime = inTurn(index);
      return { runtime, args: scenarios.run(runtime, "add-plugins", project, String(index), "10") };
    });

    expect(problems).toEqual([]);
    const text = fs.readFileSync(config, "utf8");
    const added = [...text.matchAll(/"(plugin-\d+-\d+)@1\.0\.0"/g)].map(([, name]) => name!);
    const expected = Array.from({ length: 200 }, (_, index) => `plugin-${Math.floor(index / 10)}-${index % 10}`);
    expect(added.sort()).toEqual(expected.sort());
    expect(text.replaceAll(/,\s*"plugin-\d+-\d+@1\.0\.0"/g, "")).toBe(original);
    const left = fs.readdirSync(project, { recursive: true }).map(String);
    expect(
      left.filter((path) => !/^opencode\.json$|^\.opencode(\/\.hugo(\/lock(\/\d+(\/released\.json)?)?)?)?$/.test(path)),
    ).toEqual([]);
    expect(left.filter((path) => path.endsWith("released.json"))).toHaveLength(2);
  }, 120_000);
}

test("of many processes that find the same dead lock, only one at a time acquires it", async () => {
  for (let round = 0; round < 2; round++) {
    await using folder = await temporaryFolder();
    await plantDeadLock(folder.path, 1, { pid: await deadPid() });
    const problems = await runAtOnce(16, (index) => {
      const runtime = index % 8 === 7 ? node : bun;
      return { runtime, args: scenarios.run(runtime, "enter-alone", folder.path, "15") };
    });
    expect(problems).toEqual([]);
    expect(fs.readdirSync(folder.path)).toEqual(["lock"]);
    expect(fs.readdirSync(join(folder.path, "lock")).sort()).toEqual(["240", "241"]);
  }
}, 120_000);
