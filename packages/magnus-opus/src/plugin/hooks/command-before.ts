// A command that a person typed: what they see of it, and what the model reads.
import { answerCommand } from "../commands/commands.ts";
import type { Magnus } from "../live/magnus.ts";
import { ourCommand } from "../setup/name-commands.ts";
import type { CommandBefore } from "./opencode-hooks.ts";

/**
 * Our templates do not contain what was typed, because OpenCode runs what stands between !` and ` in a filled-in template. Their
 * `$99999` is the argument of that number, so OpenCode leaves it empty; the words are filled in here, where nothing expands them.
 */
export async function beforeCommand(
  magnus: Magnus,
  { command, sessionID, arguments: typed }: CommandBefore["input"],
  parts: CommandBefore["output"]["parts"],
): Promise<void> {
  const part = parts.find(({ type }) => type === "text");
  const name = ourCommand(magnus.settings, command, part?.text);
  if (part === undefined || name === undefined) return;
  let answer: string | undefined;
  try {
    await magnus.events.idle();
    answer = await answerCommand(magnus, sessionID, { name, words: typed });
  } catch (error) {
    // An exception would not reach the person, so the text contains everything.
    const why = error instanceof Error ? error.message : String(error);
    magnus.opencode.notify(`/${command} failed: ${why}`);
    answer = `/${command} failed: ${why}. Tell the user; nothing was recorded unless it says so above.`;
  }
  const text = (part.text ?? "")
    .replace(/`(\/[\w-]+) `/, (_, name: string) => `\`${`${name} ${typed}`.trimEnd()}\``)
    .replace(/(<arguments>\n)(\n<\/arguments>)/, (_, begin: string, end: string) => `${begin}${typed}${end}`);
  // People see what they typed, and the model reads the rest.
  parts.unshift({ type: "text", text: `/${command} ${typed}`.trimEnd() });
  Object.assign(part, { synthetic: true, text: answer === undefined ? text : `${text}\n\n---\n\n${answer}` });
}
