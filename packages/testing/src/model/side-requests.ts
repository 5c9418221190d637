import type { Prompt } from "./conversation.ts";
import { newestUserText } from "./conversation.ts";

/** An errand that a client runs on its own (a title, a warm-up): answered without a script, recorded by name. */
export interface SideRequest {
  readonly name: string;
  readonly matches: (prompt: Prompt) => boolean;
  readonly reply: string;
}

export const sideRequests: readonly SideRequest[] = [
  {
    name: "title", // OpenCode
    matches: (prompt) => prompt.tools.length === 0 && /you are a title generator/i.test(prompt.system),
    reply: "Scripted title",
  },
  {
    name: "title", // Claude Code names a session, or tells whether a message opens a new topic
    matches: (prompt) =>
      prompt.tools.length === 0 &&
      /(generate|write) a .*title|isNewTopic|session title/i.test(prompt.system || newestUserText(prompt.messages)),
    reply: '{"title":"Scripted title","isNewTopic":false}',
  },
  {
    name: "warm-up", // Claude Code asks for its quota and warms its sub-agents up
    matches: (prompt) => /^(quota|warmup)$/i.test(newestUserText(prompt.messages)),
    reply: "ok",
  },
];
