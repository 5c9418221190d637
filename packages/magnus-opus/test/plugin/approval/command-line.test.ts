import { expect, test } from "bun:test";
import { Worker } from "node:worker_threads";
import { commandLine, saysYesToAll } from "../../../src/plugin/approval/command-line.ts";

test.each([
  ["opencode run --auto hello", true],
  ["opencode --yolo", true],
  ["opencode --auto=true", true],
  ["opencode run --dangerously-skip-permissions", true],
  ["opencode run --dangerouslySkipPermissions", true],
  ["opencode --auto=false", false],
  ["opencode run --automatic --agent auto", false],
  ["opencode serve --port 4096", false],
])("%s: an OpenCode that says yes by itself is %p", (line, yes) => {
  expect(saysYesToAll(line.split(" "))).toBe(yes);
});

test("the words are those of the process, also in a thread, which has others", async () => {
  expect(await commandLine()).toBe(process.argv);
  const source = JSON.stringify(require.resolve("../../../src/plugin/approval/command-line.ts"));
  const code = `const { commandLine } = await import(${source});
    const { parentPort } = await import("node:worker_threads");
    parentPort.postMessage(await commandLine());`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  try {
    const words = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
    expect(words).toContain("test"); // `bun test …`
  } finally {
    await worker.terminate();
  }
});
