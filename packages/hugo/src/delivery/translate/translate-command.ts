// Commands and skills, which OpenCode also offers as commands: it can restrict neither.
import { findClaudePlaceholders, readArgumentNames } from "@atomic/workflows/internal/entities/arguments";
import { findShellAndFileReferences } from "@atomic/workflows/internal/entities/arguments/references";
import type { Frontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { looksRestricting } from "@atomic/workflows/internal/entities/lint/known-keys";
import { normalizeTools } from "@atomic/workflows/internal/entities/normalize/tools";
import { matchesWildcard } from "@atomic/workflows/internal/permission/wildcard";
import { AUTHOR, KeyEdits } from "./key-edits.ts";
import { type MarkdownFile, placeInBody, type Remark, type Translation, type UserSettings } from "./markdown-file.ts";
import { opencodeAgent } from "./permission-of-tools.ts";

/** Enough to see what is meant. */
const MOST_NOTES = 10;

/** Translates a Claude Code command for OpenCode, which ignores all keys that it does not know. */
export function translateCommand(
  file: MarkdownFile,
  matter: Frontmatter,
  { models }: Pick<UserSettings, "models">,
): Translation {
  const edits = new KeyEdits(file, matter);
  const { values } = edits;
  const lost = lostRestriction(edits) ?? edits.lostHooks() ?? lostShellLimit(file, edits, matter.bodyStart);
  if (lost !== undefined) return { kind: "stopped", reason: lost };
  edits.translateName();
  edits.translateModel(models);

  // `context: fork` runs it in a separate agent; without that, Claude Code ignores `agent`.
  const { agent, context, subtask } = values;
  if (context === "fork") {
    const name = typeof agent === "string" ? opencodeAgent(agent) : "general";
    edits.replace("context", { key: "subtask", lines: ["subtask: true"], value: true });
    if (agent === undefined) edits.add(KeyEdits.text("agent", name));
    else if (agent !== name) edits.replace("agent", KeyEdits.text("agent", name));
  } else if (agent !== undefined && subtask === undefined) {
    edits.remove("agent");
  }
  if (values["allowed-tools"] !== undefined) {
    const message = '"allowed-tools" reduces prompts in Claude Code; your settings decide when OpenCode asks';
    edits.note("allowed-tools", message);
  }

  const body = file.text.slice(matter.bodyStart);
  const translated = translateArguments(body, values.arguments);
  for (const { offset, message } of translated.notes.slice(0, MOST_NOTES)) {
    edits.note("arguments", message, placeInBody(file, matter.bodyStart + offset));
  }
  // If the names stayed, a reader of the result would translate it again.
  if (values.arguments !== undefined) edits.remove("arguments");
  return edits.apply(translated.body === body ? undefined : translated.body);
}

/** Translates any tool's SKILL.md for OpenCode, which needs its folder's name in it. */
export function translateSkill(file: MarkdownFile, matter: Frontmatter): Translation {
  const edits = new KeyEdits(file, matter);
  const { values } = edits;
  const lost = lostRestriction(edits) ?? edits.lostHooks() ?? lostShellLimit(file, edits, matter.bodyStart);
  if (lost !== undefined) return { kind: "stopped", reason: lost };
  // As Claude Code reads a flag.
  const flag = String(values["disable-model-invocation"]).trim().toLowerCase();
  if (["true", "1", "yes", "on"].includes(flag)) {
    const message = "Only the user may invoke it, but in OpenCode the model can invoke any skill";
    return { kind: "stopped", reason: edits.remark("disable-model-invocation", message, AUTHOR) };
  }
  // Without frontmatter, a name cannot be added, and OpenCode skips the file.
  if (Object.keys(values).length === 0) return { kind: "translated", text: file.text, notes: [] };
  const { name, description } = values;
  if (name === undefined) edits.add(KeyEdits.text("name", file.name));
  else if (name !== file.name) {
    edits.replace("name", KeyEdits.text("name", file.name));
  }
  if (name !== undefined && name !== file.name && name !== file.ownName) {
    const message = `Its "name" is ${JSON.stringify(name)}, but OpenCode uses the folder name, "${file.name}"`;
    edits.note("name", message);
  }
  if (description === undefined || description === "") {
    edits.note("description", "OpenCode does not show the model a skill without a description");
  }
  return edits.apply();
}

/** Claude Code can still use other tools; it asks first. */
const GRANTS = /^allowed[-_]?tools$/i;

/** OpenCode runs a command with the session's agent and all its permissions. */
function lostRestriction(edits: KeyEdits): Remark | undefined {
  const key = Object.keys(edits.values).find((each) => looksRestricting(each) && !GRANTS.test(each));
  if (key === undefined) return undefined;
  return edits.remark(key, `"${key}" is a restriction, but OpenCode can only restrict agents`, AUTHOR);
}

/** With nothing between the marks, and preceded by white space. */
const IS_APART = /^\s?!`/;
const HARMLESS = /(?<=\s)2>(?:&1| ?\/dev\/null)(?=\s|$)/g;

/**
 * The first command that OpenCode would run and Claude Code would not. Both run the !`commands` in a text, but not the
 * same ones, and only Claude Code looks at permissions first.
 */
function lostShellLimit(file: MarkdownFile, edits: KeyEdits, bodyStart: number): Remark | undefined {
  const body = file.text.slice(bodyStart);
  const normal = normalizeTools(edits.values["allowed-tools"], { provider: "claude", key: "allowed-tools" });
  const rules = normal.kind === "restricted" ? (normal.restrictions.allow ?? []) : [];
  const patterns = rules.flatMap(({ tool, pattern = "*" }) => (tool === "bash" ? [pattern] : []));
  const isListed = (command: string): boolean =>
    patterns.some((pattern) => {
      if (pattern === "*" || pattern === ":*") return true;
      if (/[?\\]/.test(pattern) || /[;&|<>`\n]|\$\(/.test(command)) return pattern === command;
      // Claude's `git:*` is everyone else's `git *`.
      return matchesWildcard(pattern.replace(/:\*$/, " *"), command);
    });
  /** Several commands in a row are allowed if each one is; anything more complex has to be listed itself. */
  const isAllowed = (line: string): boolean => {
    if (normal.kind === "unrestricted" || isListed(line)) return true;
    const parts = line.replaceAll(HARMLESS, "").split(/&&|\|\||[;|]/);
    return parts.every((part) => !/[&<>`\n]|\$\(/.test(part.trim()) && isListed(part.trim()));
  };
  for (const { kind, text, start } of findShellAndFileReferences(body)) {
    // Claude Code runs blocks, too, but OpenCode does not.
    if (kind !== "shell" || body.charAt(start) !== "!") continue;
    const isPlainText = !IS_APART.test(body.slice(Math.max(0, start - 1), start + 2));
    if (!isPlainText && isAllowed(text)) continue;
    const why = isPlainText ? "Claude Code treats it as plain text" : '"allowed-tools" does not allow it';
    const message = `OpenCode would run ${JSON.stringify(text)} in a shell, but ${why}`;
    return { at: placeInBody(file, bodyStart + start), message, hint: AUTHOR };
  }
  return undefined;
}

interface TranslatedBody {
  readonly body: string;
  /** With the place in the body that each is about. */
  readonly notes: readonly { readonly offset: number; readonly message: string }[];
}

/**
 * Claude Code counts words from 0 and gives them names, OpenCode counts from 1.
 *
 * @example
 * translateArguments("Move $0 to $to", ["from", "to"]).body; // "Move $1 to $2"
 */
export function translateArguments(body: string, given: unknown): TranslatedBody {
  const names = readArgumentNames(given);
  const placeholders = findClaudePlaceholders(body, names);
  const positions = placeholders.filter((each) => each.kind === "position");
  // `$ARGUMENTS[0]5` would become `$15`.
  const isMixedUp = positions.some(({ end }) => /^\d/.test(body.slice(end, end + 1)));
  // `$ARGUMENTS[1]` has always counted from 0. `$1` did not, and an author without a `$0` may not know that it does now.
  const isFromZero =
    names.length > 0 || positions.some(({ index, start, end }) => index === 0 || body.slice(start, end).endsWith("]"));

  const notes = new Map<string, number>();
  let translated = "";
  let at = 0;
  for (const placeholder of placeholders) {
    const { start, end } = placeholder;
    const written = body.slice(start, end);
    /** Undefined for what stays as it is. */
    let number: number | undefined;
    if (placeholder.kind === "name") number = names.indexOf(placeholder.name) + 1;
    else if (placeholder.kind === "position" && isFromZero && !isMixedUp) number = placeholder.index + 1;
    translated += body.slice(at, start) + (number === undefined ? written : `$${number}`);
    at = end;
    let message: string | undefined;
    if (placeholder.kind === "escaped") {
      message = "OpenCode has no backslash escape for placeholders";
    } else if (number !== undefined) {
      message = `"${written}" becomes "$${number}" in OpenCode, where the last placeholder takes the remaining arguments`;
    } else if (placeholder.kind === "position") {
      message = isMixedUp
        ? "No placeholders were translated because one is followed directly by a digit; OpenCode counts from 1"
        : "Without a $0, Hugo assumes that arguments are numbered from 1, as in OpenCode";
    }
    if (message !== undefined && !notes.has(message)) notes.set(message, start);
  }
  return { body: translated + body.slice(at), notes: [...notes].map(([message, offset]) => ({ offset, message })) };
}
