import { newestUserText, type Prompt, typedText } from "./conversation.ts";

/** An errand that a client runs on its own (a title, a warm-up): answered without a script, recorded by name. */
export interface SideRequest {
  readonly name: string;
  /** `client` is how it introduces itself in `user-agent`. */
  readonly matches: (prompt: Prompt, client: string) => boolean;
  readonly reply: string;
  /** A person could have typed the very same: then a script for that text wins. */
  readonly couldBeTyped?: boolean;
}

const isOpencode = (client: string): boolean => client.startsWith("opencode/");
const isClaude = (client: string): boolean => client.startsWith("claude-cli/");

export const sideRequests: readonly SideRequest[] = [
  {
    name: "title",
    matches: (prompt, client) =>
      isOpencode(client) && prompt.tools.length === 0 && /you are a title generator/i.test(prompt.system),
    reply: "Scripted title",
  },
  {
    name: "title", // names a session, or tells whether a message opens a new topic
    matches: (prompt, client) =>
      isClaude(client) &&
      prompt.tools.length === 0 &&
      /(generate|write) a .*title|isNewTopic|session title/i.test(prompt.system || newestUserText(prompt.messages)),
    reply: '{"title":"Scripted title","isNewTopic":false}',
  },
  {
    name: "warm-up", // asks for the quota, and warms sub-agents up
    matches: (prompt, client) =>
      isClaude(client) && isOpening(prompt) && /^(quota|warmup)$/i.test(newestUserText(prompt.messages)),
    reply: "ok",
    couldBeTyped: true,
  },
];

function isOpening({ messages }: Prompt): boolean {
  return messages.filter((message) => message.role !== "user" || typedText(message.text) !== "").length === 1;
}
