import type { Diagnostic } from "../entities/diagnostic.ts";
import { canonicalToolNames, deadPermissions, editTools } from "../entities/normalize/tool-names.ts";
import { layerPermission } from "../permission/layers.ts";
import { type Permission, readPermission, readPermissionRules } from "../permission/rules.ts";
import { checkKeys, type Entry, type EntryFile, isUsable, pick, readEntryFile, type Values } from "./entry-file.ts";
import type { AgentConfig } from "./opencode-config.ts";

const passed = ["description", "mode", "model", "variant", "temperature", "top_p", "color", "hidden", "disable"];
const known = new Set([...passed, "name", "steps", "maxSteps", "options", "permission", "tools"]);

/** An agent in OpenCode's own format, as OpenCode would read it from `.opencode/agents`. */
export function readAgent(path: string, name: string): Entry<AgentConfig> {
  const file = readEntryFile(path);
  const diagnostics = [
    ...file.diagnostics,
    ...checkKeys(file, { type: "agent", name, known }),
    ...lostRestrictions(file),
  ];
  if (!isUsable(diagnostics)) return { diagnostics };
  return { config: configOf(file), diagnostics };
}

function configOf({ values, body }: EntryFile): AgentConfig {
  const permission = permissionOf(values);
  const steps = values.steps ?? values.maxSteps;
  return {
    ...pick(values, passed),
    ...(steps !== undefined && { steps: Number(steps) }),
    ...(values.options !== undefined && { options: structuredClone(values.options) as Values }),
    ...(Object.keys(permission).length > 0 && { permission }),
    ...(body !== "" && { prompt: body }),
  };
}

/** A config hook's `tools` and its `permission: deny` mean nothing to OpenCode: only a map of permissions does. */
function permissionOf({ tools, permission }: Values): Permission {
  return layerPermission(permissionOfTools((tools ?? {}) as Record<string, boolean>), readPermission(permission));
}

/** As OpenCode translates them, but a tool once switched off stays off whatever it shares its permission with. */
function permissionOfTools(tools: Readonly<Record<string, boolean>>): Permission {
  const permission = new Map<string, "allow" | "deny">();
  for (const [tool, isOn] of Object.entries(tools)) {
    const [canonical = tool] = canonicalToolNames(tool, "opencode");
    const key = editTools.includes(canonical) ? "edit" : canonical;
    const isOff = !isOn || (key === "edit" && permission.get(key) === "deny");
    permission.delete(key);
    permission.set(key, isOff ? "deny" : "allow");
  }
  return Object.fromEntries(permission);
}

/** `write: deny` is accepted by OpenCode and forbids nothing. */
function lostRestrictions(file: EntryFile): Diagnostic[] {
  const rules = file.values.permission === undefined ? [] : readPermissionRules(file.values.permission);
  if (typeof rules === "string") return [];
  const dead = rules.filter(({ permission }) => isDead(permission));
  return [...new Set(dead.map(({ permission }) => permission))].map((permission) => {
    const isRestriction = dead.some((rule) => rule.permission === permission && rule.action !== "allow");
    return file.at("permission", {
      severity: isRestriction ? "error" : "warning",
      code: isRestriction ? "restriction-unknown" : "permission-ignored",
      message: `"permission" sets ${JSON.stringify(permission)}, which OpenCode ignores.`,
      hint: `Use "${editTools.includes(permission) ? "edit" : canonicalToolNames(permission, "opencode")[0]}".`,
    });
  });
}

function isDead(permission: string): boolean {
  if (permission === "edit") return false;
  return deadPermissions.has(permission) || !canonicalToolNames(permission, "opencode").includes(permission);
}
