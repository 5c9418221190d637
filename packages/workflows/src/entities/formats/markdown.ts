import { readArgumentNames } from "../arguments.ts";
import { type EntityFacts, lazyBody, makeEntity } from "../define-entity.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { EntityType, Provider } from "../entity.ts";
import { type Reading, type SourceFile, sourceOf } from "../format.ts";
import { type Frontmatter, LARGEST_FRONTMATTER, parseFrontmatter } from "../frontmatter/parse.ts";
import type { Recovery } from "../frontmatter/recover.ts";
import { normalizeModel } from "../normalize/model.ts";
import type { NormalizedTools } from "../normalize/restrictions.ts";

type Values = Readonly<Record<string, unknown>>;

/** What the formats that write Markdown with frontmatter differ in. */
export interface MarkdownRules {
  readonly provider: Provider;
  readonly type: EntityType;
  /** The names under which the tool knows the file; the first is the one it shows. */
  readonly names: (file: SourceFile, values: Values) => readonly [string, ...string[]];
  readonly tools: (values: Values) => NormalizedTools;
  /** How the tool itself reads frontmatter that is not valid YAML. */
  readonly recover?: Recovery;
  /** Claude shows the first line of a body that has no description. */
  readonly firstLineDescribes?: boolean;
}

const NO_DIAGNOSTICS: readonly Diagnostic[] = Object.freeze([]);
const NO_RESTRICTIONS = Object.freeze({});
const NO_NAMES: readonly string[] = Object.freeze([]);

export function readMarkdown(rules: MarkdownRules): (file: SourceFile) => Reading {
  const readTools = rememberTools(rules.tools);
  return (file) => {
    const matter = parseFrontmatter(file.text, { path: file.path, recover: rules.recover });
    const { values } = matter;
    const unsure = isNameUnsure(matter) ? possibleNames(file, matter, rules) : undefined;
    const names = unsure ?? rules.names(file, values);
    const tools = readTools(values);
    const model = normalizeModel(values.model);
    let found = tools.diagnostics.length === 0 ? model.diagnostics : [...tools.diagnostics, ...model.diagnostics];
    // What cannot be read may be a restriction: running without it would be wider than its author wanted.
    let disabledBecause: string | undefined;
    if (!matter.complete) disabledBecause = "its frontmatter cannot be read, so its restrictions are unknown";
    else if (tools.kind === "unreadable") disabledBecause = tools.diagnostics[0]?.message ?? "its tools cannot be read";
    if (unsure !== undefined && matter.complete) {
      const message = `"name" cannot be read: it may be ${unsure.map((name) => JSON.stringify(name)).join(" or ")}`;
      const hint = "Put the name in quotes, or use letters only.";
      found = [{ severity: "error", code: "name-unreadable", message, hint }, ...found];
      disabledBecause ??= message;
    }
    // Normalizers know the key, not the file: their diagnostics get the place of the key they quote first.
    const placed = found.map((diagnostic): Diagnostic => {
      const key = /^"([^"]+)"/.exec(diagnostic.message)?.[1];
      const position = key === undefined ? undefined : matter.positionOf([key]);
      return { ...diagnostic, path: file.path, ...position };
    });
    // One shape for all, with `undefined` for what a file does not say: this is the hot path of a load.
    const facts: EntityFacts = {
      type: rules.type,
      name: names[0].toLowerCase(),
      displayName: names[0],
      description: descriptionOf(file, matter, rules),
      aliases: unsure === undefined ? aliasesOf(names, values) : NO_NAMES,
      possibleNames: unsure?.slice(1),
      tools: tools.kind === "restricted" ? tools.tools : undefined,
      restrictions: tools.kind === "restricted" ? tools.restrictions : NO_RESTRICTIONS,
      model: model.model,
      modelId: model.modelId,
      argumentHint: hintOf(matter),
      argumentNames: values.arguments === undefined ? NO_NAMES : readArgumentNames(values.arguments),
      source: sourceOf(rules.provider, file),
      frontmatter: values,
      diagnostics: placed.length === 0 ? matter.diagnostics : [...matter.diagnostics, ...placed],
      disabledBecause,
    };
    const entity = makeEntity(facts, lazyBody(file.path, matter.head, matter.bodyStart));
    return { entities: [entity], diagnostics: NO_DIAGNOSTICS };
  };
}

/** Tools disagree about a name that is not valid YAML, and about which of two counts. */
function isNameUnsure({ values, complete, recoveredKeys }: Frontmatter): boolean {
  if (!complete) return values.name === undefined;
  if (!recoveredKeys.includes("name")) return false;
  // Another key was the invalid one if the name is the same without help.
  return parseFrontmatter(`---\nname: ${String(values.name)}\n---\n`).values.name !== values.name;
}

/** The name that the file has by its path, and others that a tool may read in it; undefined if there are none. */
function possibleNames(
  file: SourceFile,
  matter: Frontmatter,
  { names }: MarkdownRules,
): readonly [string, ...string[]] | undefined {
  const { name: _, ...others } = matter.values;
  const [own, ...rest] = names(file, others);
  const written = lenientNames(matter.bodyStart > 1 ? matter.head : file.text);
  const read = written.flatMap((name) => names(file, { ...others, name }));
  const more = [...new Set([...rest, ...read])].filter((name) => name !== own);
  return more.length === 0 ? undefined : [own, ...more];
}

function descriptionOf(file: SourceFile, { values, bodyStart }: Frontmatter, rules: MarkdownRules): string {
  const { description } = values;
  if (typeof description === "string" && description !== "") return description.trim();
  if (typeof description === "number" || typeof description === "boolean") return String(description);
  return rules.firstLineDescribes === true ? firstLine(file.text.slice(bodyStart)) : "";
}

/** `argument-hint: [message]` is a list to YAML and a hint to everybody else, so the text counts, not the value. */
function hintOf(matter: Frontmatter): string | undefined {
  const value = matter.values["argument-hint"];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  const isPlainList = Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null);
  return isPlainList ? `[${value.map(String).join(", ")}]` : matter.textOf(["argument-hint"]);
}

function aliasesOf(names: readonly string[], { aliases }: Values): readonly string[] {
  const list: unknown = typeof aliases === "string" ? aliases.split(/[\s,]+/) : aliases;
  const given: readonly unknown[] = Array.isArray(list) ? list : NO_NAMES;
  if (names.length === 1 && given.every(isAlias)) return given;
  return [...names.slice(1), ...given.filter(isAlias)];
}

function isAlias(alias: unknown): alias is string {
  return typeof alias === "string" && alias !== "";
}

/** `a/b/review.md` is `review`; a skill's file is named after its folder. */
export function stemOf(relative: string, ending = ".md"): string {
  const name = relative.slice(relative.lastIndexOf("/") + 1);
  return name.toLowerCase().endsWith(ending) ? name.slice(0, -ending.length) : name;
}

/** `review/SKILL.md` and `group/review/SKILL.md` are `review`. */
export function skillFolderOf(relative: string): string {
  const end = relative.lastIndexOf("/");
  return end === -1 ? "skills" : relative.slice(relative.lastIndexOf("/", end - 1) + 1, end);
}

/** The frontmatter's `name` if there is a usable one. */
export function givenName(values: Values): string | undefined {
  const { name } = values;
  return typeof name === "string" && name.trim() !== "" ? name.trim() : undefined;
}

const LONGEST = 100;

/** What Claude Code shows of a file without a description: its first line, without the marks of a heading. */
export function firstLine(body: string): string {
  const line = /\S.*/.exec(body)?.[0].trimEnd() ?? "";
  const text = line.replace(/^#+\s+(?=\S)/, "");
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
}

/** A line with a name, and the line below it, where the name may stand instead. */
const NAME_LINE = /^[ \t{]*(?:name|"name"|'name')[ \t]*:(.*)(?:(?=\n(.*))|)/gm;
const MOST_NAMES = 8;
/** What YAML gives a meaning, and what is left of it in a name that is no YAML. */
const MARKS = new Set("[]{}\"'@*&%!|>,?#`- \t\r");

/**
 * What a reader who does not mind invalid YAML may take for the `name`: the text as it is written, and without the marks
 * around it.
 *
 * @example
 * lenientNames("---\nname: [deploy\n---\n"); // ["[deploy", "deploy"]
 */
function lenientNames(head: string): string[] {
  const found = new Set<string>();
  for (const [, value = "", below = ""] of head.slice(0, LARGEST_FRONTMATTER).matchAll(NAME_LINE)) {
    const written = (withoutMarks(value) === "" ? below : value).trim();
    const comment = written.search(/\s#/);
    for (const text of comment === -1 ? [written] : [written, written.slice(0, comment)]) {
      found.add(text.trim()).add(withoutMarks(text));
    }
    if (found.size > MOST_NAMES) break;
  }
  found.delete("");
  return [...found].slice(0, MOST_NAMES);
}

function withoutMarks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && MARKS.has(text.charAt(start))) start += 1;
  while (start < end && MARKS.has(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

type ReadTools = (values: Values) => NormalizedTools;

/** Every key that says something about tools, in whichever format. */
const toolKeys = ["tools", "allowed-tools", "disallowed-tools", "disallowedTools", "permission"] as const;
const most = 1_000;

/** Formats share readers, and so what these remember. */
const memories = new WeakMap<ReadTools, Map<string, NormalizedTools>>();

/**
 * The same reader, but what many files say in the same words is read once, and its result shared. Only texts, lists of texts
 * and maps of texts are remembered: for them, the same words are certainly the same value.
 */
export function rememberTools(read: ReadTools): ReadTools {
  const known = memories.get(read) ?? new Map<string, NormalizedTools>();
  memories.set(read, known);
  return (values) => {
    const words = wordsOf(values);
    if (words === undefined) return read(values);
    const before = known.get(words);
    if (before !== undefined) return before;
    const result = read(values);
    if (known.size === most) known.clear();
    known.set(words, result);
    return result;
  };
}

function wordsOf(values: Values): string | undefined {
  let words = "";
  // Here and below by index: in a process that just started, an iterator costs more than what is done with its values.
  for (let at = 0; at < toolKeys.length; at += 1) {
    const key = toolKeys[at]!;
    const value = values[key];
    if (value === undefined) continue;
    if (typeof value === "string" && !value.includes("\0")) words += `${key}:${value}\0\0`;
    else if (isTexts(value)) words += `${key}[${value.join("\0")}\0\0`;
    else if (isActions(value)) {
      words += `${key}{`;
      for (const name of Object.keys(value)) words += `${name}\0${value[name]}\0`;
      words += "\0\0";
    } else return undefined;
  }
  return words;
}

/** An empty text in a list would be mistaken for the end of it, and NUL for a gap. */
function isTexts(value: unknown): value is readonly string[] {
  if (!Array.isArray(value)) return false;
  for (let at = 0; at < value.length; at += 1) if (!isWord(value[at])) return false;
  return true;
}

function isActions(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  for (const key of Object.keys(value)) if (!isWord(key) || !isWord((value as Values)[key])) return false;
  return true;
}

function isWord(item: unknown): boolean {
  return typeof item === "string" && item !== "" && !item.includes("\0");
}
