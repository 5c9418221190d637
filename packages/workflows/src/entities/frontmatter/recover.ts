// Some tools accept frontmatter that is not valid YAML, most often `description: Use when: …`. They retry with such
// values quoted. Which values differs between tools, so each tool has its own function here; Copilot has none.

/** One unindented `key: value` line. */
interface KeyLine {
  /** With the spaces that may stand before the colon. */
  readonly key: string;
  readonly value: string;
  /** The line ends with CRLF. */
  readonly crlf: boolean;
}

/** The text that a tool takes for the value, or `undefined` if it leaves the line to YAML. */
export type Recovery = (line: KeyLine) => string | undefined;

/** The look ahead keeps it linear: without it, every space before the value could start the value. */
const KEY_LINE = /^([A-Za-z_][\w-]*[ \t]*):[ \t]+(?![ \t])([^\r]*)(\r?)$/;
const CLAUDE_KEY = /^[A-Za-z_-]+$/;
const CLAUDE_SPECIAL = /[{}[\]*&#!|>%@`,]|: /;
const OPENCODE_KEY = /^[A-Za-z_]\w*\s*$/;

/**
 * Claude Code 2.1: any value with a special character, but not a whole list or a quoted string, and not under a key with
 * a digit. In files with CRLF it does not recover anything.
 */
export const recoverLikeClaude: Recovery = ({ key, value, crlf }) => {
  const first = value.charAt(0);
  const isQuoted = (first === '"' || first === "'") && value.length > 1 && value.endsWith(first);
  if (crlf || !CLAUDE_KEY.test(key) || isQuoted || isOneList(value)) return undefined;
  return CLAUDE_SPECIAL.test(value) ? value : undefined;
};

/** OpenCode 1.18: any value with a colon, but not if it starts with a quote, and not under a key with a hyphen. */
export const recoverLikeOpenCode: Recovery = ({ key, value }) => {
  const trimmed = value.trim();
  if (!OPENCODE_KEY.test(key) || trimmed.startsWith('"') || trimmed.startsWith("'")) return undefined;
  return trimmed.includes(":") ? trimmed : undefined;
};

export interface Recovered {
  readonly yaml: string;
  readonly keys: readonly string[];
}

/** The same YAML, line for line, with the values quoted that the tool would take as text. */
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

/** `[a, [b]]`, but not `[a] [b]`, which is how many a hint is written. */
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
