import { posix } from "node:path";
import { parseFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { recoverLikeOpenCode } from "@atomic/workflows/internal/entities/frontmatter/recover";
import { problemWithName } from "@atomic/workflows/internal/hugo-lock/lock-parts";
import { HugoError } from "../../errors.ts";
import { type PackageTree, textOf } from "../tree.ts";
import type { WorkflowContent } from "./content.ts";
import { type FoundEntity, nameEntities, type RecordedNames, skillFile } from "./entity-names.ts";

/** Where packages not made for Hugo keep agents, commands and skills; the first folder with content counts. */
const ROOTS = ["", ".opencode/", ".claude/"];

/** Names of documents next to entities; some entities have them, too. */
const DOCUMENT = /(?:^|\/)(?:readme|license|changelog|contributing|claude|agents|notice|security)\.md$/i;

/** What a folder contains, before anything has a name. */
export interface FoundContent {
  readonly agents: readonly FoundEntity[];
  readonly commands: readonly FoundEntity[];
  readonly skills: readonly FoundEntity[];
}

export function named(
  tree: PackageTree,
  { agents, commands, skills }: FoundContent,
  recorded?: RecordedNames,
): WorkflowContent | undefined {
  return unlessEmpty({
    agents: nameEntities(tree, "agent", agents, { recorded }).entities,
    commands: nameEntities(tree, "command", commands, { recorded }).entities,
    skills: nameEntities(tree, "skill", skills, { recorded }).entities,
  });
}

/** The usual folders of a workflow's own source, where everything is called like its file. */
export function namedLikeFiles(tree: PackageTree): WorkflowContent | undefined {
  const { agents, commands, skills } = usualFolders(tree, "");
  const exactly = {
    candidatesOf: ({ stem }: FoundEntity): string[] => (problemWithName(stem) === undefined ? [stem] : []),
  };
  const outer = skills.filter(({ within }) => within === undefined);
  return unlessEmpty({
    agents: nameEntities(tree, "agent", agents, exactly).entities.map(({ name, path }) => ({ name, path })),
    commands: nameEntities(tree, "command", commands, exactly).entities,
    skills: nameEntities(tree, "skill", outer, exactly).entities,
  });
}

function unlessEmpty(content: WorkflowContent): WorkflowContent | undefined {
  return Object.values(content).every((list) => list.length === 0) ? undefined : content;
}

/** The content of a package without a manifest: the usual folders, or agents and skills in the root of the repository. */
export function readFolders(tree: PackageTree, recorded?: RecordedNames): WorkflowContent | undefined {
  for (const root of ROOTS) {
    const content = named(tree, usualFolders(tree, root), recorded);
    if (content !== undefined) return content;
  }
  return named(tree, atRoot(tree), recorded);
}

/** `review/SKILL.md` in the root of a repository, the repository itself as one skill, or files named `x.agent.md`. */
function atRoot(tree: PackageTree): FoundContent {
  const marked = (mark: RegExp): FoundEntity[] =>
    [...tree.keys()].filter((path) => mark.test(path)).map((path) => ({ path, stem: path.slice(0, -".md".length) }));
  const agents = marked(/^[^/]+\.agent\.md$/);
  const commands = marked(/^[^/]+\.prompt\.md$/);
  const text = textOf(tree, "SKILL.md");
  if (text === undefined) {
    const folders = [...tree.keys()].flatMap((path) => /^([^/.][^/]*)\/SKILL\.md$/.exec(path)?.[1] ?? []);
    return {
      agents,
      commands,
      skills: withInner(
        tree,
        folders.map((path) => ({ path, stem: path })),
      ),
    };
  }
  const { name } = parseFrontmatter(text, { path: "SKILL.md", recover: recoverLikeOpenCode }).values;
  if (typeof name !== "string") {
    throw new HugoError("manifest-invalid", {
      message: "SKILL.md: the whole package is one skill, but its frontmatter has no name",
      at: "SKILL.md:1:1",
      hint: "Its author must add `name: …` between two `---` lines at the top.",
    });
  }
  return { agents: [], commands: [], skills: withInner(tree, [{ path: "", stem: name }]) };
}

/** `agents/`, `commands/` and `skills/` below one folder, which is `""` or ends with a slash. */
export function usualFolders(tree: PackageTree, root: string): FoundContent {
  const markdown = (folder: string) => markdownBelow(tree, `${root}${folder}/`);
  return {
    agents: [...markdown("agents"), ...markdown("agent")],
    commands: [
      ...markdown("commands"),
      ...markdown("command"),
      ...markdown("prompts").filter(({ stem }) => stem.endsWith(".prompt")),
    ],
    skills: skillsIn(tree, [`${root}skills`, `${root}skill`]),
  };
}

/** The Markdown files below a folder, named by their relative path. */
export function markdownBelow(tree: PackageTree, prefix: string): FoundEntity[] {
  return [...tree.keys()]
    .filter((path) => path.startsWith(prefix) && path.endsWith(".md"))
    .map((path) => ({ stem: path.slice(prefix.length, -".md".length), path }))
    .filter(({ stem, path }) => {
      // A file with a document's name counts only if it describes itself, as agents and commands do.
      if (!DOCUMENT.test(path)) return true;
      const { values, unreadableKeys } = parseFrontmatter(textOf(tree, path) ?? "", { recover: recoverLikeOpenCode });
      const describesItself = values.description !== undefined || unreadableKeys.includes("description");
      return describesItself && problemWithName(stem) === undefined;
    });
}

/** Skills are folders with a SKILL.md; those inside another skill belong to it. */
export function skillsIn(tree: PackageTree, folders: readonly string[]): FoundEntity[] {
  const found = folders.flatMap((folder) =>
    [...tree.keys()]
      .filter((path) => path.startsWith(`${folder}/`) && path.endsWith("/SKILL.md"))
      .map((path) => path.slice(0, -"/SKILL.md".length))
      .filter((path) => path !== folder),
  );
  const outermost = found.filter((path) => !found.some((other) => path.startsWith(`${other}/`)));
  return withInner(
    tree,
    outermost.map((path) => ({ stem: posix.basename(path), path })),
  );
}

/** OpenCode loads every SKILL.md that has a name, also those in the folder of another skill. */
export function withInner(tree: PackageTree, outer: readonly FoundEntity[]): FoundEntity[] {
  return outer.flatMap((skill) => {
    const prefix = skill.path === "" ? "" : `${skill.path}/`;
    const inner = [...tree.keys()]
      .filter((path) => path.startsWith(prefix) && path.endsWith("/SKILL.md") && path !== skillFile(skill.path))
      .map((path) => path.slice(0, -"/SKILL.md".length))
      .filter((path) => !/(?:^|\/)\./.test(path.slice(prefix.length)) && isNamed(tree, skillFile(path)));
    return [skill, ...inner.map((path) => ({ ...skill, path, stem: posix.basename(path), within: skill.path }))];
  });
}

function isNamed(tree: PackageTree, file: string): boolean {
  const { name } = parseFrontmatter(textOf(tree, file) ?? "", { path: file, recover: recoverLikeOpenCode }).values;
  return typeof name === "string";
}
