// Commands and skills, which OpenCode also offers as commands: it can restrict neither.
import { findClaudePlaceholders, readArgumentNames } from "@atomic/workflows/internal/entities/arguments";
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
  const lost = lostRestriction(edits) ?? edits.lostHooks();
  if (lost !== undefined) return { kind: "stopped", reason: lost };
  const plain = plainBody(file, edits, matter.bodyStart);
  const unlimited = lostShellLimit(file, edits, matter.bodyStart, plain);
  if (unlimited !== undefined) return { kind: "stopped", reason: unlimited };
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
  const translated = translateArguments(plain, values.arguments);
  const shown = { ...file, text: file.text.slice(0, matter.bodyStart) + plain };
  for (const { offset, message } of translated.notes.slice(0, MOST_NOTES)) {
    edits.note("arguments", message, placeInBody(shown, matter.bodyStart + offset));
  }
  // If the names stayed, a reader of the result would translate it again.
  if (values.arguments !== undefined) edits.remove("arguments");
  return edits.apply(translated.body === body ? undefined : translated.body);
}

/** Translates any tool's SKILL.md for OpenCode, which needs its folder's name in it. */
export function translateSkill(file: MarkdownFile, matter: Frontmatter): Translation {
  const edits = new KeyEdits(file, matter);
  const { values } = edits;
  const lost = lostRestriction(edits) ?? edits.lostHooks();
  if (lost !== undefined) return { kind: "stopped", reason: lost };
  const plain = plainBody(file, edits, matter.bodyStart);
  const unlimited = lostShellLimit(file, edits, matter.bodyStart, plain);
  if (unlimited !== undefined) return { kind: "stopped", reason: unlimited };
  // As Claude Code reads a flag.
  const flag = String(values["disable-model-invocation"]).trim().toLowerCase();
  if (["true", "1", "yes", "on"].includes(flag)) {
    const message = "Only you may invoke it, but in OpenCode the model can invoke any skill";
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
    const message = `Its "name" is ${JSON.stringify(name)}, but in OpenCode it is "${file.name}"`;
    edits.note("name", message);
  }
  if (description === undefined || description === "") {
    edits.note("description", "OpenCode does not show the model a skill without a description");
  }
  return edits.apply(plain === file.text.slice(matter.bodyStart) ? undefined : plain);
}

/** Claude Code can still use other tools; it asks first. */
const GRANTS = /^allowed[-_]?tools$/i;

/** OpenCode runs a command with the session's agent and all its permissions. */
function lostRestriction(edits: KeyEdits): Remark | undefined {
  const key = Object.keys(edits.values).find((each) => looksRestricting(each) && !GRANTS.test(each));
  if (key === undefined) return undefined;
  return edits.remark(key, `"${key}" is a restriction, but OpenCode can only restrict agents`, AUTHOR);
}

/** As OpenCode finds commands, once it has filled in no words at all. */
const COMMAND = /!(?:\$[\w$[\]]*)?`([^`]+)`/g;
/** With nothing between the marks, and preceded by white space. */
const IS_APART = /^\s?!`/;

/**
 * The body with a space behind every `!` that only OpenCode would take for the start of a command. Prose has many of
 * them, such as two pieces of code of which the first ends with one. OpenCode runs them when a skill is used as a command.
 */
function plainBody(file: MarkdownFile, edits: KeyEdits, bodyStart: number): string {
  const body = file.text.slice(bodyStart);
  const find = new RegExp(COMMAND);
  let plain = "";
  let done = 0;
  for (let found = find.exec(body); found !== null; found = find.exec(body)) {
    const { index, 1: command = "" } = found;
    if (IS_APART.test(body.slice(Math.max(0, index - 1), index + 2))) continue;
    plain += `${body.slice(done, index + 1)} `;
    done = index + 1;
    // What follows is not a command any more, so one may start inside it.
    find.lastIndex = done;
    const message = `It gets a space after "!", because OpenCode would run ${JSON.stringify(command.trim())} in a shell, but Claude Code treats it as plain text`;
    edits.note("", message, placeInBody(file, bodyStart + index));
  }
  return plain + body.slice(done);
}

const HARMLESS = /(?<=\s)2>(?:&1| ?\/dev\/null)(?=\s|$)/g;

/**
 * The first command that OpenCode would run and Claude Code would not. Both run the !`commands` in a text, but only
 * Claude Code looks at permissions first.
 *
 * @param body Without what is a command only for OpenCode.
 */
function lostShellLimit(file: MarkdownFile, edits: KeyEdits, bodyStart: number, body: string): Remark | undefined {
  const normal = normalizeTools(edits.values["allowed-tools"], { provider: "claude", key: "allowed-tools" });
  if (normal.kind === "unrestricted") return undefined;
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
    if (isListed(line)) return true;
    const parts = line.replaceAll(HARMLESS, "").split(/&&|\|\||[;|]/);
    return parts.every((part) => !/[&<>`\n]|\$\(/.test(part.trim()) && isListed(part.trim()));
  };
  for (const { 1: text = "", index } of body.matchAll(COMMAND)) {
    const command = text.trim();
    if (command === "" || isAllowed(command)) continue;
    const message = `OpenCode would run ${JSON.stringify(command)} in a shell, but "allowed-tools" does not allow it`;
    const at = placeInBody({ ...file, text: file.text.slice(0, bodyStart) + body }, bodyStart + index);
    return { at, message, hint: AUTHOR };
  }
  return undefined;
}

interface TranslatedBody {
  readonly body: string;
  /** With the place in the body that each is about. */
  readonly notes: readonly { readonly offset: number; readonly message: string }[];
}

/** Directly after the number: `.0M`, `,000`, ` million`. */
const REST_OF_AMOUNT = /^(?:\.\d|,\d{3}(?!\d)|\s?(?:thousand|million|billion|trillion|dollars?|USD)\b)/i;
/** A price. In `$1 per month` and `reports/$1/day`, `$1` may as well be an argument. */
const PER_UNIT =
  /^\s?(?:\/|per\s)\s?(?:hour|hr|day|week|month|mo|quarter|year|yr|user|seat|person|token|request|unit)\b/i;

/** The places of the `$` in front of amounts of money, such as `$5.0M`, which Claude Code may take for placeholders. */
function findAmounts(body: string, positions: readonly { index: number; start: number; end: number }[]): Set<number> {
  const used = new Set(positions.map(({ index }) => index));
  const isAmount = ({ index, start, end }: (typeof positions)[number]): boolean => {
    if (body.charAt(end - 1) === "]") return false;
    const rest = body.slice(end, end + 20);
    if (REST_OF_AMOUNT.test(rest)) return true;
    // A command that uses its tenth argument uses its ninth as well.
    const isLonely = !used.has(index - 1);
    return isLonely && (end - start > 2 || (index > 1 && PER_UNIT.test(rest)));
  };
  return new Set(positions.filter(isAmount).map(({ start }) => start));
}

/**
 * Claude Code counts words from 0 and gives them names, OpenCode counts from 1. OpenCode fills in every `$` before a
 * digit, even in `$5.0M` and `\$5`, and has no escape for it, so what is not a placeholder gets a space.
 *
 * @example
 * translateArguments("Move $0 to $to for $5.0M", ["from", "to"]).body; // "Move $1 to $2 for $ 5.0M"
 */
export function translateArguments(body: string, given: unknown): TranslatedBody {
  const names = readArgumentNames(given);
  const found = findClaudePlaceholders(body, names);
  const amounts = findAmounts(
    body,
    found.filter((each) => each.kind === "position"),
  );
  const placeholders = found.filter(({ start }) => !amounts.has(start));
  const positions = placeholders.filter((each) => each.kind === "position");
  // `$ARGUMENTS[0]5` would become `$15`.
  const isMixedUp = positions.some(({ end }) => /\d/.test(body.charAt(end)));
  // `$ARGUMENTS[1]` has always counted from 0. `$1` did not, and an author without a `$0` may not know that it does now.
  const isFromZero =
    names.length > 0 || positions.some(({ index, start, end }) => index === 0 || body.slice(start, end).endsWith("]"));

  const notes = new Map<string, number>();
  let translated = "";
  let at = 0;
  /** Adds the text up to a place, in which Claude Code fills in nothing. */
  const addText = (end: number): void => {
    const text = body.slice(at, end);
    const first = text.search(/\$\d/);
    const message = 'Amounts get a space after "$", because OpenCode would take them for placeholders';
    if (first !== -1 && !notes.has(message)) notes.set(message, at + first);
    translated += text.replaceAll(/\$(?=\d)/g, "$ ");
    at = end;
  };
  for (const placeholder of placeholders) {
    const { start, end } = placeholder;
    addText(start);
    const written = body.slice(start, end);
    // The digits are not part of it, so the text that follows starts after the backslash.
    if (placeholder.kind === "escaped" && /\d/.test(body.charAt(end))) {
      at = end - 1;
      continue;
    }
    /** Undefined for what stays as it is. */
    let number: number | undefined;
    if (placeholder.kind === "name") number = names.indexOf(placeholder.name) + 1;
    else if (placeholder.kind === "position" && isFromZero && !isMixedUp) number = placeholder.index + 1;
    translated += number === undefined ? written : `$${number}`;
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
  addText(body.length);
  return { body: translated, notes: [...notes].map(([message, offset]) => ({ offset, message })) };
}
