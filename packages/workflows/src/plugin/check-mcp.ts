import { type Entry, type Finding, nameProblem, type Values } from "./entry-file.ts";
import type { McpConfig } from "./opencode-config.ts";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isCount: Check = (value) => Number.isInteger(value) && Number(value) > 0;
const isMap = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts: Check = (value) => isMap(value) && Object.values(value).every(isText);
const isCommandLine: Check = (value) => Array.isArray(value) && value.length > 0 && value.every(isText);
const isUrl: Check = (value) => typeof value === "string" && URL.canParse(value) && /^https?:/.test(value);

type Shape = ReadonlyMap<string, { readonly check: Check; readonly isNeeded?: boolean; readonly expected: string }>;

const common = [
  ["enabled", { check: isFlag, expected: "true or false" }],
  ["timeout", { check: isCount, expected: "a whole number of milliseconds" }],
] as const;

const shapes: ReadonlyMap<unknown, Shape> = new Map<unknown, Shape>([
  [
    "local",
    new Map([
      ["command", { check: isCommandLine, isNeeded: true, expected: 'a list such as ["npx", "-y", "server"]' }],
      ["cwd", { check: isText, expected: "a path" }],
      ["environment", { check: isTexts, expected: "texts by name" }],
      ...common,
    ]),
  ],
  [
    "remote",
    new Map([
      ["url", { check: isUrl, isNeeded: true, expected: "an http or https address" }],
      ["headers", { check: isTexts, expected: "texts by name" }],
      ["oauth", { check: (value) => value === false || isMap(value), expected: "settings, or false" }],
      ...common,
    ]),
  ],
]);

/** An MCP server as OpenCode wants it. Another tool's shape would be dropped by it with a line in the log. */
export function checkMcp(name: string, entry: unknown): Entry<McpConfig> {
  const findings = [nameProblem(name), ...shapeProblems(name, entry)].filter((finding) => finding !== undefined);
  if (findings.some(({ severity }) => severity === "error")) return { diagnostics: findings };
  return { config: structuredClone(entry) as McpConfig, diagnostics: findings };
}

function shapeProblems(name: string, entry: unknown): Finding[] {
  const shape = isMap(entry) ? shapes.get(entry.type) : undefined;
  if (!isMap(entry) || shape === undefined) {
    return [problem(name, `needs "type": "local" with a command, or "remote" with a url`)];
  }
  const missing = [...shape].flatMap(([key, { isNeeded, expected }]) =>
    isNeeded === true && entry[key] === undefined ? [problem(name, `has no "${key}", ${expected}`)] : [],
  );
  const wrong = Object.entries(entry).flatMap(([key, value]) => {
    if (key === "type" || value === undefined) return [];
    const rule = shape.get(key);
    if (rule === undefined) return [problem(name, `has a key that a ${entry.type} server does not know: "${key}"`)];
    return rule.check(value) ? [] : [problem(name, `has a "${key}" that is not ${rule.expected}`)];
  });
  return [...missing, ...wrong, ...unexpanded(name, entry)];
}

function problem(name: string, what: string): Finding {
  const message = `The MCP server ${JSON.stringify(name)} ${what}.`;
  return { severity: "error", code: "mcp-unaccepted", message, hint: "Write it as in opencode.json." };
}

/** OpenCode expands these in its files only, so that the server would be sent the braces. */
function unexpanded(name: string, entry: Values): Finding[] {
  if (!/\{(?:env|file):/.test(JSON.stringify(entry))) return [];
  const message = `The MCP server ${JSON.stringify(name)} has {env:…} or {file:…}, which OpenCode does not expand here.`;
  return [{ severity: "warning", code: "mcp-unexpanded", message, hint: "Use process.env in the plugin's source." }];
}
