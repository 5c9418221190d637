// What agents, commands and skills are called in OpenCode.
import { posix } from "node:path";
import { shown } from "@atomic/durable-files/safety/names";
import { parseFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { recoverLikeOpenCode } from "@atomic/workflows/internal/entities/frontmatter/recover";
import { problemWithName } from "@atomic/workflows/internal/hugo-lock/lock-parts";
import { HugoError } from "../../errors.ts";
import { hashOf } from "../hash.ts";
import { type PackageTree, textOf } from "../tree.ts";
import { BUILTIN, byName, type ContentEntity, type ContentType } from "./content.ts";

/** A Markdown file, or the folder of a skill, before it has a name. */
export interface FoundEntity {
  readonly path: string;
  /** Its path below the folder of its kind, without `.md`: `review`, `git/commit`. */
  readonly stem: string;
  /** The plugin of a collection that it belongs to. */
  readonly plugin?: string | undefined;
  /** The path of the skill that it is inside of. */
  readonly within?: string;
}

/**
 * Names entities as their authors do. An agent is called what its frontmatter says, as in Claude Code and in OpenCode; a
 * command is called like its file, and a skill like its folder. A name that cannot be a file's name everywhere is spelled
 * so that it can. Of different files with one name, each gets its plugin's name in front. What has no name left gets one
 * from its path, so one odd name does not keep users from everything else.
 */
export function nameEntities(
  tree: PackageTree,
  type: ContentType,
  found: readonly FoundEntity[],
  {
    candidatesOf = (entity) => candidatesFor(tree, type, entity),
    recorded = new Map(),
  }: { readonly candidatesOf?: (entity: FoundEntity) => string[]; readonly recorded?: RecordedNames | undefined } = {},
): NamedEntities {
  const same = new Map<string, string>();
  const first = new Map<string, FoundEntity>();
  for (const each of found) {
    // Plugins of one collection often have copies of one file.
    const bytes = type === "skill" ? undefined : tree.get(each.path)?.bytes;
    const key = bytes === undefined ? each.path : `${each.stem}\n${hashOf(bytes)}`;
    const known = first.get(key);
    if (known === undefined) first.set(key, each);
    same.set(each.path, (known ?? each).path);
  }
  const unique = [...first.values()];
  const named = new Map<string, FoundEntity>();
  const giveNames = (entities: readonly FoundEntity[]): void => {
    let waiting = entities.map((entity) => ({ entity, candidates: candidatesOf(entity) }));
    // Each round gives away the names that only one file wants; the others try their next name in the next round.
    while (waiting.length > 0) {
      const wanted = new Map<string, FoundEntity[]>();
      for (const { entity, candidates } of waiting) {
        const [name] = candidates;
        if (name === undefined) throw unnamed(type, entity, unique);
        const rivals = wanted.get(name) ?? [];
        rivals.push(entity);
        wanted.set(name, rivals);
      }
      waiting = waiting.flatMap(({ entity, candidates: [name = "", ...others] }) => {
        const rivals = wanted.get(name) ?? [];
        // `c-sharp.md` is called that; `C Sharp.md` would only be spelled that way.
        const callers = rivals.length === 1 ? rivals : rivals.filter((rival) => ownName(tree, type, rival) === name);
        if (callers.length !== 1 || callers[0] !== entity || named.has(name)) return [{ entity, candidates: others }];
        named.set(name, entity);
        return [];
      });
    }
  };
  // What is installed keeps its name as long as it may have it: neither a new file nor a new title renames it.
  const keeping = unique.filter((each) => candidatesOf(each).includes(recorded.get(each.path) ?? ""));
  for (const each of keeping) named.set(recorded.get(each.path) ?? "", each);
  giveNames(unique.filter((each) => each.within === undefined && !keeping.includes(each)));
  giveNames(unique.filter(({ within }) => within !== undefined));
  const nameOf = new Map([...named].map(([name, { path }]) => [path, name]));
  const entities = [...named].map(([name, { path, stem, within }]): ContentEntity => {
    const was = ownName(tree, type, { path, stem });
    const isOther = was !== name && within === undefined;
    const outer = within === undefined ? undefined : nameOf.get(within);
    return { name, path, ...(isOther && { was }), ...(outer !== undefined && { within: outer }) };
  });
  return { entities: entities.sort(byName), nameAt: (path) => nameOf.get(same.get(path) ?? path) };
}

/** The names under which a package's files are installed, by their paths in it. */
export type RecordedNames = ReadonlyMap<string, string>;

interface NamedEntities {
  readonly entities: ContentEntity[];
  /** The name of what is at a path; several copies of one file are one entity. */
  readonly nameAt: (path: string) => string | undefined;
}

/** What its author calls it. */
function ownName(tree: PackageTree, type: ContentType, { path, stem }: FoundEntity): string {
  return (type === "agent" ? frontmatterName(tree, path) : undefined) ?? stem.replace(MARKS, "");
}

/** The names that an entity may get, best first. */
function candidatesFor(tree: PackageTree, type: ContentType, { path, stem, plugin, within }: FoundEntity): string[] {
  const base = posix.basename(stem);
  const own = type === "command" ? undefined : frontmatterName(tree, type === "skill" ? skillFile(path) : path);
  const isNamedInside = type === "agent" || within !== undefined;
  const above = posix.basename(posix.dirname(path));
  const isKind = /^(?:agents?|commands?|skills?|\.|\.claude|\.opencode)$/.test(above);
  const prefix = plugin ?? (within === undefined ? (isKind ? undefined : above) : posix.basename(within));
  const names = [
    // A title such as "C# Expert" is not a name, and no text may turn an agent into one of OpenCode's own.
    isNamedInside && isPossible(own, type) ? own : undefined,
    within === undefined ? stem.split("/").map(spelled).join("/") : undefined,
    prefix === undefined ? undefined : spelled(`${prefix}-${spelled(base)}`),
    isPossible(own, type) ? own : undefined,
    path === "" ? undefined : `${spelled(base).slice(0, LONGEST - 9) || type}-${hashOf(path).slice(-8)}`,
  ];
  return [...new Set(names)].filter((name) => name !== undefined && problemWithName(name) === undefined) as string[];
}

function isPossible(name: string | undefined, type: ContentType): boolean {
  if (name === undefined || name.includes("/") || BUILTIN[type].includes(name)) return false;
  return problemWithName(name) === undefined;
}

export function skillFile(folder: string): string {
  return folder === "" ? "SKILL.md" : `${folder}/SKILL.md`;
}

function frontmatterName(tree: PackageTree, file: string): string | undefined {
  const { name } = parseFrontmatter(textOf(tree, file) ?? "", { path: file, recover: recoverLikeOpenCode }).values;
  return typeof name === "string" && name.trim() !== "" ? name : undefined;
}

/** Endings with which Copilot marks what a file is. */
const MARKS = /(?<=.)\.(?:agent|prompt|chatmode)$/i;
const LONGEST = 64;

/**
 * The name, or the nearest one that a file can have everywhere.
 *
 * @example
 * spelled("CSharpExpert.agent"); // "csharp-expert"
 */
function spelled(name: string): string {
  const plain = name.replace(MARKS, "");
  if (problemWithName(plain) === undefined) return plain;
  return plain
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, "-")
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "")
    .slice(0, LONGEST)
    .replace(/[._-]+$/, "");
}

function unnamed(type: ContentType, { path, stem }: FoundEntity, all: readonly FoundEntity[]): HugoError {
  const file = type === "skill" ? skillFile(path) : path;
  const twin = all.find((other) => other.path !== path && spelled(other.stem) === spelled(stem));
  const problem =
    twin === undefined
      ? `cannot be installed. ${problemWithName(stem) ?? "It has no valid name"}`
      : `has the same name as ${shown(twin.path)}`;
  return new HugoError("manifest-invalid", {
    message: `${shown(file)} ${problem}`,
    at: file,
    hint: "Its author must rename it, or list what to install in a hugo-workflow.json.",
  });
}
