// A restriction that no tool enforces is worse than none: its author relies on it.
import { looksRestricting, restrictsBy, titleOf } from "../known-keys.ts";
import type { Rule } from "../rule.ts";
import type { Subject } from "../subject.ts";

interface Reader {
  readonly title: string;
  readonly heeds: (key: string) => boolean;
}

export const restrictionRules: readonly Rule[] = [
  {
    code: "restriction-ignored",
    severity: "warning",
    summary: "A key that is meant to restrict, in a file whose readers all ignore it.",
    *check(subject) {
      const readers = readersOf(subject);
      for (const key of restrictingKeys(subject)) {
        if (readers.length === 0 || readers.some(({ heeds }) => heeds(key))) continue;
        const message = `${subjectAnd("ignore", readers)} \`${key}\` here, so nothing is restricted.`;
        yield { message, at: [key], hint: hintFor(subject, key) };
      }
    },
  },
  {
    code: "restriction-not-everywhere",
    severity: "info",
    summary: "A restriction that one tool enforces, in a file that another tool loads without it.",
    *check(subject) {
      const readers = readersOf(subject);
      for (const key of restrictingKeys(subject)) {
        const deaf = readers.filter(({ heeds }) => !heeds(key));
        if (deaf.length === 0 || deaf.length === readers.length) continue;
        const message = `${subjectAnd("load", deaf)} this file, too, but without enforcing \`${key}\`.`;
        yield { message, at: [key], hint: "Do not rely on it where that tool is used." };
      }
    },
  },
];

function restrictingKeys({ values }: Subject): string[] {
  return Object.keys(values).filter((key) => looksRestricting(key) && values[key] !== undefined);
}

/** Each tool that loads the file, and Atomic for its own. */
function readersOf({ entity, verdicts }: Subject): Reader[] {
  if (entity.source.provider === "atomic") {
    return [{ title: "Atomic", heeds: (key) => restrictsBy("atomic", entity.type, key) }];
  }
  return verdicts.flatMap(({ tool, loads, kind }) =>
    loads && kind !== undefined ? [{ title: titleOf(tool), heeds: (key) => restrictsBy(tool, kind, key) }] : [],
  );
}

function hintFor({ entity: { type, source } }: Subject, key: string): string {
  const tool = source.provider === "agent-skills" || source.provider === "hugo" ? "opencode" : source.provider;
  const heeded = ["allowed-tools", "disallowed-tools", "tools", "disallowedTools", "permission"].filter((candidate) =>
    restrictsBy(tool, type, candidate),
  );
  const denies = /dis|denied|excluded|forbidden/i.test(key);
  const best = heeded.find((candidate) => /dis/i.test(candidate) === denies) ?? heeded[0];
  if (best !== undefined) return `Write \`${best}\`.`;
  return "Restrict the agent that runs it instead, or remove the key.";
}

function subjectAnd(verb: string, readers: readonly Reader[]): string {
  return `${readers.map(({ title }) => title).join(" and ")} ${verb}${readers.length === 1 ? "s" : ""}`;
}
