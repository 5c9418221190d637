import type { Hash } from "@atomic/durable-files/files/hash";
import type { LockedDelivery, LockedDependencies, LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import type { WorkflowContent } from "./manifest/content.ts";
import { type RecordedNames, skillFile } from "./manifest/entity-names.ts";
import { usesDefineWorkflow } from "./manifest/entry-code.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { hashTree, type PackageTree } from "./tree.ts";
import { workflowNameOf } from "./workflow-name.ts";

export interface PackageIdentity {
  readonly packageName: string;
  /** The registry's version, or a git source's commit. */
  readonly version: string;
  readonly integrity?: string;
}

/** What a package is: its identity, its files and its manifest. */
export interface ResolvedPackage extends PackageIdentity {
  /** The name that users know. */
  readonly workflow: string;
  readonly tree: PackageTree;
  readonly hash: Hash;
  readonly manifest: Manifest;
  /** Its code keeps what the user has set, as far as its text shows. */
  readonly yields: boolean;
  /** What its code needs; missing if nothing, or if it was only read. */
  readonly dependencies?: LockedDependencies | undefined;
}

/** Refuses a package that cannot become a workflow. None of its code runs. */
export function resolvePackage(
  { packageName, version, integrity }: PackageIdentity,
  tree: PackageTree,
  recorded?: RecordedNames,
): ResolvedPackage {
  const manifest = readManifest(tree, recorded);
  return {
    workflow: workflowNameOf(packageName),
    packageName,
    version,
    ...(integrity !== undefined && { integrity }),
    tree,
    hash: hashTree(tree),
    manifest,
    yields: manifest.delivery.kind === "plugin" && usesDefineWorkflow(tree, manifest.delivery),
  };
}

/** The workflow's entry in the lock. */
export function lockEntryOf(
  resolved: ResolvedPackage,
  { source, delivery, selection }: Pick<LockedWorkflow, "source" | "selection"> & { delivery: LockedDelivery },
): LockedWorkflow {
  const { packageName, version, integrity, hash, dependencies, manifest } = resolved;
  return {
    package: packageName,
    source,
    version,
    ...(integrity !== undefined && { integrity }),
    tree: hash,
    ...(dependencies !== undefined && delivery.kind === "plugin" && { dependencies }),
    delivery,
    ...namesIn(manifest),
    ...(selection !== undefined && { selection }),
  };
}

export type ContentNames = Pick<LockedWorkflow, "agents" | "commands" | "skills" | "workflows">;

export function namesIn({ agents, commands, skills, workflows = [] }: WorkflowContent): ContentNames {
  return {
    agents: agents.map(({ name }) => name),
    commands: commands.map(({ name }) => name),
    skills: skills.map(({ name }) => name),
    ...(workflows.length > 0 && { workflows: workflows.map(({ name }) => name) }),
  };
}

/** Lists only what is really installed, not files that were left out. */
export function withoutStopped<Package extends ResolvedPackage>(
  resolved: Package,
  stopped: readonly { readonly source: string }[],
): Package {
  if (stopped.length === 0) return resolved;
  const { manifest } = resolved;
  const lost = new Set(stopped.map(({ source }) => source));
  const { agents, commands, skills, workflows = [] } = manifest;
  return {
    ...resolved,
    manifest: {
      ...manifest,
      agents: agents.filter(({ path }) => !lost.has(path)),
      commands: commands.filter(({ path }) => !lost.has(path)),
      skills: skills.filter(({ path }) => !lost.has(skillFile(path))),
      workflows: workflows.filter(({ path }) => !lost.has(path)),
    },
  };
}
