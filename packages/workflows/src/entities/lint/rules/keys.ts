import { didYouMean } from "@atomic/terminal/suggest";
import type { Entity } from "../../entity.ts";
import { providerTitles } from "../../entity.ts";
import { unacceptedKey } from "../../tools/opencode-frontmatter.ts";
import { knownKeys, restrictsEntity, retiredKeys } from "../known-keys.ts";
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
    about: "agent",
    *check({ entity: { source }, values }) {
      for (const [key, hint] of Object.entries(retiredKeys[source.provider] ?? {})) {
        const value = values[key];
        // What OpenCode does not accept does not work, and has its own finding.
        if (value === undefined || unacceptedKey("agent", { [key]: value }) !== undefined) continue;
        yield { message: `\`${key}\` is a deprecated ${providerTitles[source.provider]} key.`, at: [key], hint };
      }
    },
  },
];

function* unknownKeys(
  { entity, values }: Subject,
  wanted: "misspelled" | "foreign" | "unknown",
): Iterable<RuleProblem> {
  const known = knownKeys[entity.source.provider][entity.type];
  if (known === undefined) return;
  const memory = judged.get(known) ?? new Map<string, JudgedKey>();
  judged.set(known, memory);
  for (const key of Object.keys(values)) {
    if (known.has(key)) continue;
    const found = memory.get(key) ?? judgeKey(key, entity, known);
    if (memory.size === MOST_JUDGED) memory.clear();
    memory.set(key, found);
    if (found.kind === wanted) yield found.problem;
  }
}

type JudgedKey =
  /** These keys have their own rules. */
  | { readonly kind: "restriction" }
  | { readonly kind: "misspelled" | "foreign" | "unknown"; readonly problem: RuleProblem };

/**
 * By the keys of a provider's type. Thousands of files have the same few unknown keys, and to find out what was meant
 * takes a while.
 */
const judged = new WeakMap<ReadonlySet<string>, Map<string, JudgedKey>>();
const MOST_JUDGED = 1_000;

function judgeKey(key: string, entity: Entity, known: ReadonlySet<string>): JudgedKey {
  if (restrictsEntity(key, entity)) return { kind: "restriction" };
  const { type, source } = entity;
  const { provider } = source;
  let effect = `${providerTitles[provider]} ignores \`${key}\``;
  if (provider === "agent-skills") effect = `No tool reads \`${key}\``;
  if (provider === "opencode" && type === "agent") effect = `OpenCode passes \`${key}\` on to the model's provider`;
  const home = (["claude", "opencode", "copilot"] as const).find((each) =>
    Object.values(knownKeys[each]).some((keys) => keys.has(key)),
  );
  if (home !== undefined) {
    const owner = home === provider ? "a different type of file" : providerTitles[home];
    const hint = "Remove it, unless it is there for another tool.";
    return { kind: "foreign", problem: { message: `${effect}; it belongs to ${owner}.`, at: [key], hint } };
  }
  const [meant] = didYouMean(key, known);
  if (meant !== undefined) {
    const message = `${effect} (did you mean \`${meant}\`?).`;
    return { kind: "misspelled", problem: { message, at: [key], hint: `Write \`${meant}\`.` } };
  }
  const hint = "Remove it, or put it under `metadata` if it is meant for people.";
  return { kind: "unknown", problem: { message: `${effect}.`, at: [key], hint } };
}
