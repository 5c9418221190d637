import { type Frontmatter, parseFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { recoverLikeClaude, recoverLikeOpenCode } from "@atomic/workflows/internal/entities/frontmatter/recover";
import { readOpencodeFrontmatter, unacceptedKey } from "@atomic/workflows/internal/entities/tools/opencode-frontmatter";
import { checkNative } from "./check-native.ts";
import { isClaudeFormat } from "./claude-format.ts";
import { AUTHOR } from "./key-edits.ts";
import {
  type MarkdownFile,
  placeIn,
  placeInBody,
  type Remark,
  type Translation,
  type UserSettings,
} from "./markdown-file.ts";
import { translateAgent } from "./translate-agent.ts";
import { translateCommand, translateSkill } from "./translate-command.ts";

/** What OpenCode gets from a file; `refused` if the whole package must be refused because of it. */
export type DeliveredMarkdown = Translation | { readonly kind: "refused"; readonly problem: Remark };

/** Finding a key's position means scanning the whole frontmatter, and no file needs this many keys. */
const MOST_KEYS = 60;
/** Claude Code fills in paths and the like. */
const VARIABLE = /\$\{CLAUDE_[A-Z_]+\}/;

export function deliverMarkdown(file: MarkdownFile, settings: UserSettings): DeliveredMarkdown {
  // The file's values; invalid YAML is read as one of the two programs would read it.
  let matter = parseFrontmatter(file.text, { recover: recoverLikeClaude });
  if (!matter.complete) {
    const asOpencode = parseFrontmatter(file.text, { recover: recoverLikeOpenCode });
    if (asOpencode.complete) matter = asOpencode;
  }
  if (!matter.complete) {
    const message = "The frontmatter cannot be read completely, so its restrictions are unknown";
    return refused(file, matter, problemForOpencode(file.type, file.text) ?? { message, hint });
  }
  if (Object.keys(matter.values).length > MOST_KEYS) {
    const message = `Its frontmatter has more than ${MOST_KEYS} keys, too many to translate`;
    return { kind: "stopped", reason: { at: placeIn(file), message, hint: AUTHOR } };
  }
  let translation: Translation;
  if (file.type === "skill") translation = translateSkill(file, matter);
  else if (!isClaudeFormat(file, matter.values)) translation = checkNative(file, matter);
  else if (file.type === "agent") translation = translateAgent(file, matter, settings);
  else translation = translateCommand(file, matter, settings);
  if (translation.kind === "stopped") return translation;
  const problem = problemForOpencode(file.type, translation.text);
  if (problem !== undefined) return refused(file, matter, problem);
  const notes = [...translation.notes];
  const variable = VARIABLE.exec(file.text);
  if (variable !== null) {
    const message = `OpenCode does not expand ${variable[0]}`;
    notes.push({ at: placeInBody(file, variable.index), message, hint: "" });
  }
  const lineOf = ({ at }: Remark): number => Number(at.split(":").at(-2));
  return { ...translation, notes: notes.sort((a, b) => lineOf(a) - lineOf(b)) };
}

/** Places refer to the package's file, not to the translation. */
function refused(file: MarkdownFile, matter: Frontmatter, problem: FileProblem): DeliveredMarkdown {
  const { key, line, column = 1, message, hint } = problem;
  const position = key === undefined ? line && { line, column } : matter.positionOf([key]);
  return { kind: "refused", problem: { at: placeIn(file, position || undefined), message, hint } };
}

interface FileProblem {
  readonly message: string;
  readonly hint: string;
  /** The key that it is about, or the place. */
  readonly key?: string;
  readonly line?: number;
  readonly column?: number;
}

const hint = "Only the package's author can fix it.";

/** Why OpenCode would not start with this text, or would misread it. */
function problemForOpencode(type: MarkdownFile["type"], text: string): FileProblem | undefined {
  const matter = parseFrontmatter(text, { recover: recoverLikeOpenCode });
  const unreadable = matter.diagnostics.find(({ severity }) => severity === "error");
  if (unreadable !== undefined) return { ...unreadable, hint: unreadable.hint ?? hint };
  const reading = readOpencodeFrontmatter(text);
  if (reading.kind !== "values") {
    const message = `OpenCode cannot read the frontmatter and ignores it: ${reading.because}`;
    return { ...matter.diagnostics[0], message, hint };
  }
  const { values } = reading;
  // OpenCode ends the frontmatter at any line that starts with dashes, and has its own idea of dates.
  const misread = [...new Set([...Object.keys(values), ...Object.keys(matter.values)])].find(
    (key) => !(values[key] instanceof Date) && JSON.stringify(values[key]) !== JSON.stringify(matter.values[key]),
  );
  if (misread !== undefined) {
    return { key: misread, message: `OpenCode reads ${JSON.stringify(misread)} differently from other tools`, hint };
  }
  if (type !== "skill") {
    const key = unacceptedKey(type, values);
    if (key === undefined) return undefined;
    return { key, message: `OpenCode fails to start with this value for ${JSON.stringify(key)}`, hint };
  }
  const { name, description } = values;
  if (typeof name !== "string") return { key: "name", message: "OpenCode skips a skill without a name", hint };
  if (description === undefined || typeof description === "string") return undefined;
  return { key: "description", message: "OpenCode skips a skill whose description is not text", hint };
}
