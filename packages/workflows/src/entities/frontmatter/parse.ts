import { Buffer } from "node:buffer";
import type { Diagnostic } from "../diagnostic.ts";
import { type KeyPath, locate, type Position, positionInFile, topLevelKeys } from "./locate.ts";
import { readYaml, type YamlProblem, type YamlReading } from "./read-yaml.ts";
import { quoteValues, type Recovery } from "./recover.ts";
import { scanPlainYaml } from "./scan.ts";
import { splitFrontmatter } from "./split.ts";

export interface ParseOptions {
  /** For the diagnostics only. */
  readonly path?: string;
  /** How the tool that owns the file reads invalid YAML. Without it, invalid YAML has no values. */
  readonly recover?: Recovery | undefined;
}

/** What the frontmatter of a file says, and whether that is all it says. */
export interface Frontmatter {
  /** Frozen and without a prototype: `__proto__` is a key like any other. */
  readonly values: Readonly<Record<string, unknown>>;
  /**
   * False if some part could not be read. Then a key that is missing from `values` may well be in the file: an entity
   * must not count as unrestricted because its `tools` are not here.
   */
  readonly complete: boolean;
  /** Top-level keys that the file seems to have, but whose values could not be read. */
  readonly unreadableKeys: readonly string[];
  /** Top-level keys whose values were taken as plain text because the YAML is invalid (`ParseOptions.recover`). */
  readonly recoveredKeys: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** The text before the body, or as much of it as is read. It does not keep the rest of the file in memory. */
  readonly head: string;
  /** Where the body starts in the text, in UTF-16 units. */
  readonly bodyStart: number;
  /** The place of a key or of a list item. */
  positionOf(path: KeyPath): Position | undefined;
  /** A scalar as it is written: `1.10` where the value is the number 1.1. */
  textOf(path: KeyPath): string | undefined;
}

/** Several times the largest in the wild, and little enough for the full parser to be quick on the worst of it. */
export const LARGEST_FRONTMATTER: number = 16 * 1024;

const TOO_LARGE: YamlProblem = {
  severity: "error",
  code: "frontmatter-too-large",
  message: `The frontmatter is larger than ${LARGEST_FRONTMATTER / 1024} KB.`,
  hint: "Move the long text into the body.",
  offset: 0,
};

/** Room for the largest frontmatter, at most three bytes a unit, and its fences. */
const copy = Buffer.allocUnsafeSlow(64 * 1024);

/** Mistakes of the kind that the tools try to mend; limits are not. */
const RECOVERABLE: ReadonlySet<string> = new Set(["frontmatter-syntax", "frontmatter-unknown-alias"]);
const NO_VALUES: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null));
const NO_KEYS: readonly string[] = Object.freeze([]);
const NONE: readonly never[] = Object.freeze([]);

/**
 * Reads the frontmatter of a Markdown file, given whole. Never throws and never evaluates anything.
 *
 * @example
 * const { values, complete } = parseFrontmatter("---\nname: review\ntools: [Read, Grep]\n---\nBody");
 * // values.name === "review", values.tools is ["Read", "Grep"], complete === true
 */
export function parseFrontmatter(text: string, options: ParseOptions = {}): Frontmatter {
  const split = splitFrontmatter(text);
  const { bodyStart } = split;
  const found = split.diagnostics.length === 0 ? NONE : split.diagnostics.map((each) => withPath(each, options));
  if (split.kind !== "present") {
    const reading = { values: NO_VALUES, complete: split.kind === "absent", diagnostics: NONE };
    return frontmatter(text.slice(0, bodyStart), "", bodyStart, found, reading);
  }
  const { yamlStart } = split;
  const length = split.yaml.length;
  const fits = length <= LARGEST_FRONTMATTER;
  // A slice would keep the whole file in memory for as long as one of its values lives.
  const slice = text.slice(0, fits ? bodyStart : yamlStart + LARGEST_FRONTMATTER);
  const size = copy.write(slice);
  const isWhole = size <= copy.length - 4;
  // As many bytes as units are ASCII, which need not be decoded.
  const encoding = size === slice.length ? "latin1" : "utf8";
  const head = isWhole ? copy.toString(encoding, 0, size) : Buffer.from(slice).toString();
  const yaml = head.slice(yamlStart, fits ? yamlStart + length : undefined);
  const reading = fits ? readValues(yaml, options) : unreadable(yaml, TOO_LARGE, options);
  return frontmatter(head, yaml, bodyStart, found, reading);
}

interface Reading {
  readonly values: Readonly<Record<string, unknown>>;
  readonly complete: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly unreadableKeys?: readonly string[];
  readonly recoveredKeys?: readonly string[];
  /** The YAML that the values come from, if it is not the one of the file. */
  readonly mended?: string;
}

function frontmatter(
  head: string,
  yaml: string,
  bodyStart: number,
  found: readonly Diagnostic[],
  { values, complete, diagnostics, unreadableKeys = NO_KEYS, recoveredKeys = NO_KEYS, mended = yaml }: Reading,
): Frontmatter {
  // Places inside YAML that was refused once are not worth a second try.
  const readable = (): string => (Object.keys(values).length === 0 ? "" : mended);
  return {
    values,
    complete,
    unreadableKeys,
    recoveredKeys,
    diagnostics: found.length === 0 ? diagnostics : [...found, ...diagnostics],
    head,
    bodyStart,
    positionOf(path) {
      const top = path.length === 1 ? topLevelKeys(yaml).get(String(path[0])) : undefined;
      if (top !== undefined) return positionInFile(yaml, top);
      const within = readable();
      const located = locate(within, path);
      return located && positionInFile(within, located.offset);
    },
    textOf: (path) => locate(readable(), path)?.text,
  };
}

function readValues(yaml: string, options: ParseOptions): Reading {
  const plain = scanPlainYaml(yaml);
  if (plain !== undefined) return { values: plain, complete: true, diagnostics: NONE };
  const read = readYaml(yaml);
  if (read.kind === "refused") return recover(yaml, read.problem, options) ?? unreadable(yaml, read.problem, options);
  const { values, unreadableKeys, problems } = read;
  const complete = unreadableKeys.length === 0;
  return { values, complete, unreadableKeys, diagnostics: report(yaml, problems, options) };
}

function unreadable(yaml: string, problem: YamlProblem, options: ParseOptions): Reading {
  const diagnostics = report(yaml, [problem], options);
  return { values: NO_VALUES, complete: false, unreadableKeys: [...topLevelKeys(yaml).keys()], diagnostics };
}

/** Another try with the values quoted that the tool itself would quote; nothing is recovered unless all of it is. */
function recover(yaml: string, fatal: YamlProblem, options: ParseOptions): Reading | undefined {
  if (options.recover === undefined || !RECOVERABLE.has(fatal.code)) return undefined;
  const quoted = quoteValues(yaml, options.recover);
  if (quoted === undefined) return undefined;
  const plain = scanPlainYaml(quoted.yaml);
  const read: YamlReading =
    plain === undefined
      ? readYaml(quoted.yaml)
      : { kind: "read", values: plain, unreadableKeys: NO_KEYS, problems: [] };
  if (read.kind === "refused" || read.unreadableKeys.length > 0) return undefined;
  const names = quoted.keys.map((key) => JSON.stringify(key)).join(", ");
  const warning: YamlProblem = {
    ...fatal,
    severity: "warning",
    code: "frontmatter-recovered",
    message: `${fatal.message} The text of ${names} was taken literally; other tools drop this file.`,
  };
  const diagnostics = report(yaml, [warning, ...read.problems], options);
  return { values: read.values, complete: true, recoveredKeys: quoted.keys, mended: quoted.yaml, diagnostics };
}

function report(yaml: string, problems: readonly YamlProblem[], options: ParseOptions): readonly Diagnostic[] {
  return problems.map(({ severity, code, message, hint, offset }) =>
    withPath({ severity, code, message, hint, ...positionInFile(yaml, offset) }, options),
  );
}

function withPath(diagnostic: Diagnostic, { path }: ParseOptions): Diagnostic {
  return path === undefined ? diagnostic : { ...diagnostic, path };
}
