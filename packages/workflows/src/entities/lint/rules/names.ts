import { isReservedOnWindows } from "@atomic/durable-files/safety/names";
import type { Entity } from "../../entity.ts";
import { providerTitles } from "../../entity.ts";
import { skillFolderOf } from "../../formats/markdown.ts";
import { fileOf } from "../../qualified-name.ts";
import { tools } from "../../tools/all.ts";
import { toolPlaceOf } from "../../tools/places.ts";
import { viewAs } from "../../tools/view-as.ts";
import type { Rule } from "../rule.ts";
import type { Subject } from "../subject.ts";

export const nameRules: readonly Rule[] = [
  {
    code: "name-duplicate",
    severity: "warning",
    summary: "Two files with the same name, tool and location: a tool uses one of them, merges them or lists both.",
    *check(subject) {
      const winner = winnerOver(subject, "same origin");
      if (winner === undefined) return;
      const { type, name } = winner;
      const outcomes = outcomesOf(winner, subject.entity);
      if (outcomes.length === 0) return;
      const message = `The ${type} "${name}" is also in ${fileOf(winner)}: ${outcomes.join(", ")}.`;
      yield { message, hint: "Rename one of them, or remove it." };
    },
  },
  {
    code: "name-command-and-skill",
    severity: "warning",
    summary: "Claude Code lists commands and skills together, and a skill hides a command with the same name.",
    about: "command",
    *check({ entity: { name, source }, registry }) {
      if (source.provider !== "claude") return;
      const skills = (["project", "user"] as const).map((location) => registry.getSkill(`claude:${location}/${name}`));
      const skill = skills.find(
        (found) => found !== undefined && skillFolderOf(found.source.relative ?? "").toLowerCase() === name,
      );
      if (skill === undefined) return;
      const message = `The skill in ${fileOf(skill)} has the same name, so Claude Code hides this command.`;
      yield { message, hint: "Rename one of them." };
    },
  },
  {
    code: "name-shadowed",
    severity: "info",
    summary: "Atomic prefers another file with this name: the project's to yours, and one tool's to another's.",
    *check(subject) {
      const winner = winnerOver(subject, "other origin");
      if (winner === undefined) return;
      const { registry, entity } = subject;
      const message = `Atomic prefers the ${winner.type} ${registry.qualifiedName(winner)} to this one.`;
      yield { message, hint: `This one is still available as ${registry.qualifiedName(entity)}.` };
    },
  },
  {
    code: "alias-taken",
    severity: "warning",
    summary: "An alias that resolves to another entity, because that entity has the name or takes precedence.",
    *check({ entity, registry }) {
      // A skill is also known by its folder's name, which is not meant as an alias.
      const folder = entity.type === "skill" ? skillFolderOf(entity.source.relative ?? "") : undefined;
      for (const alias of entity.aliases) {
        if (alias === folder) continue;
        const found = registry.get(entity.type, alias);
        if (found === undefined || found === entity || found.name === entity.name) continue;
        const message = `The alias "${alias}" resolves to ${registry.qualifiedName(found)}.`;
        yield { message, ...("aliases" in entity.frontmatter && { at: ["aliases"] }), hint: "Choose another alias." };
      }
    },
  },
  {
    code: "name-breaks-opencode",
    severity: "error",
    summary: "OpenCode cannot list its agents while one is named after a built-in JavaScript property.",
    about: "agent",
    *check({ entity: { displayName, source } }) {
      if (source.provider !== "opencode" || !(displayName in Object.prototype)) return;
      const what =
        displayName === "__proto__" ? "never lists this agent" : "lists no agents at all while this one exists";
      yield { message: `OpenCode ${what}: "${displayName}" is a built-in JavaScript property.`, hint: "Rename it." };
    },
  },
  {
    code: "name-not-portable",
    severity: "warning",
    summary: "A file name that Windows does not allow, so the repository cannot be checked out on Windows.",
    *check({ entity: { source } }) {
      const parts = source.pointer === undefined ? (source.relative?.split("/") ?? []) : [];
      const part = parts.find((each) => /[<>:"|?*\\]|[. ]$/.test(each) || isReservedOnWindows(each));
      if (part === undefined) return;
      yield { message: `Windows does not allow a file or folder named "${part}".`, hint: "Rename it." };
    },
  },
];

/** The origin is the provider and the location. Builtins are meant to be replaced, so that is not worth reporting. */
function winnerOver({ entity, registry }: Subject, from: "same origin" | "other origin"): Entity | undefined {
  const { provider, location } = entity.source;
  const winner = registry.get(entity.type, entity.name);
  if (winner === undefined || winner === entity || location === "builtin") return undefined;
  const isSame = winner.source.provider === provider && winner.source.location === location;
  return isSame === (from === "same origin") ? winner : undefined;
}

/** What each tool does with two files of one name; nothing if no tool reads both. */
function outcomesOf(winner: Entity, other: Entity): string[] {
  const both = [winner, other];
  // Only Atomic reads these.
  if (!both.some(({ source }) => tools.some(({ name }) => toolPlaceOf(name, source) !== undefined)))
    return ["only one of them is used"];
  return tools.flatMap(({ name }) => {
    const { agents, commands, skills } = viewAs(name, both);
    const [first, second] = [...agents, ...commands, ...skills];
    if (first === undefined || (second === undefined && first.shadowed.length === 0)) return [];
    const title = providerTitles[name];
    if (second !== undefined) return first.name === second.name ? `${title} lists both` : [];
    return name === "opencode" && first.type !== "skill"
      ? `${title} merges both, key by key`
      : `${title} uses only one`;
  });
}
