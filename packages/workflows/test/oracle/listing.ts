import { isAbsolute, relative } from "node:path";
import type { Project } from "@atomic/testing/project";
import type { ToolEntry, ToolView } from "../../src/entities/tools/tool.ts";

/** What can be seen of one entry in a tool's own list. */
export interface Line {
  readonly type: "agent" | "command" | "skill" | "slash";
  readonly name: string;
  readonly description: string;
  readonly hint: string;
  /** Of the tools that tell. */
  readonly file?: string;
  readonly aliases?: readonly string[];
  readonly userInvocable?: boolean;
}

export type Listing = readonly Line[];

/** How a tool is started, if not in the project with its usual environment. */
export interface Start {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A path as the trees write it. OpenCode's own skill has none. */
export function pathIn(project: Project, path: string): string {
  if (!isAbsolute(path)) return path;
  const inProject = relative(project.dir, path);
  return inProject.startsWith("..") ? `~/${relative(project.home, path)}` : inProject;
}

export function entriesOf({ agents, commands, skills }: ToolView): readonly ToolEntry[] {
  return [...agents, ...commands, ...skills];
}

export function sorted(lines: Listing): Line[] {
  const text = ({ type, name, description }: Line): string => JSON.stringify([type, name, description]);
  return lines.toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
}

/** What a tool lists in any project is its own. */
export function withoutBuiltins(lines: Listing, builtins: Listing): Listing {
  const known = new Set(builtins.map((line) => JSON.stringify(line)));
  return lines.filter((line) => !known.has(JSON.stringify(line)));
}
