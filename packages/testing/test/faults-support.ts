import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type SweepOptions, type SweepReport, sweep } from "@atomic/testing/faults";
import { buildKillpoint, runTraced, type TracedCommand, type TracedOutcome } from "@atomic/testing/faults/run-traced";
import { temporaryFolder } from "@atomic/testing/temporary-folder";

export const runtimes = { Bun: process.execPath, Node: "node" } as const;
export type RuntimeName = keyof typeof runtimes;
export const runtimeNames = Object.keys(runtimes) as RuntimeName[];

export const before = `{ "plugin": ["the state before, longer than the one after"] }\n`;
export const after = `{ "plugin": [] }\n`;

export function fixture(name: string): string {
  return join(import.meta.dirname, "fixtures/faults", name);
}

/** Sweeps a script that replaces `before` by `after` in config.json. */
export async function sweepWriter(
  runtime: RuntimeName,
  script: string,
  options: SweepOptions = {},
): Promise<SweepReport> {
  await using folder = await temporaryFolder();
  const config = join(folder.path, "config.json");
  return await sweep({
    ...options,
    under: folder.path,
    command: [runtimes[runtime], fixture(script), folder.path, after],
    prepare: async () => {
      await rm(`${config}.tmp`, { force: true });
      await writeFile(config, before);
    },
    check: async ({ outcome }) => {
      const now = await readFile(config, "utf8");
      if (now !== before && now !== after) return `the config is ${JSON.stringify(now)}`;
      return outcome.exitCode === 0 && now !== after ? "success was reported without a write" : undefined;
    },
  });
}

let oddCalls: Promise<string> | undefined;

/** Runs one of the small C programs of odd-calls.c in the folder. */
export async function runOddCall(
  name: string,
  folder: string,
  fault?: Parameters<typeof runTraced>[1],
  options: Partial<TracedCommand> = {},
): Promise<TracedOutcome> {
  oddCalls ??= compileOddCalls();
  return await runTraced({ under: folder, command: [await oddCalls, name, folder], ...options }, fault);
}

/** Next to killpoint, and like it only when the source changed. */
async function compileOddCalls(): Promise<string> {
  const source = fixture("odd-calls.c");
  const program = join(await buildKillpoint(), "..", `odd-calls-${Bun.hash(await readFile(source)).toString(36)}`);
  if (await Bun.file(program).exists()) return program;
  const unfinished = `${program}.${process.pid}`;
  const compiler = Bun.spawn(["cc", "-pthread", "-w", "-o", unfinished, source], { stderr: "inherit" });
  if ((await compiler.exited) !== 0) throw new Error(`${source} does not compile`);
  await Bun.spawn(["mv", unfinished, program]).exited;
  return program;
}
