// What hooks want a model to know, collected for a session's next message.
import { estimateTokens } from "./shorten-output.ts";

/** The most important first. */
const priorities = ["critical", "high", "normal", "low"] as const;

export interface ContextEntry {
  /** The hook that it comes from. */
  readonly source: string;
  /** What it is about; the same again from the same source replaces it. */
  readonly id: string;
  readonly content: string;
  readonly priority: (typeof priorities)[number];
}

/** For one message. */
const mostContextTokens = 8_000;

export class ContextCollector {
  /** By session, then by source and id, in the order of registration. */
  readonly #pending = new Map<string, Map<string, ContextEntry>>();
  /** What the session's conversation contains already. */
  readonly #given = new Map<string, Map<string, string>>();

  register(session: string, entry: ContextEntry): void {
    const pending = this.#pending.get(session) ?? new Map<string, ContextEntry>();
    this.#pending.set(session, pending.set(keyOf(entry), entry));
  }

  /** What fits, as one text; empty if there is nothing new. What does not fit waits for the next message. */
  take(session: string, most = mostContextTokens): string {
    const given = this.#given.get(session) ?? new Map<string, string>();
    const fresh = [...(this.#pending.get(session) ?? [])].filter(([key, { content }]) => given.get(key) !== content);
    const sorted = fresh.sort(([, a], [, b]) => priorities.indexOf(a.priority) - priorities.indexOf(b.priority));
    const taken: string[] = [];
    const waiting = new Map<string, ContextEntry>();
    let left = most;
    for (const [key, entry] of sorted) {
      const { content } = entry;
      const tokens = estimateTokens(content);
      // What can never fit would wait forever.
      if (tokens > most) continue;
      if (tokens > left) {
        waiting.set(key, entry);
        continue;
      }
      left -= tokens;
      taken.push(content);
      given.set(key, content);
    }
    this.#pending.set(session, waiting);
    this.#given.set(session, given);
    return taken.join("\n\n");
  }

  /** The conversation was summarized, so it may no longer contain what was given. */
  forgetGiven(session: string): void {
    this.#given.delete(session);
  }

  forget(session: string): void {
    this.#pending.delete(session);
    this.#given.delete(session);
  }
}

function keyOf({ source, id }: ContextEntry): string {
  return JSON.stringify([source, id]);
}
