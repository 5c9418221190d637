import type { Permission } from "@atomic/workflows/internal/permission/rules";
import {
  PackageTranslation,
  type TranslatedPackage,
  type TranslationTerms,
} from "../delivery/translate/package-translation.ts";
import { HugoError } from "../errors.ts";
import type { RecordedNames } from "../packages/manifest/entity-names.ts";
import { type PackageIdentity, resolvePackage } from "../packages/resolved-package.ts";
import type { PackageTree } from "../packages/tree.ts";
import { type Capabilities, readCapabilities } from "./capabilities.ts";

/** A package that has been fetched and read, but not yet accepted. Its manifest lists what is selected. */
export type Candidate = TranslatedPackage;

/** What the user decided about a package, and what the lock remembers of it. */
export interface InstallTerms extends TranslationTerms {
  /** The workflow's name, if it is not the package's. */
  readonly name?: string | undefined;
  /** What its files are called now, without the prefix. */
  readonly recorded?: RecordedNames | undefined;
}

/** Refuses a package that cannot become a workflow. */
export function readCandidate(identity: PackageIdentity, tree: PackageTree, terms: InstallTerms = {}): Candidate {
  const resolved = resolvePackage(identity, tree, terms.recorded);
  const translation = new PackageTranslation(resolved.manifest, tree, terms);
  const { name: workflow = resolved.workflow } = terms;
  return { ...resolved, workflow, manifest: translation.manifest, translation };
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
