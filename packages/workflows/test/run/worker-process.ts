import { basename, join } from "node:path";
import { Waiting } from "@atomic/testing/waiting";
import type { WorkerProcess } from "./harness.ts";

/** A worker in a process of its own, which runs a program that calls `serveWorker`. */
export async function startWorkerProcess(command: readonly string[]): Promise<WorkerProcess> {
  const child = Bun.spawn([...command], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
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
      60_000,
      (why) => `Not said: ${line}${why}\n${lines.join("\n")}`,
    );
  };
  const write = (line: string): void => {
    child.stdin.write(`${line}\n`);
    child.stdin.flush();
  };
  await said("ready");
  return {
    said,
    open: (key) => write(`open ${key}`),
    kill: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
    pause: async () => child.kill("SIGSTOP"),
    wake: async () => child.kill("SIGCONT"),
    stop: async () => {
      write("stop");
      await child.exited;
    },
  };
}

/** The command that runs a worker's program on Node. */
export async function builtForNode(program: string, folder: string): Promise<readonly string[]> {
  const entrypoints = [program];
  await Bun.build({ entrypoints, outdir: folder, target: "node", conditions: ["bun"], naming: "[name].mjs" });
  return ["node", join(folder, basename(program).replace(/ts$/, "mjs"))];
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
