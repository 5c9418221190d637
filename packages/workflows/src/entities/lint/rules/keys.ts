import { didYouMean } from "@atomic/terminal/suggest";
import { knownKeys, providerTitles, restrictsEntity, retiredKeys } from "../known-keys.ts";
import type { Rule, RuleProblem } from "../rule.ts";
import type { Subject } from "../subject.ts";

export const keyRules: readonly Rule[] = [
  {
    code: "key-misspelled",
    severity: "warning",
    summary: "A key that no tool reads and that looks like a misspelling of a known key.",
    check: (subject) => unknownKeys(subject, "misspelled"),
  },
  {
    code: "key-foreign",
    severity: "info",
    summary: "Another tool's key, which has no effect in this file.",
    check: (subject) => unknownKeys(subject, "foreign"),
  },
  {
    code: "key-unknown",
    severity: "info",
    summary: "A key that no tool reads.",
    check: (subject) => unknownKeys(subject, "unknown"),
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
          yield { message: `\`${key}\` is a deprecated ${providerTitles[source.provider]} key.`, at: [key], hint };
      }
    },
  },
];

/** Keys that restrict have their own rules, so they are left out here. */
function* unknownKeys(
  { entity, values }: Subject,
  wanted: "misspelled" | "foreign" | "unknown",
): Iterable<RuleProblem> {
  const { type } = entity;
  const { provider } = entity.source;
  const known = knownKeys[provider][type];
  if (known === undefined) return;
  for (const key of Object.keys(values)) {
    if (known.has(key) || restrictsEntity(key, entity)) continue;
    let effect = `${providerTitles[provider]} ignores \`${key}\``;
    if (provider === "agent-skills") effect = `No tool reads \`${key}\``;
    if (provider === "opencode" && type === "agent") effect = `OpenCode passes \`${key}\` on to the model's provider`;
    const home = (["claude", "opencode", "copilot"] as const).find((each) =>
      Object.values(knownKeys[each]).some((keys) => keys.has(key)),
    );
    const [meant] = didYouMean(key, known);
    const kind = home !== undefined ? "foreign" : meant !== undefined ? "misspelled" : "unknown";
    if (kind !== wanted) continue;
    if (home !== undefined) {
      const owner = home === provider ? "a different type of file" : providerTitles[home];
      const hint = "Remove it, unless it is there for another tool.";
      yield { message: `${effect}; it belongs to ${owner}.`, at: [key], hint };
    } else if (meant !== undefined) {
      yield { message: `${effect} (did you mean \`${meant}\`?).`, at: [key], hint: `Write \`${meant}\`.` };
    } else {
      const hint = "Remove it, or put it under `metadata` if it is meant for people.";
      yield { message: `${effect}.`, at: [key], hint };
    }
  }
}
