// "ultrawork" in what a person typed, once in each session.
import { asksForUltrawork } from "../../turn/ultrawork.ts";
import { words } from "../../words/template.ts";
import { TaskClient } from "../background/task-client.ts";
import type { MakeTurnHook } from "./turn-hook.ts";

export const ultraworkKeyword: MakeTurnHook = ({ context }, collector) => {
  const client = new TaskClient(context);
  const seen = new Set<string>();
  return {
    async onMessage({ session, typed }) {
      if (seen.has(session) || !asksForUltrawork(typed)) return undefined;
      const [info, messages = []] = await Promise.all([client.session(session), client.messages(session)]);
      seen.add(session);
      // An agent wrote a child session's message. An earlier process may have given it already.
      const isGiven = messages.some(({ parts }) => parts.some(({ text }) => text?.includes("<ultrawork>")));
      if (info?.parentID !== undefined || isGiven) return undefined;
      const content = words("turn/ultrawork");
      collector.register(session, { source: "ultrawork-keyword", id: "ultrawork", content, priority: "high" });
      return undefined;
    },
    forget: (session) => void seen.delete(session),
  };
};
