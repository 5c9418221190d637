// Plugins made for Claude Code and its relatives: one that is the whole package, and repositories with many of them.
import { posix } from "node:path";
import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import { isPlainPath } from "@atomic/durable-files/safety/names";
import { sourceForm } from "@atomic/workflows/internal/hugo-lock/source-form";
import { HugoError } from "../../errors.ts";
import { readJsonFile } from "../json-part.ts";
import { type PackageTree, pathsBelow } from "../tree.ts";
import type { ContentPlugin, WorkflowContent } from "./content.ts";
import { type FoundEntity, nameEntities, type RecordedNames } from "./entity-names.ts";
import { type FoundContent, markdownBelow, named, skillsIn, usualFolders, withInner } from "./folders.ts";

const HINT = "Only the plugin's author can fix it.";
const KINDS = ["agents", "commands", "skills"] as const;

/** A plugin made for Claude Code: the usual folders, and what its manifest adds to them. */
export function readClaudePlugin(tree: PackageTree, recorded?: RecordedNames): WorkflowContent | undefined {
  const manifest = readJsonFile(tree, ".claude-plugin/plugin.json", HINT);
  return manifest && named(tree, together(usualFolders(tree, ""), listedIn(tree, manifest, [""])), recorded);
}

/** Where tools look for the list of a repository's plugins, and for one plugin's own manifest. */
const LISTS = [".claude-plugin", ".github/plugin", ".agents/plugins", ".cursor-plugin"].map(
  (folder) => `${folder}/marketplace.json`,
);
const MANIFESTS = [
  ".claude-plugin/plugin.json",
  ".github/plugin/plugin.json",
  "plugin.json",
  ".cursor-plugin/plugin.json",
];

/** The file that lists the repository's plugins, if it has one. */
export function marketplaceIn(tree: PackageTree): string | undefined {
  return LISTS.find((file) => tree.has(file));
}

/**
 * A repository that offers several plugins, and perhaps agents and skills beside them. Undefined if it offers only
 * itself. What is wrong with one plugin does not keep users from the others.
 */
export function readMarketplace(tree: PackageTree, recorded?: RecordedNames): WorkflowContent | undefined {
  const file = marketplaceIn(tree);
  const root = file === undefined ? undefined : readJsonFile(tree, file, "Only the marketplace's author can fix it.");
  const listed = root === undefined ? [] : listedPlugins(tree, root);
  const [only, another] = listed;
  return another === undefined && only?.folder === "" ? undefined : collectionOf(tree, listed, recorded);
}

/** The same for a repository without such a list, such as one folder of a marketplace. */
export function readPluginFolders(tree: PackageTree, recorded?: RecordedNames): WorkflowContent | undefined {
  return collectionOf(tree, pluginsInFolders(tree), recorded);
}

function collectionOf(
  tree: PackageTree,
  all: readonly ListedPlugin[],
  recorded: RecordedNames | undefined,
): WorkflowContent | undefined {
  if (all.length === 0) return undefined;
  const listed = withoutTwins(all);
  const beside = usualFolders(tree, "");
  // The first plugin that contains a file gives it its name.
  const found = (kind: keyof FoundContent): readonly FoundEntity[] => {
    const inPlugins = listed.flatMap(({ name, found }) =>
      (found?.[kind] ?? []).map((each) => ({ ...each, plugin: name })),
    );
    // What is in the usual folders is not named after a plugin that uses it.
    return [...beside[kind], ...inPlugins];
  };
  const content = {
    agents: nameEntities(tree, "agent", found("agents"), { recorded }),
    commands: nameEntities(tree, "command", found("commands"), { recorded }),
    skills: nameEntities(tree, "skill", found("skills"), { recorded }),
  };
  const plugins = listed.map(({ found, ...plugin }): ContentPlugin => {
    const members = KINDS.flatMap((kind) =>
      (found?.[kind] ?? []).flatMap(({ path }) => {
        const name = content[kind].nameAt(path);
        return name === undefined ? [] : `${kind}/${name}`;
      }),
    );
    const isEmpty = members.length === 0 && plugin.problem === undefined && plugin.elsewhere === undefined;
    return {
      ...plugin,
      members: [...new Set(members)].sort(),
      ...(isEmpty && { problem: "It has no agents, commands or skills." }),
    };
  });
  const { agents, commands, skills } = content;
  return { agents: agents.entities, commands: commands.entities, skills: skills.entities, plugins };
}

/** Of plugins with one name, users can choose only the first by that name. */
function withoutTwins(listed: readonly ListedPlugin[]): ListedPlugin[] {
  const first = new Map<string, ListedPlugin>();
  for (const plugin of listed) if (!first.has(plugin.name)) first.set(plugin.name, plugin);
  return listed.flatMap((plugin): ListedPlugin[] => {
    const { name, folder = "" } = plugin;
    const twin = first.get(name);
    if (twin === plugin || plugin.found === undefined) return [plugin];
    if (folder !== "" && folder === twin?.folder) return [];
    const instead = folder === "" ? "" : ` Install it by its folder, ${folder}.`;
    return [{ name, problem: `Another plugin here has the same name.${instead}` }];
  });
}

interface ListedPlugin extends Omit<ContentPlugin, "members"> {
  readonly found?: FoundContent;
}

function listedPlugins(tree: PackageTree, root: JsonPart): ListedPlugin[] {
  const base = root.get("metadata").get("pluginRoot").optionalString() ?? "";
  return root
    .get("plugins")
    .items()
    .map((entry, index): ListedPlugin => {
      const written = entry.node?.kind === "object" ? entry.get("name").value() : undefined;
      const known = typeof written === "string" ? written : `plugins[${index}]`;
      return guarded({ name: known }, () => {
        const name = entry.get("name").string();
        const description = entry.get("description").optionalString();
        const about = { name, ...(description !== undefined && { description }) };
        const source = entry.get("source");
        const path = source.node?.kind === "object" ? localPath(source) : source.string();
        if (path === undefined) return { ...about, ...remote(source) };
        if (ADDRESS.test(path)) return { ...about, ...repository(path) };
        const isBare = base !== "" && !/^\.{0,2}\//.test(path);
        const folder = plainFolder(source, isBare ? posix.join(base, path) : path);
        if (folder !== "" && pathsBelow(tree, folder).length === 0) {
          throw source.refuse("is not in the repository, or Windows cannot store the names of its files");
        }
        const hasLists = KINDS.some((kind) => !entry.get(kind).isMissing);
        const isComplete = hasLists && (folder === "" || entry.get("strict").value() === false);
        const own = isComplete ? NOTHING : pluginAt(tree, folder);
        return { ...about, folder, found: together(own, listedIn(tree, entry, [folder, ""])) };
      });
    });
}

const NOTHING: FoundContent = { agents: [], commands: [], skills: [] };

/** Plugins that nothing lists: folders with a plugin's manifest. */
function pluginsInFolders(tree: PackageTree): ListedPlugin[] {
  const folders = [...tree.keys()].flatMap((path) => {
    const [, folder] =
      /^((?:[^/.][^/]*\/){1,3})(?:\.claude-plugin|\.github\/plugin|\.cursor-plugin)\/plugin\.json$/.exec(path) ?? [];
    return folder === undefined ? [] : folder.slice(0, -1);
  });
  return [...new Set(folders)].map((folder) =>
    guarded({ name: posix.basename(folder) }, () => {
      const manifest = manifestIn(tree, folder);
      const name = manifest?.get("name").optionalString() ?? posix.basename(folder);
      const description = manifest?.get("description").optionalString();
      return { name, ...(description !== undefined && { description }), folder, found: pluginAt(tree, folder) };
    }),
  );
}

function guarded(about: { readonly name: string }, read: () => ListedPlugin): ListedPlugin {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof HugoError) || error.code !== "manifest-invalid") throw error;
    return { ...about, problem: error.message };
  }
}

/** The file in which a plugin describes itself, if it has one. */
export function manifestFile(tree: PackageTree, folder: string): string | undefined {
  return MANIFESTS.map((path) => posix.join(folder, path)).find((path) => tree.has(path));
}

function manifestIn(tree: PackageTree, folder: string): JsonPart | undefined {
  const file = manifestFile(tree, folder);
  return file === undefined ? undefined : readJsonFile(tree, file, HINT);
}

function pluginAt(tree: PackageTree, folder: string): FoundContent {
  const usual = usualFolders(tree, folder === "" ? "" : `${folder}/`);
  const manifest = manifestIn(tree, folder);
  if (manifest === undefined) return usual;
  // Some collections keep what several plugins share in the root of the repository, and list it for their own tool.
  const extensions = manifest.get("extensions");
  const lists = extensions.node?.kind === "object" ? extensions.entries().map(([, value]) => value) : [];
  return [manifest, ...lists.filter(({ node }) => node?.kind === "object")]
    .map((part) => listedIn(tree, part, [folder, ""]))
    .reduce(together, usual);
}

/** The path of a source inside the repository; undefined if it is elsewhere. */
function localPath(source: JsonPart): string | undefined {
  const kind = source.get("source").optionalString();
  const path = kind === "local" ? source.get("path") : source.get("url");
  const text = kind === "local" || kind === "url" ? path.optionalString() : undefined;
  return text !== undefined && (kind === "local" || /^\.\.?(?:\/|$)/.test(text)) ? text : undefined;
}

/**
 * How a plugin that is elsewhere is installed. The spec is printed as a command to paste, so it means exactly what the
 * marketplace says, or there is none: `foo` of another registry is not `foo` of yours.
 */
function remote(source: JsonPart): Pick<ContentPlugin, "elsewhere" | "problem"> {
  const text = (key: string): string | undefined => source.get(key).optionalString();
  const kind = text("source");
  switch (kind) {
    case "github":
    case "url":
    case "git-subdir": {
      const address = text(kind === "github" ? "repo" : "url") ?? "";
      return repository(address, { path: text("path"), ref: text("sha") ?? text("ref") });
    }
    case "npm": {
      const [name, version, registry] = [text("package") ?? "", text("version"), text("registry")];
      if (registry !== undefined && !PUBLIC_REGISTRY.test(registry)) {
        // The rest of the address may be a secret.
        const [, host] = /^https?:\/\/([\w.-]+)(?::\d+)?(?:\/|$)/.exec(registry) ?? [];
        const where = host === undefined ? "another npm registry" : `another npm registry (${host})`;
        return { problem: `It is in ${where}, and Hugo installs only from those in your npm settings.` };
      }
      const spec = version === undefined ? name : `${name}@${version}`;
      const isPackage = sourceForm(spec)?.kind === "registry";
      return isPackage ? { elsewhere: spec } : { problem: "Its npm package's name or version is invalid." };
    }
    case "pip":
      return { problem: "It is a Python package (pip), which Hugo cannot install." };
    default:
      return { problem: `Hugo does not support its source${kind === undefined ? "" : ` (${kind})`}.` };
  }
}

/** Where some authors write a path: an address of a repository. */
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/|^[^/:@]+@[^/:@]+:/i;

function repository(
  address: string,
  { path, ref }: { readonly path?: string | undefined; readonly ref?: string | undefined } = {},
): Pick<ContentPlugin, "elsewhere" | "problem"> {
  const place = repositoryAt(address);
  const folder = posix.normalize(path ?? ".").replace(/^\/|^\.\/?$|\/$/g, "");
  const inside = folder === "" ? "" : `${place?.startsWith("github:") ? "/" : "//"}${folder}`;
  const spec = `${place}${inside}${ref === undefined ? "" : `#${ref}`}`;
  // "#" in a folder's name would start a ref.
  const isRepository = place !== undefined && !folder.includes("#") && sourceForm(spec)?.kind === "git";
  return isRepository ? { elsewhere: spec } : { problem: "Its repository's address is invalid." };
}

const PUBLIC_REGISTRY = /^https:\/\/registry\.npmjs\.(?:org|com)\/?$/;

/** A repository as marketplaces write it: `a/b`, `https://host/a/b.git`, `git@host:a/b.git`, `ssh://git@host/a/b.git`. */
function repositoryAt(address: string): string | undefined {
  const [, onGithub] =
    /^(?:https:\/\/(?:www\.)?github\.com\/)?([^/:@#]+\/[^/:@#]+?)(?:\.git)?\/?$/i.exec(address) ?? [];
  if (onGithub !== undefined) return `github:${onGithub}`;
  const url = address.replace(/^([^/:@]+@[^/:@]+):/, "ssh://$1/");
  // Two slashes in it would start a folder, and "#" a ref.
  const [, scheme, user = "", host, path] = /^(https|ssh):\/\/([^/@]*@)?([^/@#]+)((?:\/[^/#]+)+)\/?$/i.exec(url) ?? [];
  return host && `git+${scheme?.toLowerCase()}://${user}${host.toLowerCase()}${path}`;
}

function plainFolder(part: JsonPart, written: string): string {
  const path = posix.normalize(written).replace(/\/$/, "");
  if (path === "." || path === "") return "";
  if (isPlainPath(path)) return path;
  const isInside = !path.startsWith("/") && !path.startsWith("../") && !/[\p{Cc}\\]/u.test(path);
  throw part.refuse(isInside ? "has a name that Windows cannot store" : "is not a plain path inside the repository");
}

/** What a manifest lists: paths of files and folders, relative to one of the folders. */
function listedIn(tree: PackageTree, manifest: JsonPart, folders: readonly string[]): FoundContent {
  const read = (kind: (typeof KINDS)[number]): FoundEntity[] => {
    const list = manifest.get(kind);
    const parts = list.node?.kind === "array" ? list.items() : list.isMissing ? [] : [list];
    return parts.flatMap((part) => {
      const path = part.string().replace(/^\.\//, "").replace(/\/$/, "");
      if (path !== "." && !isPlainPath(path)) throw part.refuse("is not a plain path inside the plugin");
      for (const folder of folders) {
        const found = entitiesAt(tree, kind, posix.join(folder, path));
        if (found.length > 0) return found;
      }
      throw part.refuse("is not in the plugin");
    });
  };
  return { agents: read("agents"), commands: read("commands"), skills: read("skills") };
}

function entitiesAt(tree: PackageTree, kind: (typeof KINDS)[number], path: string): FoundEntity[] {
  if (kind === "skills") {
    const found = { stem: posix.basename(path), path };
    return tree.has(`${path}/SKILL.md`) ? withInner(tree, [found]) : skillsIn(tree, [path]);
  }
  // Some lists leave out the ending with which Copilot marks an agent.
  const file = [path, path.replace(/\.md$/, ".agent.md"), path.replace(/\.md$/, ".prompt.md")].find((each) =>
    tree.has(each),
  );
  if (file === undefined) return markdownBelow(tree, `${path}/`);
  return file.endsWith(".md") ? [{ stem: posix.basename(file, ".md"), path: file }] : [];
}

/** Each path counts once. */
function together(first: FoundContent, second: FoundContent): FoundContent {
  const both = (kind: keyof FoundContent): FoundEntity[] => [
    ...new Map([...second[kind], ...first[kind]].map((each) => [each.path, each])).values(),
  ];
  return { agents: both("agents"), commands: both("commands"), skills: both("skills") };
}
