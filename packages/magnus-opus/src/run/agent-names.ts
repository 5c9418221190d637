// Our agents have other names in OpenCode where you already use theirs. Settings and options speak of them by our names.
import { lookUp } from "./state.ts";

/** Only those with another name: `{ reviewer: "magnus-reviewer" }`. */
export type AgentNames = Readonly<Record<string, string>>;

/** Another name for each of our agents or commands whose own is taken. */
export function otherNames(ours: readonly string[], isTaken: (name: string) => boolean): AgentNames {
  const used = new Set(ours);
  const names: Record<string, string> = {};
  for (const name of ours.filter(isTaken)) {
    const bare = name.replace(/^magnus-/, "");
    let other = `magnus-${bare}`;
    for (let at = 1; used.has(other) || isTaken(other); at++) other = `magnus-opus-${bare}${at === 1 ? "" : `-${at}`}`;
    used.add(other);
    names[name] = other;
  }
  return names;
}

/** What OpenCode calls one of our agents. */
export function nameInOpencode(names: AgentNames, ours: string): string {
  return lookUp(names, ours) ?? ours;
}

/** What we call an agent of OpenCode's; undefined if it has one of our names, but is yours. */
export function ourName(names: AgentNames, agent: string): string | undefined {
  const ours = Object.keys(names).find((name) => names[name] === agent);
  return ours ?? (Object.hasOwn(names, agent) ? undefined : agent);
}

/** A text of ours that names agents in backticks, with their names in OpenCode. */
export function withNames(text: string, names: AgentNames): string {
  return text.replace(/`([a-z][a-z0-9-]*)`/g, (_, name: string) => `\`${nameInOpencode(names, name)}\``);
}
