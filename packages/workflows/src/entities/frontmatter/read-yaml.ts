// The full YAML reader behind the fast scanner, with limits that keep a hostile document cheap.

import { createRequire } from "node:module";
import type { Document, Pair } from "yaml";

/** A mistake at an offset in the YAML text. */
export interface YamlProblem {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly offset: number;
}

/** `refused` means that no key can be read. */
export type YamlReading =
  | { readonly kind: "refused"; readonly problem: YamlProblem }
  | {
      readonly kind: "read";
      readonly values: Readonly<Record<string, unknown>>;
      /** Top-level keys that are missing in the values, each because of an error among the problems. */
      readonly unreadableKeys: readonly string[];
      readonly problems: readonly YamlProblem[];
    };

/** Plenty for an alias or two; a bomb needs thousands. */
const MOST_ALIASED_NODES = 200;
const LONGEST_MESSAGE = 200;
const QUOTE = "Put the whole value in double quotes.";
/** By the codes of `yaml`. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ["BAD_DQ_ESCAPE", "Write `\\\\` for a backslash, or use single quotes."],
  ["BAD_SCALAR_START", `${QUOTE} It starts with a reserved YAML character.`],
  ["BLOCK_AS_IMPLICIT_KEY", `${QUOTE} In YAML, a colon followed by a space starts a new key.`],
  ["NON_STRING_KEY", `${QUOTE} Without quotes, a value that starts with \`{\` is a YAML map.`],
  ["MULTILINE_IMPLICIT_KEY", "Indent the continuation lines of a long value, or start the value with `|`."],
  ["TAB_AS_INDENT", "Indent with spaces."],
]);

/** What `yaml` says about its own options means nothing to the author of a file. */
const REWORDED: ReadonlyMap<string, string> = new Map([["NON_STRING_KEY", "A map or a list is in place of a key."]]);

interface Progress {
  /** By the top-level key that each makes unreadable. */
  readonly problems: Map<string, YamlProblem>;
  readonly anchors: Map<string, { readonly value: unknown; readonly nodes: number }>;
  nodes: number;
  aliased: number;
  /** The top-level key whose value is being read. */
  key: string;
  /** Once this is set, nothing more is read. */
  refusal?: YamlProblem;
}

/** Reads any YAML document and never throws. Duplicate and merge keys make only their own top-level key unreadable. */
export function readYaml(text: string): YamlReading {
  const deep = findTooDeep(text);
  if (deep !== -1) {
    const message = "The frontmatter is nested too deeply to be read.";
    const hint = "Use only a few levels of nesting.";
    return refuse({ severity: "error", code: "frontmatter-too-deep", message, hint, offset: deep });
  }
  let document: Document.Parsed;
  try {
    document = parseYamlDocument(text);
  } catch (error) {
    // A stack overflow or a bug in the parser: one hostile file must not affect the others.
    const message = `The YAML parser gave up: ${clip(error instanceof Error ? error.message : String(error))}`;
    const hint = "Simplify the frontmatter.";
    return refuse({ severity: "error", code: "frontmatter-syntax", message, hint, offset: 0 });
  }
  const { contents, warnings } = document;
  const [syntax] = document.errors;
  if (syntax !== undefined) {
    const mistake = REWORDED.get(syntax.code) ?? clip(syntax.message).replace(/[^.…]$/, "$&.");
    const message = `The frontmatter is not valid YAML: ${mistake}`;
    const hint = HINTS.get(syntax.code) ?? "Check the indentation on this line, and any quotes and brackets before it.";
    return refuse({ severity: "error", code: "frontmatter-syntax", message, hint, offset: syntax.pos[0] ?? 0 });
  }

  const { isMap, isScalar } = yaml();
  const empty = contents === null || (isScalar(contents) && contents.value === null);
  const items = isMap(contents) ? contents.items : [];
  if (!empty && !isMap(contents)) {
    const message = "The frontmatter does not consist of `key: value` lines.";
    const hint = "Write `key: value` lines, or remove the block.";
    return refuse({ severity: "error", code: "frontmatter-not-a-map", message, hint, offset: offsetOf(contents) });
  }
  const progress: Progress = { problems: new Map(), anchors: new Map(), nodes: 0, aliased: 0, key: "" };
  const values = readMap(items, progress, true);
  if (progress.refusal !== undefined) return refuse(progress.refusal);
  const unreadableKeys = [...progress.problems.keys()];
  for (const key of unreadableKeys) delete values[key];
  const problems = [...progress.problems.values()];
  const [ambiguous] = warnings;
  if (ambiguous !== undefined) {
    const message = `The YAML is ambiguous: ${clip(ambiguous.message)}`;
    const hint = "Remove the tag, or quote the value.";
    const [offset = 0] = ambiguous.pos;
    problems.push({ severity: "warning", code: "frontmatter-unknown-tag", message, hint, offset });
  }
  return { kind: "read", values: Object.freeze(values), unreadableKeys, problems };
}

function clip(text: string): string {
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;
}

function refuse(because: YamlProblem): YamlReading {
  return { kind: "refused", problem: because };
}

function readMap(items: readonly Pair[], progress: Progress, top: boolean): Record<string, unknown> {
  const map = Object.create(null) as Record<string, unknown>;
  for (const { key, value } of items) {
    if (progress.refusal !== undefined) break;
    const name = String(yaml().isScalar(key) ? key.value : key);
    if (top) progress.key = name;
    if ((name === "<<" || name in map) && !progress.problems.has(progress.key)) {
      const offset = offsetOf(key);
      const problem: YamlProblem =
        name === "<<"
          ? {
              severity: "error",
              code: "frontmatter-merge-key",
              message: "The merge key `<<` is not part of YAML 1.2, and tools handle it differently.",
              hint: "Write out the merged keys.",
              offset,
            }
          : {
              severity: "error",
              code: "frontmatter-duplicate-key",
              message: `The key ${JSON.stringify(clip(name))} appears twice, and tools disagree on which one to use.`,
              hint: "Remove one of them.",
              offset,
            };
      progress.problems.set(progress.key, problem);
    }
    map[name] = readNode(value, progress);
  }
  return map;
}

function readNode(node: unknown, progress: Progress): unknown {
  if (progress.refusal !== undefined) return null;
  const { isAlias, isMap, isScalar, isSeq } = yaml();
  const before = progress.nodes;
  progress.nodes += 1;
  if (isAlias(node)) {
    // An anchor is known only after its whole value, so no value can contain itself.
    const anchor = progress.anchors.get(node.source);
    progress.aliased += anchor?.nodes ?? 0;
    progress.nodes += anchor?.nodes ?? 0;
    const offset = offsetOf(node);
    if (anchor === undefined) {
      const message = `The YAML alias \`*${node.source.slice(0, 40)}\` has no matching \`&\` anchor before it.`;
      const hint = `${QUOTE} Without quotes, a value that starts with \`*\` is a YAML alias.`;
      progress.refusal = { severity: "error", code: "frontmatter-unknown-alias", message, hint, offset };
    } else if (progress.aliased > MOST_ALIASED_NODES) {
      const message = "The aliases expand to too many values.";
      const hint = "Write out the values instead.";
      progress.refusal = { severity: "error", code: "frontmatter-too-many-aliases", message, hint, offset };
    }
    return anchor?.value;
  }
  let value: unknown = null;
  if (isScalar(node)) value = node.value;
  else if (isSeq(node)) value = Object.freeze(node.items.map((item) => readNode(item, progress)));
  else if (isMap(node)) value = Object.freeze(readMap(node.items, progress, false));
  const anchor = isScalar(node) || isSeq(node) || isMap(node) ? node.anchor : undefined;
  if (anchor !== undefined) progress.anchors.set(anchor, { value, nodes: progress.nodes - before });
  return value;
}

function offsetOf(node: unknown): number {
  return yaml().isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

// This runs before the full parser recurses: ten thousand brackets cost microseconds instead of a stack overflow.

/** Far more than any real file needs, and far less than overflows a stack. */
const DEEPEST_NESTING = 64;
/** The parser reads the mistake `a: b: c` as nesting; a quoted dialogue may also have many colons. */
const MOST_COLONS_IN_A_LINE = 500;

const COMPACT_MARKS = /(?:[-?:][ \t]+)+/y;

/** The offset where the text nests too deep, or -1. Brackets in strings count, too: it may refuse too much, not too little. */
function findTooDeep(text: string): number {
  /** A stack of the open indentations. */
  const indents: number[] = [];
  let brackets = 0;
  let lineStart = 0;
  while (lineStart < text.length) {
    const newline = text.indexOf("\n", lineStart);
    const lineEnd = newline === -1 ? text.length : newline;
    // Count the block collections that are open on this line.
    const line = text.slice(lineStart, lineEnd);
    const indent = line.search(/[^ ]/);
    if (indent !== -1) {
      while (indents.length > 0 && indents[indents.length - 1]! >= indent) indents.pop();
      indents.push(indent);
      COMPACT_MARKS.lastIndex = indent;
      const marks = COMPACT_MARKS.exec(line)?.[0] ?? "";
      if (indents.length + marks.replaceAll(/[ \t]/g, "").length > DEEPEST_NESTING) return lineStart;
    }
    let colons = 0;
    for (let at = lineStart; at < lineEnd; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 0x5b /* [ */ || code === 0x7b /* { */) brackets += 1;
      else if (code === 0x5d /* ] */ || code === 0x7d /* } */) brackets -= brackets > 0 ? 1 : 0;
      else if (code === 0x3a /* : */) colons += 1;
      if (brackets > DEEPEST_NESTING || colons > MOST_COLONS_IN_A_LINE) return at;
    }
    lineStart = lineEnd + 1;
  }
  return -1;
}

type Yaml = typeof import("yaml");

let loaded: Yaml | undefined;

/**
 * The `yaml` package, as mapped by `imports` in package.json: a bundle brings its own. It loads synchronously, because
 * parsing is synchronous, and late, because most files never need it.
 */
export function yaml(): Yaml {
  loaded ??= createRequire(import.meta.url)("#yaml") as Yaml;
  return loaded;
}

/** Parses YAML 1.2, core schema. Mistakes are in its `errors`; only a stack overflow or a bug in `yaml` throws. */
export function parseYamlDocument(text: string): Document.Parsed {
  const { stackTraceLimit } = Error;
  // `yaml` makes an Error for each of thousands of mistakes, and their stack traces cost more than the parse.
  Error.stackTraceLimit = 0;
  try {
    return yaml().parseDocument(text, {
      schema: "core",
      version: "1.2",
      merge: false,
      resolveKnownTags: false,
      stringKeys: true,
      // Duplicates are found while the values are read; `yaml` would compare every pair of keys.
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: "error",
    });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
