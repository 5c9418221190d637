// Agents and commands in OpenCode's own format: nothing is translated, and OpenCode must heed every restriction in them.
import type { Frontmatter } from "@atomic/workflows/frontmatter/parse";
import { looksRestricting } from "@atomic/workflows/lint/known-keys";
import { isMap } from "./claude-format.ts";
import { KeyEdits } from "./key-edits.ts";
import type { MarkdownFile, Translation } from "./markdown-file.ts";
import { translateName } from "./translate-name.ts";

const HINT = "Its author can say it with the `permission` of an agent.";

export function checkNative(file: MarkdownFile, matter: Frontmatter): Translation {
  const edits = new KeyEdits(file, matter);
  const heeded = file.type === "agent" ? ["tools", "permission"] : [];
  const unheeded = Object.keys(matter.values).find((key) => looksRestricting(key) && !heeded.includes(key));
  if (unheeded !== undefined) {
    return edits.stop(
      unheeded,
      `OpenCode does not heed "${unheeded}" in ${file.type}s, so that it would be wider than it says`,
      HINT,
    );
  }
  const dead = file.type === "agent" ? unheededPermission(matter.values.permission) : undefined;
  if (dead !== undefined) {
    return edits.stop("permission", `OpenCode does not heed the permission ${JSON.stringify(dead)}`, HINT);
  }
  const { name } = matter.values;
  if (name === undefined || name === file.name) return { kind: "translated", text: file.text, notes: [] };
  translateName(edits, file);
  return edits.apply();
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

function isAllow(setting: unknown): boolean {
  return setting === "allow" || (isMap(setting) && Object.values(setting).every((action) => action === "allow"));
}
