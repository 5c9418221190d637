// Questions at a terminal: yes or no, one of several, or any text. Nothing typed before they are shown counts.
import type { Keyboard } from "./keyboard.ts";
import type { Output } from "./process-output.ts";

interface Terminal {
  readonly stdin: Keyboard;
  readonly stderr: Output;
}

/** Whether someone can see a question and answer it. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY && stderr.isTTY;
}

/** `Go ahead? [y/N]`: everything but a clear yes is a no. */
export async function askYesNo({ stdin, stderr }: Terminal, question: string, signal: AbortSignal): Promise<boolean> {
  const answer = await stdin.ask(`${question} [y/N] `, stderr, signal);
  // Enter moves the cursor to the next line; Ctrl-D and Ctrl-C do not.
  if (answer === undefined) stderr.write("\n");
  return /^\s*y(es)?\s*$/i.test(answer ?? "");
}
