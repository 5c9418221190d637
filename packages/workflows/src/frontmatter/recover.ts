// Some tools accept frontmatter that is not valid YAML, most often `description: Use when: …`. They retry with such
// values quoted. Which values differs between tools, so each tool has its own function here; Copilot has none.

/** One unindented `key: value` line. */
export interface KeyLine {
  readonly key: string;
  readonly value: string;
  /** The line ends with CRLF. */
  readonly crlf: boolean;
}

/** The text that a tool takes for the value, or `undefined` if it leaves the line to YAML. */
export type Recovery = (line: KeyLine) => string | undefined;

const KEY_LINE = /^([A-Za-z_][\w-]*)[ \t]*:[ \t]+([^\r]*)(\r?)$/;
const COMPLETE_FLOW = /^(?:\[[^[\]]*\]|\{[^{}]*\})$/;
const CLAUDE_SPECIAL = /[{}[\]*&#!|>%@`,]|: /;
const OPENCODE_KEY = /^[A-Za-z_]\w*$/;

/** Claude Code 2.1: any value with a special character. It does not manage that in files with CRLF. */
export const recoverLikeClaude: Recovery = ({ value, crlf }) => {
  if (crlf || isQuoted(value) || COMPLETE_FLOW.test(value)) return undefined;
  return CLAUDE_SPECIAL.test(value) ? value : undefined;
};

/** OpenCode 1.18: any value with a colon, but not under a key with a hyphen. */
export const recoverLikeOpenCode: Recovery = ({ key, value }) => {
  const trimmed = value.trim();
  if (!OPENCODE_KEY.test(key) || isQuoted(trimmed)) return undefined;
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
    keys.push(key);
    return `${key}: '${text.replaceAll("'", "''")}'${cr}`;
  });
  return keys.length === 0 ? undefined : { yaml: lines.join("\n"), keys };
}

function isQuoted(value: string): boolean {
  return value.startsWith('"') || value.startsWith("'");
}
