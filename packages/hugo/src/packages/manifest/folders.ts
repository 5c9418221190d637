import { shown } from "@atomic/durable-files/safety/names";
import { parseFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { recoverLikeOpenCode } from "@atomic/workflows/internal/entities/frontmatter/recover";
import { problemWithName } from "@atomic/workflows/internal/hugo-lock/lock-parts";
import { HugoError } from "../../errors.ts";
import { type PackageTree, textOf } from "../tree.ts";
import { byName, type ContentEntity, type ContentType, type WorkflowContent } from "./content.ts";

/** Where packages not made for Hugo keep agents, commands and skills; the first folder with content counts. */
const ROOTS = ["", ".opencode/", ".claude/"];

/** Names of documents next to entities; some entities have them, too. */
const DOCUMENT = /(?:^|\/)(?:readme|license|changelog|contributing|claude|agents|notice|security)\.md$/i;

/** The content of a package without a manifest: the usual folders, or skills in the root of the repository. */
export function readFolders(tree: PackageTree): WorkflowContent | undefined {
  for (const root of ROOTS) {
    const content = readUsualFolders(tree, root);
    if (content !== undefined) return content;
  }
  // `review/SKILL.md` in the root of a repository, or the repository itself as one skill.
  const text = textOf(tree, "SKILL.md");
  const folders = [...tree.keys()].flatMap((path) => /^([^/.][^/]*)\/SKILL\.md$/.exec(path)?.[1] ?? []);
  let found = folders.map((path) => ({ name: path, path }));
  if (text !== undefined) {
    const { name } = parseFrontmatter(text, { path: "SKILL.md", recover: recoverLikeOpenCode }).values;
    if (typeof name !== "string") {
      throw new HugoError("manifest-invalid", {
        message: "SKILL.md: the whole package is one skill, but its frontmatter has no name",
        at: "SKILL.md:1:1",
        hint: "Its author must add `name: …` between two `---` lines at the top.",
      });
    }
    found = [{ name, path: "" }];
  }
  const skills = distinct(found, "skill");
  return skills.length === 0 ? undefined : { agents: [], commands: [], skills };
}

/** `agents/`, `commands/` and `skills/` below one folder, which is `""` or ends with a slash. */
export function readUsualFolders(tree: PackageTree, root: string): WorkflowContent | undefined {
  const content = {
    agents: distinct([...markdownBelow(tree, `${root}agents/`), ...markdownBelow(tree, `${root}agent/`)], "agent"),
    commands: distinct(
      [...markdownBelow(tree, `${root}commands/`), ...markdownBelow(tree, `${root}command/`)],
      "command",
    ),
    skills: skillsIn(tree, [`${root}skills`, `${root}skill`]),
  };
  return Object.values(content).every((list) => list.length === 0) ? undefined : content;
}

/** The Markdown files below a folder, named by their relative path. */
export function markdownBelow(tree: PackageTree, prefix: string): ContentEntity[] {
  return [...tree.keys()]
    .filter((path) => path.startsWith(prefix) && path.endsWith(".md"))
    .map((path) => ({ name: path.slice(prefix.length, -".md".length), path }))
    .filter(({ name, path }) => {
      // A file with a document's name counts only if it describes itself, as agents and commands do.
      if (!DOCUMENT.test(path)) return true;
      const { values, unreadableKeys } = parseFrontmatter(textOf(tree, path) ?? "", { recover: recoverLikeOpenCode });
      const describesItself = values.description !== undefined || unreadableKeys.includes("description");
      return describesItself && problemWithName(name) === undefined;
    });
}

/** Skills are folders with a SKILL.md; those inside another skill belong to it. */
export function skillsIn(tree: PackageTree, folders: readonly string[]): ContentEntity[] {
  const found = folders.flatMap((folder) =>
    [...tree.keys()]
      .filter((path) => path.startsWith(`${folder}/`) && path.endsWith("/SKILL.md"))
      .map((path) => path.slice(0, -"/SKILL.md".length))
      .filter((path) => path !== folder),
  );
  const outermost = found.filter((path) => !found.some((other) => path.startsWith(`${other}/`)));
  return distinct(
    outermost.map((path) => ({ name: path.slice(path.lastIndexOf("/") + 1), path })),
    "skill",
  );
}

/** Sorted. Refuses duplicate and invalid names. */
function distinct(entities: readonly ContentEntity[], type: ContentType): ContentEntity[] {
  const sorted = entities.toSorted(byName);
  for (const [i, { name, path }] of sorted.entries()) {
    const file = type === "skill" ? (path === "" ? "SKILL.md" : `${path}/SKILL.md`) : path;
    const invalid = problemWithName(name);
    const other = sorted[i - 1];
    const twin = other?.name === name ? `has the same name as ${shown(other.path)}` : undefined;
    const problem = invalid === undefined ? twin : `cannot be installed. ${invalid}`;
    if (problem === undefined) continue;
    throw new HugoError("manifest-invalid", {
      message: `${shown(file)} ${problem}`,
      at: file,
      hint: "Its author must rename it, or list what to install in a hugo-workflow.json.",
    });
  }
  return sorted;
}
