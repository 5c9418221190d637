// The Agent Skills specification (agentskills.io). No tool enforces all of it, and each enforces a different part.
import { skillFolderOf } from "../../formats/markdown.ts";
import type { Rule } from "../rule.ts";
import type { Subject } from "../subject.ts";

const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 1024;
const LONGEST_COMPATIBILITY = 500;
const MOST_LINES = 500;
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const skillRules: readonly Rule[] = [
  {
    code: "skill-name-missing",
    severity: "warning",
    summary: "The specification requires a `name`, and OpenCode drops a skill without one.",
    *check(subject) {
      // Something may only seem to be missing if the frontmatter could not be read completely.
      if (subject.values.name !== undefined || !subject.isComplete) return;
      yield { message: "The skill has no `name`.", hint: `Add \`name: ${folderOf(subject)}\`.` };
    },
  },
  {
    code: "skill-name-length",
    severity: "warning",
    summary: "A skill's name must have 1 to 64 characters.",
    *check(subject) {
      const { name } = subject.values;
      if (typeof name !== "string" || isBetween(name, 1, LONGEST_NAME)) return;
      const message = `The name has ${name.length} characters; 1 to ${LONGEST_NAME} are allowed.`;
      yield { message, at: ["name"], hint: "Choose a shorter name; details belong in the description." };
    },
  },
  {
    code: "skill-name-pattern",
    severity: "warning",
    summary: "A skill's name may contain only a to z, 0 to 9, and single dashes between them.",
    *check(subject) {
      const { name } = subject.values;
      if (name === undefined || name === "") return;
      if (typeof name === "string" && NAME.test(name)) return;
      const shown = typeof name === "string" ? `"${name}"` : `of type ${typeof name}`;
      const message = `The name is ${shown}; only a to z, 0 to 9, and single dashes between them are allowed.`;
      yield { message, at: ["name"], hint: 'Use a name like "review-code"; put it in quotes if it is a number.' };
    },
  },
  {
    code: "skill-name-folder",
    severity: "warning",
    summary: "A skill's name must match its folder name, because some tools use one and some use the other.",
    *check(subject) {
      const { name } = subject.values;
      const folder = folderOf(subject);
      if (typeof name !== "string" || name === "" || folder === "" || name === folder) return;
      const message = `The name is "${name}", but the folder is "${folder}".`;
      yield { message, at: ["name"], hint: "Rename one of them." };
    },
  },
  {
    code: "skill-description-missing",
    severity: "warning",
    summary: "Without a description, models do not know when to use a skill.",
    *check(subject) {
      const { description } = subject.values;
      if ((typeof description === "string" && description.trim() !== "") || !subject.isComplete) return;
      const isThere = description !== undefined;
      const message = isThere ? "The description is empty or not a string." : "The skill has no `description`.";
      const hint = "Say in a sentence or two what it does and when to use it.";
      yield { message, ...(isThere && { at: ["description"] }), hint };
    },
  },
  {
    code: "skill-description-length",
    severity: "warning",
    summary: "A skill's description can have at most 1,024 characters; Copilot drops skills with longer ones.",
    *check(subject) {
      const { description } = subject.values;
      if (typeof description !== "string" || isBetween(description, 0, LONGEST_DESCRIPTION)) return;
      const length = [...description].length;
      const message = `The description has ${length} characters; at most ${LONGEST_DESCRIPTION} are allowed.`;
      const hint = "Keep what helps the model decide when to use the skill, and move the rest to the body.";
      yield { message, at: ["description"], hint };
    },
  },
  {
    code: "skill-compatibility",
    severity: "warning",
    summary: "`compatibility` must be a string of 1 to 500 characters.",
    *check(subject) {
      const { compatibility } = subject.values;
      if (compatibility === undefined) return;
      if (typeof compatibility === "string" && isBetween(compatibility, 1, LONGEST_COMPATIBILITY)) return;
      const message = `\`compatibility\` is not a string of 1 to ${LONGEST_COMPATIBILITY} characters.`;
      yield { message, at: ["compatibility"], hint: "Shorten it, or leave it out if the skill works everywhere." };
    },
  },
  {
    code: "skill-metadata",
    severity: "warning",
    summary: "`metadata` must map names to strings; a version such as 1.0 needs quotes.",
    *check(subject) {
      const { metadata } = subject.values;
      if (metadata === undefined) return;
      if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) {
        yield { message: "`metadata` is not a map.", at: ["metadata"], hint: 'Write `key: "value"` lines below it.' };
        return;
      }
      for (const [key, value] of Object.entries(metadata)) {
        if (typeof value === "string") continue;
        const kind = value === null ? "null" : Array.isArray(value) ? "list" : typeof value;
        const message = `\`metadata.${key}\` has type ${kind}; expected a string.`;
        yield { message, at: ["metadata", key], hint: "Put the value in quotes." };
      }
    },
  },
  {
    code: "skill-allowed-tools",
    severity: "warning",
    summary: "`allowed-tools` must be a list, or a string of tools separated by spaces.",
    *check(subject) {
      const value = subject.values["allowed-tools"];
      if (value === undefined) return;
      const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
      const hint = "Write a list such as [Read, Grep].";
      // All tools share this folder, so a skill in it should use only what all of them read.
      const isPortable = subject.entity.source.provider === "agent-skills";
      if (typeof value !== "string" && !isList) {
        yield { message: "`allowed-tools` is neither a string nor a list of strings.", at: ["allowed-tools"], hint };
      } else if (isPortable && typeof value === "string" && value.replaceAll(/\([^)]*\)/g, "").includes(",")) {
        const message =
          "`allowed-tools` uses commas where the specification uses spaces; not every tool accepts commas.";
        yield { message, at: ["allowed-tools"], hint };
      }
    },
  },
  {
    code: "skill-body-long",
    severity: "info",
    summary: "The specification recommends keeping a skill's body under 500 lines.",
    *check(subject) {
      const lines = subject.body.trimEnd().split("\n").length;
      if (lines < MOST_LINES) return;
      const message = `The body has ${lines} lines, and the model reads all of them whenever it uses the skill.`;
      yield { message, hint: "Move details into files next to SKILL.md, and refer to them where they are needed." };
    },
  },
];

export const agentSkillRules: readonly Rule[] = skillRules.map((rule) => ({ ...rule, about: "skill" }));

function folderOf({ entity }: Subject): string {
  const { relative } = entity.source;
  return relative?.includes("/") === true ? skillFolderOf(relative) : "";
}

function isBetween(text: string, least: number, most: number): boolean {
  const length = text.length <= most ? text.length : [...text].length;
  return length >= least && length <= most;
}
