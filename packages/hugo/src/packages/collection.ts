// What a collection offers, for people who choose from it.
import { parseFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { recoverLikeOpenCode } from "@atomic/workflows/internal/entities/frontmatter/recover";
import { contentAmounts } from "./labels.ts";
import type { ContentPlugin, WorkflowContent } from "./manifest/content.ts";
import { skillFile } from "./manifest/entity-names.ts";
import { type PackageTree, textOf } from "./tree.ts";

type PartKind = "plugin" | "agent" | "command" | "skill";

/** Something that can be installed from a collection. */
export interface CollectionPart {
  readonly kind: PartKind;
  readonly name: string;
  /** What `--select` calls it: `skills/pdf`. */
  readonly selector: string;
  /** Its author's words, on one line. */
  readonly description: string;
  /** What a plugin consists of: `2 agents, 1 skill`. */
  readonly contents?: string;
  /** It belongs to at least one plugin of the collection. */
  readonly isInPlugin: boolean;
}

const KINDS = [
  ["agents", "agent"],
  ["commands", "command"],
  ["skills", "skill"],
] as const;

/** Plugins first, then everything else by its kind. */
export function partsOf(content: WorkflowContent, tree: PackageTree): CollectionPart[] {
  const { plugins = [] } = content;
  const inPlugins = new Set(plugins.flatMap(({ members }) => members));
  return [
    ...plugins
      .filter(({ members }) => members.length > 0)
      .map(
        (plugin): CollectionPart => ({
          kind: "plugin",
          name: plugin.name,
          selector: `plugins/${plugin.name}`,
          description: oneLine(plugin.description),
          contents: amountsIn(plugin),
          isInPlugin: true,
        }),
      ),
    ...KINDS.flatMap(([folder, kind]) =>
      content[folder].map(({ name, path }): CollectionPart => {
        const text = textOf(tree, kind === "skill" ? skillFile(path) : path) ?? "";
        const { description } = parseFrontmatter(text, { path, recover: recoverLikeOpenCode }).values;
        const selector = `${folder}/${name}`;
        return { kind, name, selector, description: oneLine(description), isInPlugin: inPlugins.has(selector) };
      }),
    ),
  ];
}

function amountsIn({ members }: ContentPlugin): string {
  const list = (folder: string): readonly string[] => members.filter((member) => member.startsWith(`${folder}/`));
  return contentAmounts({ agents: list("agents"), commands: list("commands"), skills: list("skills") });
}

function oneLine(text: unknown): string {
  return typeof text === "string" ? text.replace(/\s+/g, " ").trim() : "";
}
