// A restriction that no tool enforces is worse than none: its author relies on it.

import { providerTitles } from "../../entity.ts";
import { isIgnoredByClaude, isUnknownTo, likelyClaudeTools } from "../../normalize/tool-names.ts";
import { restrictingKeys, restrictsEntity } from "../known-keys.ts";
import type { Rule } from "../rule.ts";
import type { Subject } from "../subject.ts";

export const restrictionRules: readonly Rule[] = [
  {
    code: "restriction-ignored",
    severity: "warning",
    summary: "A restriction that is ignored by every tool that reads the file.",
    *check(subject) {
      const { type, source } = subject.entity;
      for (const { key, readers, ignoring } of restrictionsIn(subject)) {
        if (readers.length === 0 || ignoring.length < readers.length) continue;
        const tool = source.provider === "agent-skills" || source.provider === "hugo" ? "opencode" : source.provider;
        const enforced = [...(restrictingKeys[tool][type] ?? [])];
        const denies = /dis|denied|excluded|forbidden/i.test(key);
        const best = enforced.find((each) => each === "permission" || /dis/i.test(each) === denies);
        const message = `${subjectAnd("ignore", ignoring)} \`${key}\` here, so nothing is restricted.`;
        let hint = "Restrict the agent that runs it instead, or remove the key.";
        if (best !== undefined) hint = `Write \`${best}\`.`;
        else if (enforced.includes("tools")) hint = "List the tools that it may use in `tools`.";
        yield { message, at: [key], hint };
      }
    },
  },
  {
    code: "restriction-not-everywhere",
    severity: "info",
    summary: "A restriction that is enforced by only some of the tools that load the file.",
    *check(subject) {
      for (const { key, readers, ignoring } of restrictionsIn(subject)) {
        if (ignoring.length === 0 || ignoring.length === readers.length) continue;
        const message = `${subjectAnd("load", ignoring)} this file without enforcing \`${key}\`.`;
        yield { message, at: [key], hint: "Do not rely on this restriction there." };
      }
    },
  },
  {
    code: "tools-unknown",
    severity: "warning",
    summary: "An agent that lists a misspelled tool, or only tools that its program does not have, so it can use none.",
    about: "agent",
    *check({ entity: { source }, values }) {
      const { provider } = source;
      if (provider !== "claude" && provider !== "copilot") return;
      const names = [values.tools]
        .flat()
        .flatMap((item) => (typeof item === "string" ? item.replaceAll(/\([^)]*\)/g, "").split(/[\s,]+/) : []))
        .filter((name) => name !== "");
      // A name in the wrong case has its own finding.
      const isMisspelled = provider === "claude" && names.some(isIgnoredByClaude);
      if (names.length === 0 || isMisspelled) return;
      if (!names.every((name) => isUnknownTo(provider, name))) {
        for (const name of provider === "claude" ? names : []) {
          const [meant] = likelyClaudeTools(name);
          if (meant === undefined) continue;
          yield { message: `Claude has no tool "${name}".`, at: ["tools"], hint: `Did you mean ${meant}?` };
        }
        return;
      }
      const message = `${providerTitles[provider]} has none of the tools in \`tools\`, so this agent has no tools.`;
      const examples = provider === "claude" ? "Read, Grep or Bash" : "read, search or execute";
      yield { message, at: ["tools"], hint: `Use ${providerTitles[provider]}'s names, such as ${examples}.` };
    },
  },
];

/** For each key that restricts: the titles of the tools that load the file, and of those that ignore the key. */
function restrictionsIn({ entity, values, verdicts }: Subject) {
  const { source, type } = entity;
  const keys = Object.keys(values).filter((key) => restrictsEntity(key, entity) && values[key] !== undefined);
  if (keys.length === 0) return [];
  // Only Atomic itself loads its own files.
  const loading =
    source.provider === "atomic"
      ? [{ tool: "atomic" as const, kind: type }]
      : verdicts.flatMap(({ tool, loads, kind }) => (loads && kind !== undefined ? [{ tool, kind }] : []));
  const readers = loading.map(({ tool }) => providerTitles[tool]);
  return keys.map((key) => {
    const ignoring = loading.filter(({ tool, kind }) => restrictingKeys[tool][kind]?.has(key) !== true);
    return { key, readers, ignoring: ignoring.map(({ tool }) => providerTitles[tool]) };
  });
}

function subjectAnd(verb: string, titles: readonly string[]): string {
  return `${titles.join(" and ")} ${verb}${titles.length === 1 ? "s" : ""}`;
}
