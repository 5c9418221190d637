// Who approves in the tour: a person on a terminal; without one, or with `--yes`, the tour itself, and it says so.
import { createInterface } from "node:readline/promises";
import { interrupted, say } from "./telling.ts";

export async function isApproved(question: string): Promise<boolean> {
  const isAsked = process.stdin.isTTY && process.stdout.isTTY && !process.argv.includes("--yes");
  if (!isAsked) {
    const why = process.argv.includes("--yes") ? "--yes was given" : "there is no terminal to ask on";
    say(`(${question} Yes, says the tour for you: ${why}.)`);
    return true;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // It takes Ctrl-C for itself while it reads.
  terminal.once("SIGINT", () => process.emit("SIGINT"));
  try {
    return /^y(es)?$/i.test((await Promise.race([terminal.question(`\n${question} [y/N] `), interrupted])).trim());
  } finally {
    terminal.close();
  }
}
