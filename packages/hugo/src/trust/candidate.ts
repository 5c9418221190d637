import type { Permission } from "@atomic/workflows/internal/permission/rules";
import { PackageTranslation, type TranslatedPackage } from "../delivery/translate/package-translation.ts";
import { HugoError } from "../errors.ts";
import { type PackageIdentity, resolvePackage } from "../packages/resolved-package.ts";
import type { PackageTree } from "../packages/tree.ts";
import { type Capabilities, readCapabilities } from "./capabilities.ts";

/** A package that has been fetched and read, but not yet accepted. */
export interface Candidate extends TranslatedPackage {
  readonly capabilities: Capabilities;
}

/** Many times what any reviewable package has. */
const MOST_CAPABILITIES = 5000;

/** Refuses a package that cannot become a workflow or has too many capabilities to review. */
export function readCandidate(identity: PackageIdentity, tree: PackageTree): Candidate {
  const resolved = resolvePackage(identity, tree);
  const translation = new PackageTranslation(resolved.manifest, tree);
  const capabilities = readCapabilities(translation);
  if (capabilities.list.length > MOST_CAPABILITIES) {
    throw new HugoError("package-unsafe", {
      message: `${identity.packageName} has ${capabilities.list.length.toLocaleString("en")} capabilities, too many to review`,
      hint: "Nothing was installed. No workflow needs that many; the long list may be meant to hide a dangerous one.",
    });
  }
  return { ...resolved, translation, capabilities };
}

/** What the package can do once its agents are limited to the user's permissions. */
export function capabilitiesUnder(limit: Permission, { translation, capabilities }: Candidate): Capabilities {
  return Object.keys(limit).length === 0 ? capabilities : readCapabilities(translation, limit);
}
