import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { Waiting } from "@atomic/testing/waiting";
import { embeddedEngine } from "../../src/run/embedded/embedded-engine.ts";
import type { Harness, WorkerProcess } from "./harness.ts";
import { toyInterpreter } from "./toy.ts";

/** Real processes on one folder. */
export async function embeddedHarness(): Promise<Harness> {
  const folder = await temporaryFolder("runs-");
  const [runs, log] = [join(folder.path, "runs"), join(folder.path, "outside.log")];
  const workers: WorkerProcess[] = [];
  await Bun.write(log, "");
  const interpret = toyInterpreter(() => {
    throw new Error("a client works on nothing");
  });
  return {
    client: embeddedEngine(runs, { interpret }),
    outside: async () => (await readFile(log, "utf8")).split("\n").filter(Boolean),
    worker: async ({ interpreter = "1" } = {}) => {
      const worker = await startProcess([runs, log, interpreter]);
      workers.push(worker);
      return worker;
    },
    [Symbol.asyncDispose]: async () => {
      for (const worker of workers) await worker.kill();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function startProcess(args: readonly string[]): Promise<WorkerProcess> {
  const program = fileURLToPath(import.meta.resolve("./scenario/worker.ts"));
  const child = Bun.spawn([process.execPath, program, ...args], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const lines: string[] = [];
  const waiting = new Waiting<string>();
  void readLines(child.stdout, (line) => {
    lines.push(line);
    waiting.announce(line);
  }).then(() => waiting.close("the process has ended"));
  const said = async (line: string): Promise<void> => {
    await waiting.first(
      lines,
      (each) => each === line,
      20_000,
      (why) => `Not said: ${line}${why}\n${lines.join("\n")}`,
    );
  };
  await said("ready");
  return {
    said,
    open: (key) => {
      child.stdin.write(`open ${key}\n`);
      child.stdin.flush();
    },
    kill: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
    stop: async () => {
      child.stdin.write("stop\n");
      child.stdin.flush();
      await child.exited;
    },
  };
}

async function readLines(stream: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  }
}
