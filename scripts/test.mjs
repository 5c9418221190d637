// `bun test` with the arguments given. Programs of ours refuse decisions where an agent runs them, and tests make such
// decisions in projects of their own. So below an agent the tests run in a process that it is not the parent of.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import {
  agentAtKeyboard,
  realSurroundings,
  withoutAgentVariables,
} from "../packages/terminal/dist/agent-at-keyboard.js";

const bun = fileURLToPath(new URL("../node_modules/.bin/bun", import.meta.url));
const command = [bun, "test", ...process.argv.slice(2)];
const found = agentAtKeyboard(realSurroundings());
process.exitCode = await (found === undefined ? run() : runApart());

function run() {
  const child = spawn(command[0], command.slice(1), { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("exit", (code) => resolve(code ?? 1));
  });
}

/** The shell that starts the tests ends at once, and what it started has another parent from then on. */
async function runApart() {
  console.error(`${found.agent} runs these tests (${found.sign}): they get a process that it is not the parent of.`);
  const shell = '{ "$@" & echo "$!" >&3; wait "$!"; echo "$?" >&3; } & exit 0';
  const child = spawn("/bin/sh", ["-c", shell, "sh", ...command], {
    stdio: ["ignore", "inherit", "inherit", "pipe"],
    env: withoutAgentVariables(process.env),
  });
  const lines = createInterface({ input: child.stdio[3] })[Symbol.asyncIterator]();
  const pid = Number((await lines.next()).value);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.kill(pid, "SIGTERM"));
  return Number((await lines.next()).value ?? 1);
}
