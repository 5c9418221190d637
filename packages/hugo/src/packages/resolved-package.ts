import type { Hash } from "@atomic/durable-files/files/hash";
import { suggestion } from "@atomic/terminal/read-command-line";
import type { LockedDelivery, LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../errors.ts";
import type { WorkflowContent } from "./manifest/content.ts";
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
}

/** Refuses a package that cannot become a workflow. None of its code runs. */
export function resolvePackage(
  { packageName, version, integrity }: PackageIdentity,
  tree: PackageTree,
): ResolvedPackage {
  const manifest = readManifest(tree);
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
  const { packageName, version, integrity, hash, manifest } = resolved;
  return {
    package: packageName,
    source,
    version,
    ...(integrity !== undefined && { integrity }),
    tree: hash,
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

/** With only the chosen contents, such as `agents/reviewer`; approval still covers the whole package. */
export function selectContents<Package extends Pick<ResolvedPackage, "manifest">>(
  resolved: Package,
  selection: readonly string[] | undefined,
): Package {
  if (selection === undefined) return resolved;
  const { manifest } = resolved;
  const chosen = (key: keyof ContentNames) =>
    (manifest[key] ?? []).filter(({ name }) => selection.includes(`${key}/${name}`));
  const contents = { agents: chosen("agents"), commands: chosen("commands"), skills: chosen("skills") };
  return { ...resolved, manifest: { ...manifest, ...contents, workflows: chosen("workflows") } };
}

/** Lists only what is really installed, not files that were left out. */
export function withoutStopped<Package extends ResolvedPackage>(
  resolved: Package,
  stopped: readonly { readonly destination: string }[],
): Package {
  if (stopped.length === 0) return resolved;
  const { manifest } = resolved;
  const lost = new Set(stopped.map(({ destination }) => destination));
  const { agents, commands, skills, workflows = [] } = manifest;
  return {
    ...resolved,
    manifest: {
      ...manifest,
      agents: agents.filter(({ name }) => !lost.has(`agents/${name}.md`)),
      commands: commands.filter(({ name }) => !lost.has(`commands/${name}.md`)),
      skills: skills.filter(({ name }) => !lost.has(`skills/${name}/SKILL.md`)),
      workflows: workflows.filter(({ path }) => !lost.has(path)),
    },
  };
}

/** Refuses a choice that the package does not have: it would silently install nothing. */
export function checkSelection(selection: readonly string[], manifest: WorkflowContent): readonly string[] {
  const keys = ["agents", "commands", "skills", "workflows"] as const;
  const known = keys.flatMap((key) => (manifest[key] ?? []).map(({ name }) => `${key}/${name}`));
  const names = selection.map((wanted) => {
    if (known.includes(wanted)) return wanted;
    // A name may omit its folder if only one folder has it.
    const meant = known.filter((name) => name.endsWith(`/${wanted}`));
    if (meant.length === 1) return meant[0]!;
    const near = suggestion(wanted, [...known, ...known.map((name) => name.slice(name.indexOf("/") + 1))]);
    const message =
      meant.length === 0 ? `The package has no "${wanted}"${near}` : `The package has more than one "${wanted}"`;
    const hint = `Choose from: ${(meant.length === 0 ? known : meant).join(", ")}.`;
    throw new HugoError("no-workflow", { message, hint });
  });
  return [...new Set(names)].sort();
}
