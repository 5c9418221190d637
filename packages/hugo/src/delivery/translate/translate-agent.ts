import type { Frontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { looksRestricting } from "@atomic/workflows/internal/entities/lint/known-keys";
import { combineTools } from "@atomic/workflows/internal/entities/normalize/restrictions";
import { normalizeDisallowedTools, normalizeTools } from "@atomic/workflows/internal/entities/normalize/tools";
import { unacceptedKey } from "@atomic/workflows/internal/entities/tools/opencode-frontmatter";
import { unheededName } from "./check-native.ts";
import { colours, isMap, isOnlyClaudes, isOpencodes } from "./claude-format.ts";
import { inClaudesWords, isCopilots } from "./copilot-tools.ts";
import { AUTHOR, KeyEdits } from "./key-edits.ts";
import type { MarkdownFile, Remark, Translation, UserSettings } from "./markdown-file.ts";
import { HELD, heldTo, type OrderedPermission, permissionValue, printPermission } from "./permission.ts";
import { permissionOfTools } from "./permission-of-tools.ts";

const PERMISSION_KEYS = ["tools", "disallowedTools", "permissionMode"];
/** Modes that only make Claude Code ask less. */
const ASKS_LESS = new Set(["default", "manual", "acceptEdits", "auto", "bypassPermissions"]);
const HANDLED = new Set([...PERMISSION_KEYS, "maxTurns", "hooks"]);
/** Keys of both. */
const SHARED = new Set(["name", "description", "model", "color", "tools"]);

/** Translates a Claude Code agent for OpenCode. */
export function translateAgent(
  file: MarkdownFile,
  matter: Frontmatter,
  { limit, models }: Pick<UserSettings, "limit" | "models">,
): Translation {
  const edits = new KeyEdits(file, matter);
  const { values } = edits;
  const lost = lostRestriction(edits, file) ?? unheededName(edits) ?? edits.lostHooks();
  if (lost !== undefined) return { kind: "stopped", reason: lost };
  const stopped = translateRestrictions(edits, file, limit);
  if (stopped !== undefined) return { kind: "stopped", reason: stopped };
  edits.translateName();
  edits.translateModel(models);

  const { color, maxTurns, steps } = values;
  const digits = typeof color === "string" ? colours.get(color) : undefined;
  if (digits !== undefined) edits.replace("color", KeyEdits.text("color", digits));
  else if (color !== undefined && unacceptedKey("agent", { color }) !== undefined) {
    edits.remove("color");
    edits.note("color", `OpenCode has no color ${JSON.stringify(color)}`);
  }
  if (steps === undefined && Number.isInteger(maxTurns) && Number(maxTurns) > 0) {
    edits.replace("maxTurns", { key: "steps", lines: [`steps: ${String(maxTurns)}`], value: maxTurns });
  } else if (maxTurns !== undefined) {
    edits.remove("maxTurns");
    edits.note("maxTurns", '"maxTurns" is not a valid number of steps, so OpenCode sets no limit');
  }

  // OpenCode sends unknown keys to the model's provider.
  const keys = Object.keys(values);
  const isForOpencode = keys.some((key) => isOpencodes("agent", key) && !SHARED.has(key));
  for (const key of keys) {
    const isForeign = isOnlyClaudes("agent", key) || (!isOpencodes("agent", key) && !isForOpencode);
    if (HANDLED.has(key) || !isForeign) continue;
    edits.remove(key);
    edits.note(key, `OpenCode has no ${JSON.stringify(key)} for agents, so it is left out`);
  }
  // Claude Code's agents are called by other agents; OpenCode also offers agents to the user, unless the mode says otherwise.
  if (values.mode === undefined && keys.length > 0) edits.add(KeyEdits.text("mode", "subagent"));
  return edits.apply();
}

/** A restriction in Claude Code that has no counterpart. */
function lostRestriction(edits: KeyEdits, { isClaudes }: MarkdownFile): Remark | undefined {
  const { values } = edits;
  const known = [...PERMISSION_KEYS, "permission"];
  const unknown = Object.keys(values).find((key) => looksRestricting(key) && !known.includes(key));
  if (unknown !== undefined) {
    const message = `"${unknown}" has no effect in an agent, so the agent could do more than the file says`;
    return edits.remark(unknown, message, AUTHOR);
  }
  const areSwitches = isMap(values.tools);
  const hasLists = values.disallowedTools !== undefined || (values.tools !== undefined && !areSwitches);
  if (values.permission !== undefined && hasLists) {
    const message = '"permission" is for OpenCode and "tools" is for Claude Code, so it is unclear which applies';
    return edits.remark("permission", message, AUTHOR);
  }
  if (areSwitches && hasLists) {
    const message = '"tools" is for OpenCode and "disallowedTools" is for Claude Code, so it is unclear which applies';
    return edits.remark("tools", message, AUTHOR);
  }
  if (values.isolation !== undefined) {
    return edits.remark("isolation", "It needs its own copy of the project, which OpenCode does not provide", AUTHOR);
  }
  // OpenCode's switches leave everything else on. An author who writes them for Claude Code may mean the opposite.
  if (!isClaudes || !areSwitches) return undefined;
  return edits.remark("tools", '"tools" is not a list, so it is unclear what Claude Code would restrict', AUTHOR);
}

function translateRestrictions(
  edits: KeyEdits,
  { source }: MarkdownFile,
  limit: UserSettings["limit"],
): Remark | undefined {
  const { values } = edits;
  if (isMap(values.tools)) return undefined;
  const places = PERMISSION_KEYS.filter((key) => values[key] !== undefined);
  const [place] = places;
  if (place === undefined) return undefined;
  const isCopilot = isCopilots(source);
  const normal = combineTools(
    normalizeTools(isCopilot ? inClaudesWords(values.tools) : values.tools, {
      provider: "claude",
      // To Copilot, case does not matter.
      asClaude: !isCopilot,
    }),
    normalizeDisallowedTools(values.disallowedTools, { provider: "claude" }),
  );
  if (normal.kind === "unreadable") {
    const { message = "", hint = AUTHOR } = normal.diagnostics[0] ?? {};
    const key = /^"disallowedTools"/.test(message) ? "disallowedTools" : "tools";
    return edits.remark(key, isCopilot ? message.replace("Claude Code", "Copilot") : message, hint);
  }
  const translated = permissionOfTools(normal.kind === "restricted" ? normal.restrictions : {});
  if (translated.kind === "stopped") return edits.remark(place, translated.because, AUTHOR);
  const inClaude = inMode(edits, translated.permission);
  if (inClaude === undefined) {
    const message = `OpenCode has no equivalent of "permissionMode: ${String(values.permissionMode)}"`;
    return edits.remark("permissionMode", message, AUTHOR);
  }
  for (const key of places) edits.remove(key);
  for (const { code, message } of normal.diagnostics) {
    if (!isCopilot || code !== "tool-name-case") edits.note(place, message);
  }
  for (const message of translated.notes) edits.note(place, message);
  const permission = heldTo(limit, inClaude);
  if (permission !== inClaude) edits.note(place, HELD);
  if (permission.length > 0) {
    edits.replace(place, { key: "permission", lines: printPermission(permission), value: permissionValue(permission) });
  }
  return undefined;
}

/** Undefined for a mode that restricts in a way OpenCode does not know. */
function inMode(edits: KeyEdits, permission: OrderedPermission): OrderedPermission | undefined {
  const { permissionMode } = edits.values;
  if (permissionMode === undefined || permissionMode === null) return permission;
  if (permissionMode === "plan") {
    const message = "In OpenCode, an agent that only plans cannot change files, run commands or start other agents";
    edits.note("permissionMode", message);
    const others = permission.filter(([name]) => !["edit", "bash", "task"].includes(name));
    // Otherwise it could let other agents do the work. A list without them already denies them.
    const isClosed = others[0]?.[0] === "*" && !permission.some(([name]) => name === "task");
    return [...others, ...(isClosed ? [] : ([["task", "deny"]] as const)), ["edit", "deny"], ["bash", "deny"]];
  }
  if (typeof permissionMode !== "string" || !ASKS_LESS.has(permissionMode)) return undefined;
  if (permissionMode !== "default") edits.note("permissionMode", "Your settings decide when OpenCode asks");
  return permission;
}
