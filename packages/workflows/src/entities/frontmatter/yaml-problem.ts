/** A mistake, at an offset of the YAML text. */
export interface YamlProblem {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly offset: number;
}

const LONGEST_MESSAGE = 200;
const QUOTE = "Put the whole value in double quotes.";
const DEFAULT_HINT = "Check the indentation here, and the quotes and brackets up to here.";
const HINTS: ReadonlyMap<string, string> = new Map([
  ["BAD_DQ_ESCAPE", "Write `\\\\` for a backslash, or use single quotes."],
  ["BAD_SCALAR_START", `${QUOTE} It starts with a character that YAML reserves.`],
  ["BLOCK_AS_IMPLICIT_KEY", `${QUOTE} In YAML a colon and a space start another key.`],
  ["MULTILINE_IMPLICIT_KEY", "Indent every further line of a long value, or start it with `|`."],
  ["TAB_AS_INDENT", "Indent with spaces."],
]);

export function syntaxProblem(error: { code: string; message: string; pos: readonly number[] }): YamlProblem {
  return {
    severity: "error",
    code: "frontmatter-syntax",
    message: `The frontmatter is not valid YAML: ${clip(error.message)}`,
    hint: HINTS.get(error.code) ?? DEFAULT_HINT,
    offset: error.pos[0] ?? 0,
  };
}

export function parserFailure(error: unknown): YamlProblem {
  return {
    severity: "error",
    code: "frontmatter-syntax",
    message: `The YAML parser gave up: ${clip(error instanceof Error ? error.message : String(error))}`,
    hint: "Simplify the frontmatter.",
    offset: 0,
  };
}

export function warningProblem(warning: { message: string; pos: readonly number[] }): YamlProblem {
  return {
    severity: "warning",
    code: "frontmatter-unknown-tag",
    message: `The YAML is ambiguous: ${clip(warning.message)}`,
    hint: "Leave the tag out, or quote the value.",
    offset: warning.pos[0] ?? 0,
  };
}

export function tooLargeProblem(largest: number): YamlProblem {
  return {
    severity: "error",
    code: "frontmatter-too-large",
    message: `The frontmatter is larger than ${largest / 1024} KB.`,
    hint: "Move the long text into the body.",
    offset: 0,
  };
}

export function tooDeepProblem(offset: number): YamlProblem {
  return {
    severity: "error",
    code: "frontmatter-too-deep",
    message: "The frontmatter is nested too deep to be read.",
    hint: "Keep it to a few levels.",
    offset,
  };
}

export function notAMapProblem(offset: number): YamlProblem {
  return {
    severity: "error",
    code: "frontmatter-not-a-map",
    message: "The frontmatter is not a list of `key: value` lines.",
    hint: "Write `key: value` lines, or remove the block.",
    offset,
  };
}

export function duplicateKeyProblem(name: string, offset: number): YamlProblem {
  return {
    severity: "error",
    code: "frontmatter-duplicate-key",
    message: `The key ${JSON.stringify(clip(name))} is there twice; which one counts differs between tools.`,
    hint: "Remove one of them.",
    offset,
  };
}

export function mergeKeyProblem(offset: number): YamlProblem {
  return {
    severity: "error",
    code: "frontmatter-merge-key",
    message: "The merge key `<<` is not part of YAML 1.2, and tools differ on it.",
    hint: "Write the merged keys out.",
    offset,
  };
}

export function unknownAliasProblem(name: string, offset: number): YamlProblem {
  return {
    severity: "error",
    code: "frontmatter-unknown-alias",
    message: `\`*\` refers to a value marked \`&${name.slice(0, 40)}\`, and none before it is.`,
    hint: `${QUOTE} Without quotes, a value that starts with \`*\` is a YAML alias.`,
    offset,
  };
}

export function tooManyAliasesProblem(offset: number): YamlProblem {
  return {
    severity: "error",
    code: "frontmatter-too-many-aliases",
    message: "The aliases stand for too many values.",
    hint: "Write the values out.",
    offset,
  };
}

function clip(text: string): string {
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;
}
