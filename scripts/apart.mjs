// Runs one of this repository's tools with the given arguments: `node scripts/apart.mjs bun test`. Our programs refuse decisions
// when an agent runs them, but the tests and the tour make decisions in temporary projects. So under an agent they
// run in a process that is not the agent's child.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import {
  agentAtKeyboard,
  realSurroundings,
  withoutAgentVariables,
} from "../packages/terminal/dist/agent-at-keyboard.js";

const [tool, ...args] = process.argv.slice(2);
const command = [fileURLToPath(new URL(`../node_modules/.bin/${tool}`, import.meta.url)), ...args];
const found = agentAtKeyboard(realSurroundings());
if (tool === undefined || !existsSync(command[0])) {
  console.error(
    `${tool ?? "The first argument"} is not a tool in node_modules/.bin. Example: node scripts/apart.mjs bun test`,
  );
  process.exitCode = 2;
} else process.exitCode = await (found === undefined ? run() : runApart());

/** Ctrl-C also reaches the tool, which has to clean up: this process waits for it. */
function run() {
  const child = spawn(command[0], command.slice(1), { stdio: "inherit" });
  process.on("SIGINT", () => undefined);
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

/** The shell that starts the tool exits immediately, so the tool gets another parent. */
async function runApart() {
  console.error(`${found.agent} runs this (${found.sign}), so it gets a process that the agent is not the parent of.`);
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
