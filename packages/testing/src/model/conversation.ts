/** The wire-neutral shape of what a client asks the model: the same for every wire format. */
export interface Prompt {
  readonly model: string;
  /** All system and developer text, joined. */
  readonly system: string;
  readonly messages: readonly PromptMessage[];
  readonly tools: readonly ToolOffer[];
  readonly stream: boolean;
}

/** For a request that is not a prompt, or that cannot be read. */
export const noPrompt: Prompt = { model: "", system: "", messages: [], tools: [], stream: false };

export type PromptMessage =
  | { readonly role: "user"; readonly text: string }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly reasoning: string;
      readonly toolCalls: readonly PromptToolCall[];
    }
  | { readonly role: "tool"; readonly callId: string; readonly text: string };

export interface PromptToolCall {
  readonly id: string;
  readonly name: string;
  /** Parsed JSON, or the raw string when it is not JSON. */
  readonly args: unknown;
}

export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments, as the client sent it. */
  readonly parameters: unknown;
}

// Agents wrap their own notes in a tag, which no test means to match; Copilot states the time before every prompt.
const notes = /<(system-reminder|current_datetime)>[\s\S]*?<\/\1>/g;

/** What the user typed. */
export function typedText(text: string): string {
  return text.replace(notes, "").trim();
}

/** The last text the user typed, or `""` if there is none. */
export function newestUserText(messages: readonly PromptMessage[]): string {
  const typed = messages.flatMap((message) => (message.role === "user" ? [typedText(message.text)] : []));
  return typed.findLast((text) => text !== "") ?? "";
}

/** The tool results this request delivers: those at its very end, none if the user typed something after them. */
export function newestToolResults(messages: readonly PromptMessage[]): string[] {
  const spoken = messages.filter((message) => message.role !== "user" || typedText(message.text) !== "");
  const lastOther = spoken.findLastIndex((message) => message.role !== "tool");
  return spoken.slice(lastOther + 1).map((message) => message.text);
}
