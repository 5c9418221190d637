/** Runs as a process of its own: starts one command, waits for it, and prints what the kernel says it used. */
import { existsSync } from "node:fs";
import { ownPeakRss } from "./peak-rss.ts";
import type { Failure, Sample } from "./sample.ts";

const { command, env, cwd } = JSON.parse(process.argv[2]!) as {
  readonly command: string[];
  readonly env: Record<string, string>;
  readonly cwd: string;
};

const start = performance.now();
const child = run();
const wallMs = performance.now() - start;

if (child.signalCode) {
  console.error(`${command[0]} was ended by ${child.signalCode}`);
  process.exit(1);
}
if (child.exitCode !== 0) process.exit(child.exitCode);

const { cpuTime, maxRSS } = child.resourceUsage;
const sample: Sample = {
  wallMs,
  cpuMs: Number(cpuTime.total) / 1000,
  rssBytes: maxRSS,
  rssAtMost: maxRSS <= ownPeakRss(),
  calls: 1,
};
process.stdout.write(JSON.stringify(sample));

function run(): Bun.SyncSubprocess<"ignore", "inherit"> {
  try {
    return Bun.spawnSync(command, {
      cwd,
      env: { ...process.env, PWD: cwd, ...env },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "inherit",
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    const missing = existsSync(cwd) ? `program "${command[0]}"` : `folder "${cwd}" to run it in`;
    process.stdout.write(JSON.stringify({ failure: `there is no ${missing}` } satisfies Failure));
    process.exit();
  }
}
