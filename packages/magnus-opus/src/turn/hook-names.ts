/** In the order in which they run: those that add something come before those that use or shorten it. */
export const turnHookNames = [
  "first-message-variant",
  "ultrawork-keyword",
  "rules",
  "directory-agents",
  "comment-checker",
  "todo-continuation",
  "context-injector",
  "tool-output-truncator",
] as const;

export type TurnHookName = (typeof turnHookNames)[number];
