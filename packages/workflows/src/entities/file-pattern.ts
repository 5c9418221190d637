/** Which files of a folder are meant: how far down, and which names. */
export interface FilePattern {
  /** Folders between the root and the file; "any" includes none. */
  readonly depth: 0 | 1 | "any";
  /** The one file name, where the pattern gives it whole. */
  readonly literal?: string;
  matches(name: string): boolean;
}

const PATTERN = /^(\*\*\/|\*\/)?(\*?)([^*/]+)$/;

/**
 * Reads the few patterns that the tools use: `*.md` in the folder itself, a star and a slash in front for one folder
 * down, two stars and a slash for anywhere. The name is whole (`SKILL.md`) or an ending (`*.agent.md`).
 */
export function parsePattern(pattern: string): FilePattern {
  const [, folders, star, name = ""] = PATTERN.exec(pattern) ?? [];
  if (name === "") throw new TypeError(`"${pattern}" is not a pattern like "*.md", "*/SKILL.md" or "**/*.md".`);
  const depth = folders === undefined ? 0 : folders === "*/" ? 1 : "any";
  // A file whose whole name is the ending, `.md`, has no name to go by.
  if (star === "*") return { depth, matches: (file) => file.endsWith(name) && file.length > name.length };
  return { depth, literal: name, matches: (file) => file === name };
}
