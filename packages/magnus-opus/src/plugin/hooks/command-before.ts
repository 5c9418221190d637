// A person typed a command. To throw would tell them nothing, so that everything is in the text.
import { answerCommand } from "../commands/commands.ts";
import type { Magnus } from "../live/magnus.ts";
import type { CommandBefore } from "./opencode-hooks.ts";

export async function beforeCommand(
  magnus: Magnus,
  { command, sessionID, arguments: words }: CommandBefore["input"],
  { parts }: CommandBefore["output"],
): Promise<void> {
  const answer = await answered(magnus, command, sessionID, words);
  const part = parts.find(({ type }) => type === "text");
  if (answer !== undefined && part !== undefined) part.text = `${part.text ?? ""}\n\n---\n\n${answer}`;
}

async function answered(magnus: Magnus, command: string, session: string, words: string): Promise<string | undefined> {
  try {
    await magnus.events.over();
    return await answerCommand(magnus, session, { command, words });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    magnus.opencode.tell(`/${command} failed: ${why}`);
    return `Magnus Opus could not do /${command}: ${why}. Tell the person; nothing was recorded unless it says so above.`;
  }
}
