// References to other entities, where the text certainly means a name.

import { didYouMean, editDistance } from "@atomic/terminal/suggest";
import type { Provider } from "../../entity.ts";
import { providerTitles } from "../../entity.ts";
import { lookupKey } from "../../qualified-name.ts";
import { builtinAgents, builtinCommands, builtinSkills } from "../known-names.ts";
import type { Rule, RuleProblem } from "../rule.ts";
import type { Subject } from "../subject.ts";

/** Whose skills each tool can preload into an agent. */
const skillProviders: Readonly<Partial<Record<Provider, readonly Provider[]>>> = {
  claude: ["claude"],
  copilot: ["copilot", "agent-skills", "claude"],
};

const MENTIONED_AGENT = /(?<![\w`@/.-])@agent-([A-Za-z0-9][\w-]*)(?![\w:./-]*[\w:/])/g;
const MENTIONED_COMMAND =
  /`\/([A-Za-z][\w:-]*)(?: [^`\n]*)?`\s+(?:slash[- ])?(?:command|skill)\b|\bslash[- ]command\s+`\/([A-Za-z][\w:-]*)(?: [^`\n]*)?`/g;
/** Placeholder names used in documentation. */
const placeholder: ReadonlySet<string> = new Set("name command command-name skill skill-name foo x".split(" "));

export const referenceRules: readonly Rule[] = [
  {
    code: "reference-agent-missing",
    severity: "warning",
    summary: "`agent:` or an @agent-… mention names an agent that the tool does not have.",
    *check(subject) {
      const { entity, values, body, bodyStart } = subject;
      const { agent } = values;
      if (entity.type !== "agent" && typeof agent === "string" && isPlain(agent)) {
        yield* missing(subject, "agent", agent, ["agent"]);
      }
      if (entity.source.provider !== "claude") return;
      for (const { 1: name = "", index } of body.matchAll(MENTIONED_AGENT)) {
        if (!placeholder.has(name)) yield* missing(subject, "agent", name, bodyStart + index);
      }
    },
  },
  {
    code: "reference-skill-missing",
    severity: "warning",
    summary: "An agent's `skills:` names a skill that the tool does not have.",
    about: "agent",
    *check(subject) {
      const { entity, values } = subject;
      if (skillProviders[entity.source.provider] === undefined) return;
      const listed = typeof values.skills === "string" ? values.skills.split(",") : values.skills;
      for (const item of Array.isArray(listed) ? listed : []) {
        const name = typeof item === "string" ? item.trim() : "";
        if (isPlain(name)) yield* missing(subject, "skill", name, ["skills"]);
      }
    },
  },
  {
    code: "reference-command-missing",
    severity: "info",
    summary: "The body mentions a slash command that does not exist, one letter away from one that does.",
    *check(subject) {
      const { namesOf, body, bodyStart, entity } = subject;
      if (entity.type === "workflow") return;
      for (const { 1: before, 2: after, index } of body.matchAll(MENTIONED_COMMAND)) {
        const name = lookupKey(before ?? after ?? "");
        const [commands, skills] = [namesOf("command", undefined), namesOf("skill", undefined)];
        if (commands.has(name) || skills.has(name) || builtinCommands.has(name)) continue;
        // A name that is like no other may be a plugin's, another tool's or an example.
        const meant = [...commands, ...skills].find((known) => editDistance(name, known, 1) !== undefined);
        if (name.length < SHORTEST_TYPO || meant === undefined) continue;
        const message = `The command or skill "/${name}" does not exist (did you mean "/${meant}"?).`;
        yield { message, at: bodyStart + index, hint: `Write "/${meant}".` };
      }
    },
  },
];

/** Between shorter names, one letter is often the whole difference. */
const SHORTEST_TYPO = 4;

function* missing(
  { entity, registry, namesOf }: Subject,
  type: "agent" | "skill",
  name: string,
  at: NonNullable<RuleProblem["at"]>,
): Iterable<RuleProblem> {
  const { provider } = entity.source;
  // A tool has only the agents in its own files; Atomic takes them all.
  const owners = type === "skill" ? skillProviders[provider] : provider === "atomic" ? undefined : [provider];
  const own = namesOf(type, owners);
  const builtin = (type === "skill" ? builtinSkills : builtinAgents)[provider];
  const key = lookupKey(name);
  if (own.has(key) || builtin.has(key)) return;
  const [meant] = didYouMean(name, [...own, ...builtin]);
  const elsewhere = registry.get(type, name);
  const owner =
    elsewhere === undefined ? "" : `; it does not use the one in ${providerTitles[elsewhere.source.provider]}`;
  const hint = meant === undefined ? `Create the ${type}, or correct the name.` : `Write "${meant}".`;
  yield { message: `${providerTitles[provider]} has no ${type} "${name}"${owner}.`, at, hint };
}

/** A name with a colon belongs to a plugin, which lint does not open; one with `$` or `{` is filled in later. */
function isPlain(name: string): boolean {
  return name !== "" && !/[:${}*]/.test(name);
}
