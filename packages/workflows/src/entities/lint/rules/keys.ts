import { didYouMean } from "@atomic/terminal/suggest";
import { homesOfKey, knownKeysOf, looksRestricting, retiredKeys, titleOf } from "../known-keys.ts";
import type { Rule } from "../rule.ts";
import type { Subject } from "../subject.ts";

type UnknownKey =
  | { readonly kind: "misspelled"; readonly key: string; readonly meant: string }
  | { readonly kind: "foreign"; readonly key: string; readonly home: string }
  | { readonly kind: "unknown"; readonly key: string };

export const keyRules: readonly Rule[] = [
  {
    code: "key-misspelled",
    severity: "warning",
    summary: "A key that no tool reads, but that closely resembles one that a tool does read.",
    *check(subject) {
      for (const unknown of unknownKeys(subject)) {
        if (unknown.kind !== "misspelled") continue;
        const { key, meant } = unknown;
        const message = `${fateOf(subject, key)} (did you mean \`${meant}\`?).`;
        yield { message, at: [key], hint: `Write \`${meant}\`.` };
      }
    },
  },
  {
    code: "key-foreign",
    severity: "info",
    summary: "Another tool's key, which has no effect in this file.",
    *check(subject) {
      for (const unknown of unknownKeys(subject)) {
        if (unknown.kind !== "foreign") continue;
        const { key, home } = unknown;
        const message = `${fateOf(subject, key)}; it belongs to ${home}.`;
        yield { message, at: [key], hint: "Remove it, unless it is there for another tool." };
      }
    },
  },
  {
    code: "key-unknown",
    severity: "info",
    summary: "A key that no tool reads.",
    *check(subject) {
      for (const unknown of unknownKeys(subject)) {
        if (unknown.kind !== "unknown") continue;
        const message = `${fateOf(subject, unknown.key)}.`;
        yield { message, at: [unknown.key], hint: "Remove it, or put it below `metadata` if it is for people." };
      }
    },
  },
  {
    code: "key-retired",
    severity: "info",
    summary: "A key that still works but is deprecated.",
    *check(subject) {
      const { source, type } = subject.entity;
      for (const key of Object.keys(subject.values)) {
        const hint = retiredKeys.get(`${source.provider} ${type} ${key}`);
        if (hint !== undefined)
          yield { message: `\`${key}\` is a deprecated ${titleOf(source.provider)} key.`, at: [key], hint };
      }
    },
  },
];

/** Keys that restrict are not here: rules of their own say what becomes of those. */
function* unknownKeys({ entity, values }: Subject): Iterable<UnknownKey> {
  const { provider } = entity.source;
  const known = knownKeysOf(provider, entity.type);
  if (known === undefined) return;
  for (const key of Object.keys(values)) {
    if (known.has(key) || looksRestricting(key)) continue;
    const [home] = homesOfKey(key);
    const [meant] = didYouMean(key, known);
    if (home !== undefined)
      yield { kind: "foreign", key, home: home === provider ? "its files of another type" : titleOf(home) };
    else if (meant !== undefined) yield { kind: "misspelled", key, meant };
    else yield { kind: "unknown", key };
  }
}

function fateOf({ entity: { type, source } }: Subject, key: string): string {
  const { provider } = source;
  if (provider === "opencode" && type === "agent") return `OpenCode passes \`${key}\` on to the model's provider`;
  return provider === "agent-skills" ? `No tool reads \`${key}\`` : `${titleOf(provider)} ignores \`${key}\``;
}
