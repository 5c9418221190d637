import { type Permission, readPermission } from "../permission/rules.ts";
import type { Entry, Finding } from "./entry-file.ts";

const opencodePermissions = new Set(
  [
    "read edit write patch apply_patch multiedit glob grep list bash task external_directory todowrite todoread question",
    "webfetch websearch lsp doom_loop skill plan_enter plan_exit invalid",
  ].flatMap((line) => line.split(" ")),
);

/** A permission that a workflow sets for everybody. Only its own tools are its business. */
export function checkPermission(name: string, setting: unknown): Entry<Permission[string]> {
  const checked = readPermission({ [name]: setting })[name];
  const finding = opencodePermissions.has(name) || /[*?]/.test(name) ? foreign(name) : unaccepted(name);
  if (finding.code === "permission-foreign" || checked === undefined) return { diagnostics: [finding] };
  return { config: checked, diagnostics: [] };
}

function foreign(name: string): Finding {
  const message = `The permission ${JSON.stringify(name)} would hold for every agent, and not only for the workflow's.`;
  const hint = "Set it in the agents that it is meant for; here only tools of the workflow itself can be named.";
  return { severity: "error", code: "permission-foreign", message, hint };
}

function unaccepted(name: string): Finding {
  const message = `The permission ${JSON.stringify(name)} is neither allow, ask or deny, nor a map of these by pattern.`;
  return { severity: "error", code: "value-unaccepted", message, hint: 'Write "ask" to have the user decide.' };
}
