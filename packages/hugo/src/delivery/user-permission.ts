import { widerPermissions } from "@atomic/workflows/internal/permission/compare";
import { capPermission, mergeGeneralKeys } from "@atomic/workflows/internal/permission/layers";
import { type Permission, rulesOf } from "@atomic/workflows/internal/permission/rules";
import { HugoError } from "../errors.ts";
import type { ResolvedPackage } from "../packages/resolved-package.ts";
import type { WorkspaceSnapshot } from "../workspace/snapshot.ts";

/**
 * What the user allows all agents. An OpenCode variable can only restrict what the files allow: the variable may be gone
 * tomorrow, and a file that Hugo writes stays.
 *
 * @throws {HugoError} if a part of it cannot be read, because what it forbids is then unknown.
 */
export function userPermission(view: Pick<WorkspaceSnapshot, "generalConfigs">): Permission {
  const general = view.generalConfigs();
  for (const { path, problem, at = path } of general) {
    if (problem === undefined) continue;
    const hint = "Fix it by hand; OpenCode probably rejects it as well. Nothing was changed.";
    throw new HugoError("config-invalid", { message: `${at}: ${problem}`, at: path, hint });
  }
  const always = mergeGeneralKeys(general.filter(({ isVariable }) => !isVariable).map(({ keys }) => keys));
  const now = mergeGeneralKeys(general.map(({ keys }) => keys));
  if (widerPermissions(rulesOf(always), rulesOf(now)).length === 0) return now;
  // OpenCode allows everything that no rule covers.
  return capPermission(Object.hasOwn(always, "*") ? always : { "*": "allow", ...always }, now);
}

/** The user's permissions that limit a package's translated agents. */
export function agentLimit(
  view: Pick<WorkspaceSnapshot, "generalConfigs">,
  { manifest }: Pick<ResolvedPackage, "manifest">,
): Permission {
  const isCopied = manifest.delivery.kind === "copy";
  return isCopied && manifest.agents.length > 0 ? userPermission(view) : {};
}
