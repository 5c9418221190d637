// Agents and commands in OpenCode's own format: nothing is translated, and OpenCode must heed every restriction in them.
import type { Frontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { looksRestricting } from "@atomic/workflows/internal/entities/lint/known-keys";
import { accessOf, plainAction } from "./agent-access.ts";
import { isMap } from "./claude-format.ts";
import { KeyEdits } from "./key-edits.ts";
import type { MarkdownFile, Remark, Translation } from "./markdown-file.ts";
import { translateName } from "./translate-name.ts";

const HINT = "Its author can say it with the `permission` of an agent.";

export function checkNative(file: MarkdownFile, matter: Frontmatter): Translation {
  const edits = new KeyEdits(file, matter);
  const heeded = file.type === "agent" ? ["tools", "permission"] : [];
  const unheeded = Object.keys(matter.values).find((key) => looksRestricting(key) && !heeded.includes(key));
  if (unheeded !== undefined) {
    return edits.stop(
      unheeded,
      `OpenCode ignores "${unheeded}" in ${file.type}s, so the ${file.type} could do more than the file says`,
      HINT,
    );
  }
  const dead = file.type === "agent" ? unheededName(edits) : undefined;
  if (dead !== undefined) return { kind: "stopped", reason: dead };
  const { name } = matter.values;
  if (name === undefined || name === file.name) return { kind: "translated", text: file.text, notes: [] };
  translateName(edits, file);
  return edits.apply();
}

/** A permission or a tool that an agent means to restrict, by a name that OpenCode does not look for. */
export function unheededName(edits: KeyEdits): Remark | undefined {
  const permission = unheededPermission(edits.values.permission);
  if (permission !== undefined) {
    return edits.remark("permission", `OpenCode ignores the permission ${JSON.stringify(permission)}`, HINT);
  }
  const tool = unheededSwitch(edits.values);
  if (tool === undefined) return undefined;
  return edits.remark("tools", `OpenCode ignores the tool ${JSON.stringify(tool)}`, HINT);
}

const PERMISSIONS = new Set([
  ...["bash", "doom_loop", "edit", "external_directory", "glob", "grep", "list", "lsp", "question", "read", "skill"],
  ...["task", "todowrite", "webfetch", "websearch"],
]);
/** They are tools of OpenCode, or were, and go by the permission `edit`. */
const EDITS = new Set(["write", "patch", "multiedit", "apply_patch"]);

/** The permission that means to restrict something and does not. */
function unheededPermission(permission: unknown): string | undefined {
  if (!isMap(permission)) return undefined;
  return Object.keys(permission).find((name) => {
    const lower = name.toLowerCase();
    const live = EDITS.has(lower) ? "edit" : lower;
    if (live === name || !PERMISSIONS.has(live) || isAllow(permission[name])) return false;
    return permission[live] !== "deny" && JSON.stringify(permission[live]) !== JSON.stringify(permission[name]);
  });
}

/** In `tools` OpenCode takes these for `edit`. */
const SWITCHES = new Set(["write", "patch"]);

function unheededSwitch(values: Frontmatter["values"]): string | undefined {
  const { tools } = values;
  if (!isMap(tools)) return undefined;
  const access = accessOf(values);
  return Object.keys(tools).find((name) => {
    const lower = name.toLowerCase();
    const live = EDITS.has(lower) ? "edit" : lower;
    if (tools[name] !== false || live === name || SWITCHES.has(name) || !PERMISSIONS.has(live)) return false;
    return plainAction(access, live) !== "deny";
  });
}

function isAllow(setting: unknown): boolean {
  return setting === "allow" || (isMap(setting) && Object.values(setting).every((action) => action === "allow"));
}
