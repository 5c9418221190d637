/** Starts one contestant in a terminal and prints how long what was asked for took, as a sample. */
import { join } from "node:path";
import type { Sample } from "../harness/sample.ts";

export type Measured = "first frame" | "median key" | "p95 key";

const { command, env, what, ready } = JSON.parse(process.argv[2]!) as {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly what: Measured;
  /** What is on the screen once all entries are known, after `/fix-1` was typed. */
  readonly ready: string;
};

const typed = "/fix-1";
const rounds = 8;
/** Between two keys, as you would type them. Libraries that draw 30 times a second would otherwise make the next key wait. */
const pauseMs = 50;

let output = "";
let wake: () => void = () => undefined;
const start = performance.now();
const child = Bun.spawn([...command], {
  cwd: process.cwd(),
  env: {
    PATH: process.env.PATH ?? "",
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    COLORTERM: "truecolor",
    HOME: join(process.cwd(), "home"),
    ...env,
  },
  terminal: {
    cols: 100,
    rows: 30,
    data: (pty, bytes) => {
      const text = new TextDecoder().decode(bytes);
      // What programs ask a terminal at their start.
      if (text.includes("\x1b[c") || text.includes("\x1b[0c")) pty.write("\x1b[?62;22c");
      if (text.includes("\x1b[6n")) pty.write("\x1b[1;1R");
      output += text;
      wake();
    },
  },
});
const pty = child.terminal!;
let sample: Sample | undefined;
try {
  await until(() => output.includes("Type a task"));
  const firstFrame = performance.now() - start;
  const times = what === "first frame" ? [firstFrame] : await keyTimes();
  times.sort((a, b) => a - b);
  const at = what === "p95 key" ? Math.floor(times.length * 0.95) : Math.floor(times.length / 2);
  const status = await Bun.file(`/proc/${child.pid}/status`).text();
  const [, peak = "0"] = /VmHWM:\s+(\d+)/.exec(status) ?? [];
  sample = { wallMs: times[at]!, cpuMs: 0, rssBytes: Number(peak) * 1024, rssAtMost: false, calls: times.length };
} finally {
  child.kill("SIGKILL");
  await child.exited;
}
process.stdout.write(`${JSON.stringify(sample)}\n`);
process.exit();

async function keyTimes(): Promise<number[]> {
  for (const key of typed) {
    pty.write(key);
    await nextOutput(200);
  }
  await until(() => output.includes(ready));
  await quiet();
  for (const _ of typed) await keyTime("\x7f");
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const key of [...typed, ...Array.from(typed, () => "\x7f")]) times.push(await keyTime(key));
  }
  return times;
}

/** From the key to the first bytes that follow it. */
async function keyTime(key: string): Promise<number> {
  await quiet();
  await Bun.sleep(pauseMs);
  const began = performance.now();
  pty.write(key);
  await nextOutput(1000);
  return performance.now() - began;
}

/** Nothing was written for a moment: what comes next is an answer. */
async function quiet(): Promise<void> {
  for (let seen = -1; seen !== output.length; ) {
    seen = output.length;
    await Bun.sleep(8);
  }
}

function nextOutput(deadline: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, deadline);
    wake = () => {
      clearTimeout(timer);
      wake = () => undefined;
      resolve();
    };
  });
}

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 30_000;
  while (!holds()) {
    if (performance.now() > end || child.exitCode !== null) {
      throw new Error(`${command.join(" ")} did not get ready. It wrote:\n${output.slice(-2000)}`);
    }
    await nextOutput(50);
  }
}
