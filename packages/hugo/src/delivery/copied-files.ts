import { type WorkflowContent, workflowModules } from "../packages/manifest/content.ts";
import { type PackageTree, pathsBelow } from "../packages/tree.ts";

/** A file of a package on its way into `.opencode`. */
export interface CopiedFile {
  readonly source: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/** What makes a repository a package, and is no part of a skill that is the whole repository. */
const PACKAGING = /^(?:\.|package(?:-lock)?\.json$|bun\.lockb?$|hugo-workflow\.json$)/;

/**
 * Which file goes where, by destination below `.opencode`.
 *
 * @param selection Such as `agents/reviewer`; everything without it.
 */
export function filesToCopy(
  content: WorkflowContent,
  tree: PackageTree,
  selection?: ReadonlySet<string>,
): Map<string, CopiedFile> {
  const isWanted = (entity: string): boolean => selection === undefined || selection.has(entity);
  const files = new Map<string, CopiedFile>();
  const add = (destination: string, source: string): void => {
    const file = tree.get(source);
    if (file !== undefined) files.set(destination, { source, ...file });
  };
  for (const folder of ["agents", "commands"] as const) {
    for (const { name, path } of content[folder]) if (isWanted(`${folder}/${name}`)) add(`${folder}/${name}.md`, path);
  }
  for (const { name, path } of content.skills) {
    if (!isWanted(`skills/${name}`)) continue;
    for (const source of pathsBelow(tree, path)) {
      const within = path === "" ? source : source.slice(path.length + 1);
      if (path !== "" || !PACKAGING.test(source)) add(`skills/${name}/${within}`, source);
    }
  }
  for (const source of workflowFiles(content, tree, isWanted)) add(source, source);
  return files;
}

/** The modules that are wanted, and what lies beside them for their use. */
function workflowFiles(
  { workflows = [] }: WorkflowContent,
  tree: PackageTree,
  isWanted: (entity: string) => boolean,
): string[] {
  const modules = new Set(workflowModules(tree.keys()).map(({ path }) => path));
  const wanted = new Set(workflows.filter(({ name }) => isWanted(`workflows/${name}`)).map(({ path }) => path));
  if (wanted.size === 0) return [];
  return pathsBelow(tree, "workflows").filter((path) => wanted.has(path) || !modules.has(path));
}
