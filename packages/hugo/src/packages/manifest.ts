import { HugoError } from "../errors.ts";
import type { WorkflowContent } from "./manifest/content.ts";
import { readFolders } from "./manifest/folders.ts";
import { readClaudePlugin, readHugoWorkflowJson, readWorkflowJson } from "./manifest/manifest-files.ts";
import { type PackageFacts, readEntry, readPackageFacts } from "./manifest/package-json.ts";
import type { PackageTree } from "./tree.ts";

type ManifestKind = "workflow.json" | "hugo-workflow.json" | "claude-plugin" | "folders";

/** How the workflow gets into OpenCode: as a plugin that it loads, or as files copied to its folders. */
type Delivery = { readonly kind: "plugin"; readonly entry: string } | { readonly kind: "copy" };

/** What a package says about itself, checked against its files. */
export interface Manifest extends WorkflowContent {
  readonly from: ManifestKind;
  readonly delivery: Delivery;
  readonly package: PackageFacts;
}

type Source = readonly [ManifestKind, (tree: PackageTree) => WorkflowContent | undefined];

/** In order of precedence. */
const sources: readonly Source[] = [
  ["workflow.json", readWorkflowJson],
  ["hugo-workflow.json", readHugoWorkflowJson],
  ["claude-plugin", readClaudePlugin],
  ["folders", readFolders],
];

/**
 * The agents, commands and skills of a package: from its manifest, or from its folders if it has none.
 *
 * @example
 * const { delivery, agents } = readManifest(readPackageTree("node_modules/@org/review"));
 */
export function readManifest(tree: PackageTree): Manifest {
  for (const [from, read] of sources) {
    const content = read(tree);
    if (content === undefined) continue;
    const entry = from === "workflow.json" ? readEntry(tree) : undefined;
    const delivery: Delivery = entry === undefined ? { kind: "copy" } : { kind: "plugin", entry };
    return { from, delivery, package: readPackageFacts(tree), ...content };
  }
  throw new HugoError("no-workflow", {
    message: `${readPackageFacts(tree).name ?? "The package"} has no workflow.json, no hugo-workflow.json, and no agents, commands or skills`,
    hint: tree.has(".claude-plugin/marketplace.json")
      ? "It is a marketplace with several plugins. Install the one you want from its own folder or repository."
      : "Its author can add a workflow.json with `hugo build`. To add a plain OpenCode plugin, use `opencode plugin`.",
  });
}
