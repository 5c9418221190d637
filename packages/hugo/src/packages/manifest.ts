import type { PluginPart } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../errors.ts";
import type { WorkflowContent } from "./manifest/content.ts";
import type { RecordedNames } from "./manifest/entity-names.ts";
import { readFolders } from "./manifest/folders.ts";
import { readHugoWorkflowJson, readWorkflowJson } from "./manifest/manifest-files.ts";
import { readOpencodePlugin } from "./manifest/opencode-plugin.ts";
import { type PackageFacts, type PluginEntries, readEntries, readPackageFacts } from "./manifest/package-json.ts";
import { marketplaceIn, readClaudePlugin, readMarketplace, readPluginFolders } from "./manifest/plugins.ts";
import type { PackageTree } from "./tree.ts";

type ManifestKind =
  | "workflow.json"
  | "hugo-workflow.json"
  | "marketplace"
  | "claude-plugin"
  | "folders"
  | "plugin-folders"
  | "opencode-plugin";

/** How the workflow gets into OpenCode: as a plugin that it loads, or as files copied to its folders. */
type Delivery = ({ readonly kind: "plugin" } & PluginEntries) | { readonly kind: "copy" };

/** What OpenCode loads from a package. */
export function partsIn({ entry, tui }: PluginEntries): PluginPart[] {
  return [...(entry === undefined ? [] : ["server" as const]), ...(tui === undefined ? [] : ["tui" as const])];
}

/** What a package says about itself, checked against its files. */
export interface Manifest extends WorkflowContent {
  readonly from: ManifestKind;
  readonly delivery: Delivery;
  readonly package: PackageFacts;
  /** Why Hugo takes it for an OpenCode plugin, if its author does not say so. */
  readonly doubt?: string;
}

type Source = readonly [
  ManifestKind,
  (tree: PackageTree, recorded: RecordedNames | undefined) => WorkflowContent | undefined,
];

/** In order of precedence. */
const sources: readonly Source[] = [
  ["workflow.json", readWorkflowJson],
  ["hugo-workflow.json", readHugoWorkflowJson],
  ["marketplace", readMarketplace],
  ["claude-plugin", readClaudePlugin],
  ["folders", readFolders],
  ["plugin-folders", readPluginFolders],
];

/**
 * The agents, commands and skills of a package: from its manifest, or from its folders if it has none. An OpenCode plugin
 * needs neither: what it registers is known only once OpenCode loads it.
 *
 * @param recorded The names under which an earlier version is installed.
 * @example
 * const { delivery, agents } = readManifest(readPackageTree("node_modules/@org/review"));
 */
export function readManifest(tree: PackageTree, recorded?: RecordedNames): Manifest {
  const facts = readPackageFacts(tree);
  const plugin = readOpencodePlugin(tree);
  const isDeclared = plugin?.isDeclared === true && plugin.problem === undefined;
  for (const [from, read] of sources) {
    // Without a manifest for Hugo, a plugin's folders belong to its code.
    const isLoaded = isDeclared && !from.endsWith("workflow.json");
    const content = isLoaded ? undefined : read(tree, recorded);
    if (content === undefined) continue;
    const { agents, commands, skills } = content;
    // Its authors' own: `.opencode/commands/publish.md` is for work on the plugin, not with it.
    const isInternal = [...agents, ...commands, ...skills].every(({ path }) => /^\.(?:opencode|claude)\//.test(path));
    if (from === "folders" && plugin !== undefined && isInternal) continue;
    const entries = from === "workflow.json" ? readEntries(tree) : undefined;
    const isPlugin = entries?.entry !== undefined || entries?.tui !== undefined;
    const delivery: Delivery = isPlugin ? { kind: "plugin", ...entries } : { kind: "copy" };
    return { from, delivery, package: facts, ...content };
  }
  if (plugin === undefined) throw noWorkflow(tree, facts);
  const { entry, tui, because, problem } = plugin;
  if (problem !== undefined) throw problem;
  const delivery: Delivery = { kind: "plugin", entry, tui };
  const contents = { agents: [], commands: [], skills: [] };
  return {
    from: "opencode-plugin",
    delivery,
    package: facts,
    ...contents,
    ...(!plugin.isDeclared && { doubt: because }),
  };
}

function noWorkflow(tree: PackageTree, { name = "The package" }: PackageFacts): HugoError {
  if (marketplaceIn(tree) !== undefined) {
    return new HugoError("no-workflow", {
      message: `${name} is a marketplace that lists no plugins`,
      hint: "Install a plugin from its own repository or folder: hugo install github:org/repo/folder.",
    });
  }
  return new HugoError("no-workflow", {
    message: `${name} is not a workflow and not an OpenCode plugin: it has no workflow.json, no agents, commands or skills, and nothing in its package.json mentions OpenCode`,
    hint: "If it is a plugin, its author can say so with the keyword opencode-plugin in package.json.",
  });
}
