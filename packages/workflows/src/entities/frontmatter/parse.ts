import { Buffer } from "node:buffer";
import type { Diagnostic } from "../diagnostic.ts";
import { type KeyPath, locate, type Position, positionInFile, quickPositions, topLevelKeys } from "./locate.ts";
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

/** What could be read of a file's frontmatter. */
export interface Frontmatter {
  /** Frozen and without a prototype: `__proto__` is a key like any other. */
  readonly values: Readonly<Record<string, unknown>>;
  /**
   * False if some part could not be read. Then a key that is missing in `values` may still be in the file: an entity
   * must not count as unrestricted because its `tools` are missing.
   */
  readonly complete: boolean;
  /** Top-level keys that seem to be in the file, but whose values could not be read. */
  readonly unreadableKeys: readonly string[];
  /** Top-level keys whose values were taken as plain text because the YAML is invalid (`ParseOptions.recover`). */
  readonly recoveredKeys: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** The text before the body, or as much of it as was read. It does not keep the rest of the file in memory. */
  readonly head: string;
  /** Where the body starts in the text, in UTF-16 units. */
  readonly bodyStart: number;
  /** The position of a key or a list item. */
  readonly positionOf: (path: KeyPath) => Position | undefined;
  /** A scalar as it is written: `1.10` where the value is the number 1.1. */
  readonly textOf: (path: KeyPath) => string | undefined;
}

/** Several times the largest real frontmatter, and small enough that the full parser is quick on the worst input. */
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

/** Mistakes that the tools try to repair. They do not repair what exceeds a limit. */
const RECOVERABLE: ReadonlySet<string> = new Set(["frontmatter-syntax", "frontmatter-unknown-alias"]);
const NO_VALUES: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null));
const NO_KEYS: readonly string[] = Object.freeze([]);
const NONE: readonly never[] = Object.freeze([]);

/**
 * Reads a Markdown file's frontmatter from the whole text. It never throws and never evaluates anything.
 *
 * @example
 * const { values, complete } = parseFrontmatter("---\nname: review\ntools: [Read, Grep]\n---\nBody");
 * // values.name === "review", values.tools is ["Read", "Grep"], complete === true
 */
export function parseFrontmatter(text: string, options: ParseOptions = {}): Frontmatter {
  const { path } = options;
  const split = splitFrontmatter(text);
  const { bodyStart } = split;
  let head: string;
  let yaml = "";
  let reading: Reading;
  if (split.kind === "present") {
    const { yamlStart } = split;
    const length = split.yaml.length;
    const fits = length <= LARGEST_FRONTMATTER;
    // A slice would keep the whole file in memory for as long as one of its values lives.
    const slice = text.slice(0, fits ? bodyStart : yamlStart + LARGEST_FRONTMATTER);
    const size = copy.write(slice);
    const isWhole = size <= copy.length - 4;
    // If there are as many bytes as units, the text is ASCII and need not be decoded.
    const encoding = size === slice.length ? "latin1" : "utf8";
    head = isWhole ? copy.toString(encoding, 0, size) : Buffer.from(slice).toString();
    yaml = head.slice(yamlStart, fits ? yamlStart + length : undefined);
    reading = fits ? readValues(yaml, options.recover) : unreadable(yaml, TOO_LARGE);
  } else {
    head = text.slice(0, bodyStart);
    reading = { values: NO_VALUES, complete: split.kind === "absent", problems: NONE };
  }
  const { values, complete, problems, unreadableKeys = NO_KEYS, recoveredKeys = NO_KEYS, mended = yaml } = reading;
  let diagnostics = split.diagnostics;
  if (problems.length > 0) {
    const placed = problems.map(({ offset, ...problem }) => ({ ...problem, ...positionInFile(yaml, offset) }));
    diagnostics = [...diagnostics, ...placed];
  }
  if (path !== undefined && diagnostics.length > 0) diagnostics = diagnostics.map((each) => ({ ...each, path }));
  // YAML that was refused once is not worth a second try.
  const find = (wanted: KeyPath) => locate(Object.keys(values).length === 0 ? "" : mended, wanted);
  return {
    values,
    complete,
    unreadableKeys,
    recoveredKeys,
    diagnostics,
    head,
    bodyStart,
    positionOf: (wanted) => {
      const quick = quickPositions(yaml)(wanted);
      if (quick !== undefined) return quick;
      const located = find(wanted);
      return located && positionInFile(mended, located.offset);
    },
    textOf: (wanted) => find(wanted)?.text,
  };
}

interface Reading {
  readonly values: Readonly<Record<string, unknown>>;
  readonly complete: boolean;
  readonly problems: readonly YamlProblem[];
  readonly unreadableKeys?: readonly string[];
  readonly recoveredKeys?: readonly string[];
  /** The YAML that the values come from, if it is not the file's. */
  readonly mended?: string;
}

function readValues(yaml: string, recovery: Recovery | undefined): Reading {
  const plain = scanPlainYaml(yaml);
  if (plain !== undefined) return { values: plain, complete: true, problems: NONE };
  const read = readYaml(yaml);
  if (read.kind === "read") {
    const { values, unreadableKeys, problems } = read;
    return { values, complete: unreadableKeys.length === 0, unreadableKeys, problems };
  }
  const fatal = read.problem;
  if (recovery === undefined || !RECOVERABLE.has(fatal.code)) return unreadable(yaml, fatal);
  // Try again with the values quoted that the tool itself would quote. Either everything can be read now, or nothing.
  const quoted = quoteValues(yaml, recovery);
  if (quoted === undefined) return unreadable(yaml, fatal);
  const plainAgain = scanPlainYaml(quoted.yaml);
  const again: YamlReading =
    plainAgain === undefined
      ? readYaml(quoted.yaml)
      : { kind: "read", values: plainAgain, unreadableKeys: NO_KEYS, problems: [] };
  if (again.kind === "refused" || again.unreadableKeys.length > 0) return unreadable(yaml, fatal);
  const names = quoted.keys.map((key) => JSON.stringify(key)).join(", ");
  const readAsText = quoted.keys.length === 1 ? `The value of ${names} was` : `The values of ${names} were`;
  const warning: YamlProblem = {
    ...fatal,
    severity: "warning",
    code: "frontmatter-recovered",
    message: `${fatal.message} ${readAsText} read as plain text; other tools drop this file.`,
  };
  const problems = [warning, ...again.problems];
  return { values: again.values, complete: true, recoveredKeys: quoted.keys, mended: quoted.yaml, problems };
}

function unreadable(yaml: string, problem: YamlProblem): Reading {
  return { values: NO_VALUES, complete: false, unreadableKeys: [...topLevelKeys(yaml).keys()], problems: [problem] };
}
