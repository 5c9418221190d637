import { readArgumentNames } from "../arguments.ts";
import { type EntityFacts, makeEntity } from "../define-entity.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { EntityType, Provider } from "../entity.ts";
import { type FolderPlace, inBoth, type Reading, type SourceFile, sourceOf } from "../format.ts";
import { type Frontmatter, LARGEST_FRONTMATTER, parseFrontmatter } from "../frontmatter/parse.ts";
import type { Recovery } from "../frontmatter/recover.ts";
import { normalizeModel } from "../normalize/model.ts";
import type { NormalizedTools } from "../normalize/restrictions.ts";

type Values = Readonly<Record<string, unknown>>;

/** How the formats that use Markdown with frontmatter differ. */
export interface MarkdownRules {
  readonly provider: Provider;
  readonly type: EntityType;
  /** The names that the tool has for the file; it shows the first one. */
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

/** The same folder in the project and, if it is called differently there, in the user's home. */
export function markdownPlaces(
  [path, home]: readonly [path: string, home?: string],
  pattern: string,
  rules: MarkdownRules,
): FolderPlace[] {
  return inBoth({ path, type: rules.type, pattern, read: readMarkdown(rules) }, home);
}

export function readMarkdown(rules: MarkdownRules): (file: SourceFile) => Reading {
  const readTools = rememberTools(rules.tools);
  return (file) => {
    const matter = parseFrontmatter(file.text, { path: file.path, recover: rules.recover });
    const { values } = matter;
    const unsure = possibleNames(file, matter, rules);
    const names = unsure ?? rules.names(file, values);
    const tools = readTools(values);
    const model = normalizeModel(values.model, rules.provider);
    let found = tools.diagnostics.length === 0 ? model.diagnostics : [...tools.diagnostics, ...model.diagnostics];
    // Only Claude Code ends the block there, and it reads no other tool's files.
    const isClaudes = rules.provider === "claude" || matter.diagnostics.length === 0;
    const own = isClaudes
      ? matter.diagnostics
      : matter.diagnostics.filter(({ code }) => code !== "frontmatter-inner-fence");
    // What cannot be read may be a restriction, and without it the entity could do more than its author wants.
    let disabledBecause: string | undefined;
    if (!matter.complete) disabledBecause = "its frontmatter cannot be read, so its restrictions are unknown";
    else if (tools.kind === "unreadable")
      disabledBecause = tools.diagnostics[0]?.message ?? "its tool list cannot be read";
    if (unsure !== undefined && matter.complete) {
      const message = `"name" is ambiguous: it could mean ${unsure.map((name) => JSON.stringify(name)).join(" or ")}`;
      const hint = "Put the name in quotes, or use only letters.";
      found = [{ severity: "error", code: "name-unreadable", message, hint }, ...found];
      disabledBecause ??= message;
    }
    // Normalizers know the key but not the file, so their diagnostics get the position of the key that they quote first.
    const placed = found.map((diagnostic): Diagnostic => {
      const key = /^"([^"]+)"/.exec(diagnostic.message)?.[1];
      const position = key === undefined ? undefined : matter.positionOf([key]);
      return { ...diagnostic, path: file.path, ...position };
    });
    const { description: described, aliases: listed } = values;
    let description = "";
    if (typeof described === "string" && described !== "") description = described.trim();
    else if (typeof described === "number" || typeof described === "boolean") description = String(described);
    else if (rules.firstLineDescribes === true) description = firstLine(file.text.slice(matter.bodyStart));
    const aliases: unknown = typeof listed === "string" ? listed.split(/[\s,]+/) : listed;
    const given = Array.isArray(aliases)
      ? aliases.filter((alias) => typeof alias === "string" && alias !== "")
      : NO_NAMES;
    // Loads spend most of their time here, so all facts have one shape, with `undefined` for what a file leaves out.
    const facts: EntityFacts = {
      type: rules.type,
      name: names[0].toLowerCase(),
      displayName: names[0],
      description,
      aliases: unsure === undefined ? (names.length === 1 ? given : [...names.slice(1), ...given]) : NO_NAMES,
      possibleNames: unsure?.slice(1),
      tools: tools.kind === "restricted" ? tools.tools : undefined,
      restrictions: tools.kind === "restricted" ? tools.restrictions : NO_RESTRICTIONS,
      model: model.model,
      modelId: model.modelId,
      argumentHint: hintOf(matter),
      argumentNames: values.arguments === undefined ? NO_NAMES : readArgumentNames(values.arguments),
      source: sourceOf(rules.provider, file),
      frontmatter: values,
      diagnostics: placed.length === 0 ? own : [...own, ...placed],
      disabledBecause,
    };
    const entity = makeEntity(facts, { file: file.path, head: matter.head, start: matter.bodyStart });
    return { entities: [entity], diagnostics: NO_DIAGNOSTICS };
  };
}

/**
 * If the name is not certain: the name that the file has by its path, and others that a tool may read in it. Tools
 * disagree about a name that is not valid YAML, and about which of two names counts.
 */
function possibleNames(
  file: SourceFile,
  { values, complete, recoveredKeys, bodyStart, head }: Frontmatter,
  { names }: MarkdownRules,
): readonly [string, ...string[]] | undefined {
  if (complete ? !recoveredKeys.includes("name") : values.name !== undefined) return undefined;
  const { name, ...others } = values;
  // If the name reads the same on its own, another key is the invalid one.
  if (complete && parseFrontmatter(`---\nname: ${String(name)}\n---\n`).values.name === name) return undefined;
  const [own, ...rest] = names(file, others);
  const written = lenientNames(bodyStart > 1 ? head : file.text);
  const read = written.flatMap((each) => names(file, { ...others, name: each }));
  const more = [...new Set([...rest, ...read])].filter((each) => each !== own);
  return more.length === 0 ? undefined : [own, ...more];
}

/** `argument-hint: [message]` is a list in YAML but means a hint, so the text counts, not the value. */
function hintOf(matter: Frontmatter): string | undefined {
  const value = matter.values["argument-hint"];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  const isPlainList = Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null);
  return isPlainList ? `[${value.map(String).join(", ")}]` : matter.textOf(["argument-hint"]);
}

/** `a/b/review.md` is `review`; a skill's file is named after its folder. */
export function stemOf(relative: string): string {
  return relative.slice(relative.lastIndexOf("/") + 1).replace(/\.md$/i, "");
}

/** `review/SKILL.md` and `group/review/SKILL.md` are `review`. */
export function skillFolderOf(relative: string): string {
  const end = relative.lastIndexOf("/");
  return end === -1 ? "skills" : relative.slice(relative.lastIndexOf("/", end - 1) + 1, end);
}

/** The frontmatter's `name`, if it is usable. */
export function givenName(values: Values): string | undefined {
  const { name } = values;
  return typeof name === "string" && name.trim() !== "" ? name.trim() : undefined;
}

const LONGEST = 100;

/** What Claude Code shows for a file without a description: its first line, without heading marks. */
export function firstLine(body: string): string {
  const line = /\S.*/.exec(body)?.[0].trimEnd() ?? "";
  const text = line.replace(/^#+\s+(?=\S)/, "");
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
}

/** A line with a name, and the line below it, which may contain the name instead. */
const NAME_LINE = /^[ \t{]*(?:name|"name"|'name')[ \t]*:(.*)(?:(?=\n(.*))|)/gm;
const MOST_NAMES = 8;
/** Characters with a meaning in YAML, which a lenient reader may strip from a name that is not valid YAML. */
const MARKS = new Set("[]{}\"'@*&%!|>,?#`- \t\r");

/**
 * What a reader that accepts invalid YAML may take as the `name`: the text as written, and without the marks around it.
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

/** Every key that restricts tools, in any format. */
const toolKeys = ["tools", "allowed-tools", "disallowed-tools", "disallowedTools", "permission"] as const;
const most = 1_000;

/** Formats share readers, so they also share what a reader remembers. */
const memories = new WeakMap<ReadTools, Map<string, NormalizedTools>>();

/**
 * The same reader, but what many files say in the same words is read once and shared. It remembers only texts, lists of
 * texts and maps of texts: for these, the same words are certainly the same value.
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

/** A unique text for what the values say about tools; `undefined` if it is not made of texts only. */
function wordsOf(values: Values): string | undefined {
  let words = "";
  // By index: in a process that just started, an iterator costs more than what is done with its values.
  for (let at = 0; at < toolKeys.length; at += 1) {
    const key = toolKeys[at]!;
    const value = values[key];
    if (value === undefined) continue;
    const isText = typeof value === "string";
    if (!isText && (typeof value !== "object" || value === null)) return undefined;
    const isList = Array.isArray(value);
    const texts: readonly unknown[] = isText ? [value] : isList ? value : Object.entries(value).flat();
    words += `${key}${isText ? ":" : isList ? "[" : "{"}`;
    for (let index = 0; index < texts.length; index += 1) {
      const text = texts[index];
      // An empty text in a list would look like its end, and NUL like a gap.
      if (typeof text !== "string" || text.includes("\0") || (text === "" && !isText)) return undefined;
      words += `${text}\0`;
    }
    words += "\0";
  }
  return words;
}
