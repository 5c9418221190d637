import { isAction, withoutPatterns } from "../../permission/rules.ts";
import {
  CONTROL_CHARACTERS,
  NO_VALUES,
  readYamlBlock,
  type YamlDialect,
  type YamlValues,
} from "../frontmatter/yaml-block.ts";

export type OpencodeFrontmatter =
  | { readonly kind: "values"; readonly values: YamlValues }
  /** The YAML is invalid: the file is loaded without it, and all of the text is the prompt. */
  | { readonly kind: "lost"; readonly because: string }
  | { readonly kind: "refused"; readonly because: string };

const dialect: YamlDialect = { forbidden: CONTROL_CHARACTERS, refusesTags: true };
const LANGUAGES = new Set(["", "yaml", "yml"]);

/** Reads it like OpenCode 1.18, which uses the library gray-matter and tries again for values with a colon. */
export function readOpencodeFrontmatter(text: string): OpencodeFrontmatter {
  const clean = text.replace(/^\ufeff/, "");
  if (!clean.startsWith("---") || clean[3] === "-") return { kind: "values", values: NO_VALUES };
  const firstLine = /^---([^\r\n]*)/.exec(clean)?.[0] ?? "---";
  const language = firstLine.slice(3).trim();
  if (!LANGUAGES.has(language)) {
    return {
      kind: "lost",
      because: `OpenCode either runs \`${language}\` frontmatter as code or drops it; Atomic does neither.`,
    };
  }
  const end = clean.indexOf("\n---", firstLine.length);
  // Without a language, what follows the fence is part of the YAML: a space is harmless, a no-break space is not.
  const start = language === "" ? "---".length : firstLine.length;
  const yaml = clean
    .slice(start, end === -1 ? clean.length : end)
    .replace(/^\ufeff/, "")
    .replace(/\r$/, "");
  const block = readYamlBlock(yaml.replace(TEMPLATE_VALUE, "$1$2"), dialect);
  if (block.kind === "map") return { kind: "values", values: withDates(block.values, yaml) };
  if (block.kind === "not-a-map") return { kind: "values", values: NO_VALUES };
  // The second try needs a different text. If the text is the same, OpenCode's library returns its cached result of the
  // first try, which is a file without frontmatter.
  const lines = yaml.split(/\r?\n/).map((line) => {
    const [, key, rest = ""] = KEY_LINE.exec(line) ?? [];
    const value = rest.trim();
    return key !== undefined && value.includes(":") && !/^["']/.test(value) ? `${key}: |-\n  ${value}` : line;
  });
  const blocked = lines.join("\n");
  if (end === -1 || blocked === yaml.replaceAll("\r\n", "\n")) return { kind: "lost", because: block.because };
  const again = readYamlBlock(blocked, dialect);
  if (again.kind === "map") return { kind: "values", values: withDates(again.values, blocked) };
  return { kind: "refused", because: block.because };
}

/** `{{NAME}}` is a map whose key is a map. OpenCode makes a text of the key; what matters is that the value is a map. */
const TEMPLATE_VALUE = /^([A-Za-z_][\w-]*:[ \t]+)\{[ \t]*(\{[^{}\r\n]*\})[ \t]*\}(?=[ \t]*\r?$)/gm;
const KEY_LINE = /^([A-Za-z_]\w*)\s*:\s*(.*)$/;
const DATE = /^([A-Za-z_][\w-]*):[ \t]+\d{4}-\d\d?-\d\d?(?:[Tt \t][\d:.]+.*)?[ \t]*\r?$/gm;

/** OpenCode reads a plain date as a `Date`, not as text. */
function withDates(values: YamlValues, yaml: string): YamlValues {
  const dates = [...yaml.matchAll(DATE)].flatMap(({ 1: key }) => key ?? []);
  if (dates.length === 0) return values;
  return { ...values, ...Object.fromEntries(dates.map((key) => [key, new Date(String(values[key]))])) };
}

type Check = (value: unknown) => boolean;

const isMapOf =
  (check: Check): Check =>
  (value) =>
    isMap(value) && Object.values(value).every(check);
const COLOR = /^(?:#[0-9a-fA-F]{6}|primary|secondary|accent|success|warning|error|info)$/;

/** What a key accepts, and how to describe it. */
type Rule = readonly [accepts: Check, form: string];

const text: Rule = [(value) => typeof value === "string", "text"];
const flag: Rule = [(value) => typeof value === "boolean", "true or false"];
const number: Rule = [(value) => Number.isFinite(value), "a number"];
const amount: Rule = [(value) => Number.isInteger(value) && Number(value) > 0, "a positive whole number"];
const mode: Rule = [
  (value) => value === "subagent" || value === "primary" || value === "all",
  "subagent, primary or all",
];
const color: Rule = [
  (value) => typeof value === "string" && COLOR.test(value),
  "primary, secondary, accent, success, warning, error, info, or a color such as #ff8800",
];
const permission: Rule = [
  (value) =>
    isAction(value) ||
    (isMap(value) &&
      Object.entries(value).every(
        ([tool, rule]) => isAction(rule) || (!withoutPatterns.has(tool) && isMapOf(isAction)(rule)),
      )),
  "ask, allow or deny, or a map that sets one of these for each tool or for each pattern of a tool",
];

const agentKeys: ReadonlyMap<string, Rule> = new Map([
  ["model", text],
  ["variant", text],
  ["description", text],
  ["temperature", number],
  ["top_p", number],
  ["tools", [isMapOf(flag[0]), 'a map from tools to true or false; prefer "permission"']],
  ["disable", flag],
  ["hidden", flag],
  ["mode", mode],
  ["color", color],
  ["steps", amount],
  ["maxSteps", amount],
  ["options", [isMap, "a map"]],
  ["permission", permission],
]);

const commandKeys: ReadonlyMap<string, Rule> = new Map([
  ["description", text],
  ["agent", text],
  ["model", text],
  ["variant", text],
  ["subtask", flag],
]);

const acceptedKeys = { agent: agentKeys, command: commandKeys } as const;

/** The keys of an agent or command whose values OpenCode's own schema does not accept. */
export function unacceptedKeys(type: "agent" | "command", values: YamlValues): string[] {
  return [...acceptedKeys[type]].flatMap(([key, [accepts]]) =>
    values[key] === undefined || accepts(values[key]) ? [] : key,
  );
}

export function unacceptedKey(type: "agent" | "command", values: YamlValues): string | undefined {
  return unacceptedKeys(type, values)[0];
}

/** What a key of an agent or command accepts, as the end of a sentence. */
export function acceptedForm(type: "agent" | "command", key: string): string | undefined {
  return acceptedKeys[type].get(key)?.[1];
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
