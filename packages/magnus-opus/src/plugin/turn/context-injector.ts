// Adds what the hooks before it have collected to a person's message. OpenCode stores it there, so every later request begins with the
// same bytes, and the provider's cache stays valid.
import type { MakeTurnHook } from "./turn-hook.ts";

export const contextInjector: MakeTurnHook = (_, collector) => ({
  onMessage({ session, typed }) {
    const text = typed === "" ? "" : collector.take(session);
    return text === "" ? undefined : { text };
  },
  onEvent(type, { sessionID }) {
    if (type === "session.compacted" && sessionID !== undefined) collector.forgetGiven(sessionID);
  },
  forget: (session) => collector.forget(session),
});
