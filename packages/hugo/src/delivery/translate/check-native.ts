// Agents and commands in OpenCode's own format: nothing is translated, and OpenCode must honor every restriction.
import type { Frontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { looksRestricting } from "@atomic/workflows/internal/entities/lint/known-keys";
import { exceptionsIn, settingFor } from "@atomic/workflows/internal/permission/rules";
import { ownRules } from "./agent-access.ts";
import { isMap } from "./claude-format.ts";
import { KeyEdits } from "./key-edits.ts";
import type { MarkdownFile, Remark, Translation } from "./markdown-file.ts";

const HINT = "Its author can use an agent's `permission` instead.";

export function checkNative(file: MarkdownFile, matter: Frontmatter): Translation {
  const edits = new KeyEdits(file, matter);
  const heeded = file.type === "agent" ? ["tools", "permission"] : [];
  const unheeded = Object.keys(matter.values).find((key) => looksRestricting(key) && !heeded.includes(key));
  if (unheeded !== undefined) {
    const message = `OpenCode ignores "${unheeded}" in ${file.type}s, so the ${file.type} could do more than the file says`;
    return { kind: "stopped", reason: edits.remark(unheeded, message, HINT) };
  }
  const dead = file.type === "agent" ? unheededName(edits) : undefined;
  if (dead !== undefined) return { kind: "stopped", reason: dead };
  const { name } = matter.values;
  if (name === undefined || name === file.name) return { kind: "translated", text: file.text, notes: [] };
  edits.translateName();
  return edits.apply();
}

const PERMISSIONS = new Set([
  ...["bash", "doom_loop", "edit", "external_directory", "glob", "grep", "list", "lsp", "question", "read", "skill"],
  ...["task", "todowrite", "webfetch", "websearch"],
]);
/** Current or former tools of OpenCode under the permission `edit`. */
const EDITS = new Set(["write", "patch", "multiedit", "apply_patch"]);
/** In `tools`, OpenCode treats these as `edit`. */
const SWITCHES = new Set(["write", "patch"]);

/** A permission or tool that an agent means to restrict by a name that OpenCode ignores. */
export function unheededName(edits: KeyEdits): Remark | undefined {
  const { permission, tools } = edits.values;
  /** The name OpenCode uses, if it is a different one. */
  const liveName = (name: string): string | undefined => {
    const lower = name.toLowerCase();
    const live = EDITS.has(lower) ? "edit" : lower;
    return live === name || !PERMISSIONS.has(live) ? undefined : live;
  };
  if (isMap(permission)) {
    const dead = Object.keys(permission).find((name) => {
      const live = liveName(name);
      const setting = permission[name];
      const isAllow =
        setting === "allow" || (isMap(setting) && Object.values(setting).every((action) => action === "allow"));
      if (live === undefined || isAllow) return false;
      return permission[live] !== "deny" && JSON.stringify(permission[live]) !== JSON.stringify(setting);
    });
    if (dead !== undefined) {
      return edits.remark("permission", `OpenCode ignores the permission ${JSON.stringify(dead)}`, HINT);
    }
  }
  if (!isMap(tools)) return undefined;
  const rules = ownRules(edits.values);
  const dead = Object.keys(tools).find((name) => {
    const live = liveName(name);
    if (tools[name] !== false || live === undefined || SWITCHES.has(name)) return false;
    const setting = settingFor(live, rules);
    return exceptionsIn(setting).length > 0 || setting.get("*") !== "deny";
  });
  if (dead === undefined) return undefined;
  return edits.remark("tools", `OpenCode ignores the tool ${JSON.stringify(dead)}`, HINT);
}
