// What is known about a workflow's installed version, to compare an update with.
import type { Hash } from "@atomic/durable-files/files/hash";
import type { LockedWorkflow, PluginPart } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Context } from "../context.ts";
import { PackageTranslation } from "../delivery/translate/package-translation.ts";
import { HugoError } from "../errors.ts";
import { hashOf } from "../packages/hash.ts";
import { partsIn, readManifest } from "../packages/manifest.ts";
import { selectContents } from "../packages/selection.ts";
import { hashTree, type PackageTree } from "../packages/tree.ts";
import { lockedRequest } from "../workspace/request.ts";
import type { Workspace } from "../workspace/snapshot.ts";
import type { Candidate, InstallTerms } from "./candidate.ts";
import { readPackageScripts } from "./capabilities/package-scripts.ts";
import { type Capabilities, readCapabilities } from "./capabilities.ts";
import { type CandidateOptions, type FetchedCandidate, fetchCandidate } from "./fetch-candidate.ts";

export interface InstalledVersion {
  /** Its package is neither in the store nor at its source any more, so nothing can be compared with it. */
  readonly isGone?: true;
  readonly capabilities: Capabilities;
  /** What OpenCode can load from it; only some of that may be wanted. */
  readonly parts: readonly PluginPart[];
  /** The package's original content of each copied file. */
  baseOf(hash: Hash): Uint8Array | undefined;
  /** Whether the package delivered the file as executable, by destination. */
  wasExecutable(destination: string): boolean | undefined;
}

/** If the old package is gone, everything counts as new. */
const unknown: InstalledVersion = {
  isGone: true,
  capabilities: { list: [], agents: new Map(), files: new Map() },
  parts: [],
  baseOf: () => undefined,
  wasExecutable: () => undefined,
};

/** From the store, or fetched again after a clone; its hash always matches the lock. */
export async function readInstalledVersion(
  context: Context,
  workspace: Workspace,
  name: string,
  locked: LockedWorkflow,
): Promise<InstalledVersion> {
  const stored = storedIfSame(workspace, name, locked);
  if (stored !== undefined) return installedVersion(lockedTranslation(stored, locked), locked);
  if (locked.tree === undefined) return unknown;
  try {
    const { translation } = await readLocked(context, workspace, name, locked);
    return installedVersion(translation, locked);
  } catch (error) {
    // The version may be unpublished or its repository gone: then the user is asked about everything.
    if (error instanceof HugoError) return unknown;
    throw error;
  }
}

/** The stored package, if it is the locked one. */
export function storedIfSame(
  workspace: Pick<Workspace, "storedTree">,
  name: string,
  { tree }: Pick<LockedWorkflow, "tree">,
): PackageTree | undefined {
  const stored = workspace.storedTree(name);
  return stored !== undefined && hashTree(stored) === tree ? stored : undefined;
}

/** The same, if all its locked dependencies are there, too. */
export function storedIfComplete(
  workspace: Pick<Workspace, "storedTree" | "dependencyProblems">,
  name: string,
  locked: LockedWorkflow,
): PackageTree | undefined {
  const stored = storedIfSame(workspace, name, locked);
  if (stored === undefined || workspace.dependencyProblems(name).length > 0) return undefined;
  // Earlier versions of Hugo did not record them.
  const isRecorded = locked.delivery.kind === "copy" || locked.dependencies !== undefined || !needsOthers(stored);
  return isRecorded ? stored : undefined;
}

function needsOthers(tree: PackageTree): boolean {
  return readPackageScripts(tree).some(({ kind }) => kind === "dependency");
}

/** The locked version, for callers that do not store it. */
export async function readLocked(
  context: Context,
  workspace: Workspace,
  name: string,
  locked: LockedWorkflow,
): Promise<Candidate> {
  const options = { dependencies: "none" } as const;
  return await fetchLocked(context, workspace, name, locked, async ({ candidate }) => candidate, options);
}

/** What the user decided when the workflow was installed or last updated. */
export function lockedTerms(name: string, { delivery }: Pick<LockedWorkflow, "delivery">): InstallTerms {
  if (delivery.kind !== "copy") return { name };
  const { prefix, models, files } = delivery;
  const recorded = new Map<string, string>();
  for (const [destination, { source }] of files) {
    const [, own, skill] = /^(?:agents|commands)\/(.+)\.md$|^skills\/([^/]+)\/SKILL\.md$/.exec(destination) ?? [];
    const known = own ?? skill;
    if (known === undefined) continue;
    const path = skill === undefined ? source : source.replace(/\/?SKILL\.md$/, "");
    recorded.set(path, prefix === undefined ? known : known.slice(prefix.length + 1));
  }
  return { name, prefix, models, recorded };
}

/** What OpenCode got from the locked version. */
export function lockedTranslation(tree: PackageTree, locked: Pick<LockedWorkflow, "delivery">): PackageTranslation {
  const terms = lockedTerms("", locked);
  return new PackageTranslation(readManifest(tree, terms.recorded), tree, terms);
}

/** Exactly the locked version, with exactly its content. */
export async function fetchLocked<T>(
  context: Context,
  workspace: Workspace,
  name: string,
  locked: LockedWorkflow,
  use: (fetched: FetchedCandidate) => Promise<T>,
  more: Pick<CandidateOptions, "dependencies"> = {},
): Promise<T> {
  const { version, integrity, tree } = locked;
  const exactly = { version, ...(integrity !== undefined && { integrity }) };
  const terms = (): InstallTerms => lockedTerms(name, locked);
  const options = { context, workspace, exactly, known: locked.dependencies, terms, ...more };
  return await fetchCandidate(lockedRequest(locked, workspace.place), options, async (fetched) => {
    const { hash } = fetched.candidate;
    if (tree === undefined || hash === tree) return await use(fetched);
    throw new HugoError("integrity-mismatch", {
      message: `${locked.package} ${version} no longer matches what was installed: its content is ${hash}, but the lock says ${tree}`,
      hint: "This version was changed at its source. Review it (hugo info) before you install it again.",
    });
  });
}

function installedVersion(translation: PackageTranslation, locked: LockedWorkflow): InstalledVersion {
  const { delivery, selection } = locked;
  const isCopied = translation.manifest.delivery.kind === "copy";
  // The same bytes as when they were delivered, whatever the user's permissions are now.
  const limit = delivery.kind === "copy" ? delivery.permission : undefined;
  const files = isCopied ? translation.deliver(limit).files : undefined;
  // By hash, because the lock records only hashes.
  const bases = new Map([...(files?.values() ?? [])].map(({ bytes }) => [hashOf(bytes), bytes]));
  return {
    capabilities: readCapabilities(
      translation,
      undefined,
      selectContents({ manifest: translation.manifest }, selection).manifest,
    ),
    parts: translation.manifest.delivery.kind === "plugin" ? partsIn(translation.manifest.delivery) : [],
    baseOf: (hash) => bases.get(hash),
    wasExecutable: (destination) => files?.get(destination)?.executable,
  };
}
