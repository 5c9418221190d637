import { withoutPatterns } from "../../permission/fold.ts";
import { isAction } from "../../permission/rules.ts";
import type { Values } from "./yaml-block.ts";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isNumber: Check = (value) => Number.isFinite(value);
const isCount: Check = (value) => Number.isInteger(value) && Number(value) > 0;
const isMapOf =
  (check: Check): Check =>
  (value) =>
    isMap(value) && Object.values(value).every(check);
const isRule: Check = (value) => isAction(value) || isMapOf(isAction)(value);
const isMode: Check = (value) => value === "subagent" || value === "primary" || value === "all";
const isColor: Check = (value) => typeof value === "string" && COLOR.test(value);
const COLOR = /^(?:#[0-9a-fA-F]{6}|primary|secondary|accent|success|warning|error|info)$/;

const isPermission: Check = (value) =>
  isAction(value) ||
  (isMap(value) &&
    Object.entries(value).every(([tool, rule]) => (withoutPatterns.has(tool) ? isAction : isRule)(rule)));

/** What a key may be, and how to say it. */
type Rule = readonly [accepts: Check, form: string];

const text: Rule = [isText, "text"];
const flag: Rule = [isFlag, "true or false"];
const number: Rule = [isNumber, "a number"];
const amount: Rule = [isCount, "a whole number above 0"];

const agentKeys: ReadonlyMap<string, Rule> = new Map([
  ["model", text],
  ["variant", text],
  ["description", text],
  ["temperature", number],
  ["top_p", number],
  ["tools", [isMapOf(isFlag), 'a map of tools to true or false; better say it with "permission"']],
  ["disable", flag],
  ["hidden", flag],
  ["mode", [isMode, "subagent, primary or all"]],
  ["color", [isColor, "primary, secondary, accent, success, warning, error, info, or as #ff8800"]],
  ["steps", amount],
  ["maxSteps", amount],
  ["options", [isMap, "a map"]],
  [
    "permission",
    [isPermission, "ask, allow or deny, or a map of tools to one of these or to patterns with one of these"],
  ],
]);

const commandKeys: ReadonlyMap<string, Rule> = new Map([
  ["description", text],
  ["agent", text],
  ["model", text],
  ["variant", text],
  ["subtask", flag],
]);

/** The first key of an agent or command that OpenCode's own schema does not accept. */
export function unacceptedKey(type: "agent" | "command", values: Values): string | undefined {
  return [...rules(type)].find(([key, [accepts]]) => values[key] !== undefined && !accepts(values[key]))?.[0];
}

/** What a key of an agent or command may be, as the end of a sentence. */
export function acceptedForm(type: "agent" | "command", key: string): string | undefined {
  return rules(type).get(key)?.[1];
}

function rules(type: "agent" | "command"): ReadonlyMap<string, Rule> {
  return type === "agent" ? agentKeys : commandKeys;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
