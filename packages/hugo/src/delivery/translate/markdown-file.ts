import { type Frontmatter, parseFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { recoverLikeClaude, recoverLikeOpenCode } from "@atomic/workflows/internal/entities/frontmatter/recover";

/** An agent, command or skill of a package on its way to OpenCode. */
export interface MarkdownFile {
  readonly type: "agent" | "command" | "skill";
  /** What OpenCode is to call it. */
  readonly name: string;
  /** Path in the package. */
  readonly source: string;
  readonly text: string;
  /** The package is a plugin for Claude Code, or the file lies where Claude Code looks. */
  readonly isClaudes: boolean;
}

/** Where something stands in a file of a package: `agents/a.md:3:1`. */
export function placeIn({ source }: Pick<MarkdownFile, "source">, position?: Position): string {
  return `${source}:${position?.line ?? 1}:${position?.column ?? 1}`;
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** Something about one place of a file: why it is refused or stopped, or what is different. */
export interface Remark {
  readonly at: string;
  readonly message: string;
  readonly hint: string;
}

/** What becomes of a file. */
export type Translation =
  | { readonly kind: "translated"; readonly text: string; readonly notes: readonly Remark[] }
  | { readonly kind: "stopped"; readonly reason: Remark };

/** What a file says, if need be as one of the two programs reads what is no YAML. */
export function readMarkdown(text: string): Frontmatter {
  const asClaude = parseFrontmatter(text, { recover: recoverLikeClaude });
  if (asClaude.complete) return asClaude;
  const asOpencode = parseFrontmatter(text, { recover: recoverLikeOpenCode });
  return asOpencode.complete ? asOpencode : asClaude;
}
