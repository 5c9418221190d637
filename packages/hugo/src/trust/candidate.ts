import type { Permission } from "@atomic/workflows/internal/permission/rules";
import { PackageTranslation, type TranslatedPackage } from "../delivery/translate/package-translation.ts";
import { HugoError } from "../errors.ts";
import { type PackageIdentity, resolvePackage } from "../packages/resolved-package.ts";
import type { PackageTree } from "../packages/tree.ts";
import { type Capabilities, readCapabilities } from "./capabilities.ts";

/** A package that has been fetched and read, but not yet accepted. Its manifest lists what is selected. */
export type Candidate = TranslatedPackage;

/** Refuses a package that cannot become a workflow. */
export function readCandidate(identity: PackageIdentity, tree: PackageTree): Candidate {
  const resolved = resolvePackage(identity, tree);
  return { ...resolved, translation: new PackageTranslation(resolved.manifest, tree) };
}

/** Many times what any reviewable package has. */
const MOST_CAPABILITIES = 5000;

/**
 * What arrives of the package can do this, once its agents are limited to the user's permissions. Refuses a package with
 * too many capabilities to review.
 */
export function capabilitiesOf({ packageName, translation, manifest }: Candidate, limit?: Permission): Capabilities {
  const capabilities = readCapabilities(translation, limit, manifest);
  const { length } = capabilities.list;
  if (length <= MOST_CAPABILITIES) return capabilities;
  throw new HugoError("package-unsafe", {
    message: `${packageName} has ${length.toLocaleString("en")} capabilities, too many to review`,
    hint: "Nothing was installed. No workflow needs that many; the long list may be meant to hide a dangerous one.",
  });
}
