import type { Permission } from "@atomic/workflows/internal/permission/rules";

/** An agent, command or skill of a package on its way to OpenCode. */
export interface MarkdownFile {
  readonly type: "agent" | "command" | "skill";
  /** Its name in OpenCode. */
  readonly name: string;
  /** Its name in the package, if the user wanted another one. */
  readonly ownName?: string;
  /** Path in the package. */
  readonly source: string;
  readonly text: string;
  /** The package is a plugin for Claude Code, or the file is where Claude Code looks. */
  readonly isClaudes: boolean;
}

/** The user's settings for translations. */
export interface UserSettings {
  /** Replacements for Claude's models, such as `anthropic/claude-sonnet-4-5` for `sonnet`. Others use the session's model. */
  readonly models: ReadonlyMap<string, string> | undefined;
  /** Permissions for all agents. Translated agents get no more. */
  readonly limit: Permission;
}

/** A position in a package's file: `agents/a.md:3:1`. */
export function placeIn(
  { source }: Pick<MarkdownFile, "source">,
  { line, column }: { readonly line: number; readonly column: number } = { line: 1, column: 1 },
): string {
  return `${source}:${line}:${column}`;
}

/** The same for an offset of the text. */
export function placeInBody(file: Pick<MarkdownFile, "source" | "text">, offset: number): string {
  const before = file.text.slice(0, offset).split("\n");
  return placeIn(file, { line: before.length, column: (before.at(-1) ?? "").length + 1 });
}

/** A remark about one place in a file: why it is refused or stopped, or what is different. */
export interface Remark {
  readonly at: string;
  readonly message: string;
  readonly hint: string;
}

/** The result of translating a file. */
export type Translation =
  | {
      readonly kind: "translated";
      readonly text: string;
      readonly notes: readonly Remark[];
      /** A model that the user's settings replaced, and with which one. */
      readonly model?: readonly [from: string, to: string];
    }
  | { readonly kind: "stopped"; readonly reason: Remark };
