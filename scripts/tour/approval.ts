// Who approves in the tour: the user at a terminal. Without a terminal, or with `--yes`, the tour approves and says so.
import { consoleOf } from "@atomic/terminal/console";
import { askYesNo, canAsk } from "@atomic/terminal/questions";
import { interrupted, say } from "./output.ts";

export async function isApproved(question: string): Promise<boolean> {
  const console = consoleOf(process, "tour");
  if (process.argv.includes("--yes") || !canAsk(console)) {
    const why = process.argv.includes("--yes") ? "--yes was given" : "this is not an interactive terminal";
    say(`(${question} The tour answers yes for you: ${why}.)`);
    return true;
  }
  const stopped = new AbortController();
  const answer = askYesNo(console, `\n${question}`, stopped.signal);
  // Ctrl-C: the key reader must not keep the tour alive.
  return await Promise.race([answer, interrupted]).finally(() => stopped.abort());
}
