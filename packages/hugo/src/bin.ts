#!/usr/bin/env node
// What `hugo` runs: this file, bundled into one, is `bin/hugo.js`. The program is loaded only for what cannot be answered
// without it.
import { outputTo } from "./cli/process-output.ts";
import { quickList, readList } from "./cli/quick-list.ts";

await run();

async function run(): Promise<void> {
  const { argv, env } = process;
  const asked = readList(argv.slice(2));
  if (asked === undefined) return await runProgram();
  const stdout = outputTo({ fd: 1, env, stream: () => process.stdout });
  let answer: string | undefined;
  try {
    answer = quickList(asked, process, stdout);
  } catch {
    // The program meets the same trouble, and can say what it is.
  }
  if (answer === undefined) return await runProgram();
  try {
    stdout.write(answer);
  } catch (error) {
    const { fail } = await import("./main.ts");
    await fail(error);
  }
}

async function runProgram(): Promise<void> {
  const { start } = await import("./main.ts");
  await start();
}
