// Some tools accept frontmatter that is not valid YAML, most often `description: Use when: …`. They retry with such
// values quoted. Which values differs between tools, so each tool has its own function here; Copilot has none.

/** One unindented `key: value` line. */
interface KeyLine {
  /** Including any spaces before the colon. */
  readonly key: string;
  readonly value: string;
  /** The line ends with CRLF. */
  readonly crlf: boolean;
}

/** The text that a tool uses as the value, or `undefined` if it leaves the line to YAML. */
export type Recovery = (line: KeyLine) => string | undefined;

/** The lookahead keeps this linear: without it, every space before the value could start the value. */
const KEY_LINE = /^([A-Za-z_][\w-]*[ \t]*):[ \t]+(?![ \t])([^\r]*)(\r?)$/;
const CLAUDE_KEY = /^[A-Za-z_-]+$/;
const CLAUDE_SPECIAL = /[{}[\]*&#!|>%@`,]|: /;
const OPENCODE_KEY = /^[A-Za-z_]\w*\s*$/;

/**
 * Claude Code 2.1 quotes any value with a special character, except a complete list, a quoted string, and the value of a
 * key with a digit. In files with CRLF it does not recover anything.
 */
export const recoverLikeClaude: Recovery = ({ key, value, crlf }) => {
  const first = value.charAt(0);
  const isQuoted = (first === '"' || first === "'") && value.length > 1 && value.endsWith(first);
  if (crlf || !CLAUDE_KEY.test(key) || isQuoted || isOneList(value)) return undefined;
  return CLAUDE_SPECIAL.test(value) ? value : undefined;
};

/** OpenCode 1.18 quotes any value with a colon, unless it starts with a quote or its key has a hyphen. */
export const recoverLikeOpenCode: Recovery = ({ key, value }) => {
  const trimmed = value.trim();
  if (!OPENCODE_KEY.test(key) || trimmed.startsWith('"') || trimmed.startsWith("'")) return undefined;
  return trimmed.includes(":") ? trimmed : undefined;
};

export interface Recovered {
  readonly yaml: string;
  readonly keys: readonly string[];
}

/** The same YAML, line for line, but the values that the tool would take as text are quoted. */
export function quoteValues(yaml: string, recovery: Recovery): Recovered | undefined {
  const keys: string[] = [];
  const lines = yaml.split("\n").map((line) => {
    const match = KEY_LINE.exec(line);
    if (match === null) return line;
    const [, key = "", value = "", cr = ""] = match;
    const text = recovery({ key, value, crlf: cr !== "" });
    if (text === undefined) return line;
    keys.push(key.trimEnd());
    return `${key}: '${text.replaceAll("'", "''")}'${cr}`;
  });
  return keys.length === 0 ? undefined : { yaml: lines.join("\n"), keys };
}

/** `[a, [b]]`, but not `[a] [b]`, as many hints are written. */
function isOneList(value: string): boolean {
  if (!value.startsWith("[") || !value.endsWith("]")) return false;
  let depth = 0;
  for (let at = 0; at < value.length - 1; at += 1) {
    if (value[at] === "[") depth += 1;
    else if (value[at] === "]") depth -= 1;
    if (depth === 0) return false;
  }
  return depth === 1;
}
