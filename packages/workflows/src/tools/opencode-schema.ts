import type { Values } from "./yaml-block.ts";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isNumber: Check = (value) => Number.isFinite(value);
const isCount: Check = (value) => Number.isInteger(value) && Number(value) > 0;
const isAction: Check = (value) => value === "ask" || value === "allow" || value === "deny";
const isMapOf =
  (check: Check): Check =>
  (value) =>
    isMap(value) && Object.values(value).every(check);
const isRule: Check = (value) => isAction(value) || isMapOf(isAction)(value);
const isMode: Check = (value) => value === "subagent" || value === "primary" || value === "all";
const isColor: Check = (value) => typeof value === "string" && COLOR.test(value);
const COLOR = /^(?:#[0-9a-fA-F]{6}|primary|secondary|accent|success|warning|error|info)$/;
const ACTION_ONLY = new Set(["todowrite", "question", "webfetch", "websearch", "doom_loop"]);

const isPermission: Check = (value) =>
  isAction(value) ||
  (isMap(value) && Object.entries(value).every(([tool, rule]) => (ACTION_ONLY.has(tool) ? isAction : isRule)(rule)));

const agentKeys: ReadonlyMap<string, Check> = new Map([
  ["model", isText],
  ["variant", isText],
  ["description", isText],
  ["temperature", isNumber],
  ["top_p", isNumber],
  ["tools", isMapOf(isFlag)],
  ["disable", isFlag],
  ["hidden", isFlag],
  ["mode", isMode],
  ["color", isColor],
  ["steps", isCount],
  ["maxSteps", isCount],
  ["options", isMap],
  ["permission", isPermission],
]);

const commandKeys: ReadonlyMap<string, Check> = new Map([
  ["description", isText],
  ["agent", isText],
  ["model", isText],
  ["variant", isText],
  ["subtask", isFlag],
]);

/** The first key of an agent or command that OpenCode's own schema does not accept. */
export function unacceptedKey(type: "agent" | "command", values: Values): string | undefined {
  const keys = type === "agent" ? agentKeys : commandKeys;
  return [...keys].find(([key, accepts]) => values[key] !== undefined && !accepts(values[key]))?.[0];
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
