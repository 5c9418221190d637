// Who decides in the tour: the user at a terminal. Without a terminal, or with `--yes`, the tour says yes and says so.
import { ask, canAsk, readYesNo } from "@atomic/terminal/questions";
import { console, say, write } from "./output.ts";

export async function isApproved(question: string, hasSaidYes: boolean): Promise<boolean> {
  if (hasSaidYes || !canAsk(console)) {
    const why = hasSaidYes ? "--yes was given" : "this is not an interactive terminal";
    say(`${question} (The tour says yes for you: ${why}.)`);
    return true;
  }
  say(question);
  write("\n");
  const answer = await ask(console, "yes or no? ", new AbortController().signal, (words) => {
    const value = readYesNo(words);
    return value === undefined ? { problem: `"${words.trim()}" is neither yes nor no.` } : { value };
  });
  return answer ?? false;
}
