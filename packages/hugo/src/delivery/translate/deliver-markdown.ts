import type { Frontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { checkNative } from "./check-native.ts";
import { isClaudeFormat } from "./claude-format.ts";
import type { DeliverOptions } from "./delivery.ts";
import { AUTHOR } from "./key-edits.ts";
import { type MarkdownFile, placeIn, type Remark, readMarkdown, type Translation } from "./markdown-file.ts";
import { placeInBody } from "./place-in-body.ts";
import { type FileProblem, problemForOpencode } from "./problem-for-opencode.ts";
import { translateAgent } from "./translate-agent.ts";
import { translateCommand } from "./translate-command.ts";
import { translateSkill } from "./translate-skill.ts";

/** What OpenCode gets of a file; `refused` if the whole package cannot be accepted with it. */
export type DeliveredMarkdown = Translation | { readonly kind: "refused"; readonly problem: Remark };

export function deliverMarkdown(file: MarkdownFile, options: DeliverOptions): DeliveredMarkdown {
  const matter = readMarkdown(file.text);
  if (!matter.complete) return refused(file, matter, problemForOpencode(file.type, file.text) ?? UNREADABLE);
  const translation = translate(file, matter, options);
  if (translation.kind === "stopped") return translation;
  const problem = problemForOpencode(file.type, translation.text);
  if (problem !== undefined) return refused(file, matter, problem);
  return { ...translation, notes: [...translation.notes, ...variableNotes(file)].sort(byPlace) };
}

function byPlace(a: Remark, b: Remark): number {
  return lineOf(a) - lineOf(b);
}

function lineOf({ at }: Remark): number {
  return Number(at.split(":").at(-2));
}

const UNREADABLE: FileProblem = {
  message: "The frontmatter cannot be read to its end, so its restrictions are unknown",
  hint: "Only the author of the package can mend it.",
};

/** To find the place of a key costs a look at all of the frontmatter, and nobody needs as many. */
const MOST_KEYS = 60;

function translate(file: MarkdownFile, matter: Frontmatter, options: DeliverOptions): Translation {
  if (Object.keys(matter.values).length > MOST_KEYS) {
    const message = `Its frontmatter has more than ${MOST_KEYS} keys, which is too much to be translated`;
    return { kind: "stopped", reason: { at: placeIn(file), message, hint: AUTHOR } };
  }
  if (file.type === "skill") return translateSkill(file, matter);
  if (!isClaudeFormat(file, matter.values)) return checkNative(file, matter);
  return file.type === "agent" ? translateAgent(file, matter, options) : translateCommand(file, matter, options);
}

/** Places are those of the package, whatever the translation has moved. */
function refused(file: MarkdownFile, matter: Frontmatter, problem: FileProblem): DeliveredMarkdown {
  const { key, line, column = 1, message, hint } = problem;
  const position = key === undefined ? line && { line, column } : matter.positionOf([key]);
  return { kind: "refused", problem: { at: placeIn(file, position || undefined), message, hint } };
}

const VARIABLE = /\$\{CLAUDE_[A-Z_]+\}/;

/** Claude Code puts paths and the like there. */
function variableNotes(file: MarkdownFile): Remark[] {
  const found = VARIABLE.exec(file.text);
  if (found === null) return [];
  return [{ at: placeInBody(file, found.index), message: `OpenCode leaves ${found[0]} as it stands`, hint: "" }];
}
