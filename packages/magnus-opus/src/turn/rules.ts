// Rules that a project has for coding agents, in the files of several tools. OpenCode reads none of them unless its settings name them.
import { globPattern } from "../run/test-files.ts";

/** Where they are, below the project. A folder ends with `/`; everything in it counts. */
export const rulePlaces: readonly string[] = [
  ...[".opencode/rules/", ".claude/rules/", ".cursor/rules/", ".github/instructions/"],
  ...[".github/copilot-instructions.md"],
];

export interface ProjectRule {
  /** Relative to the project, with `/`. */
  readonly path: string;
  readonly text: string;
  /** What it is about; undefined if it always applies. */
  readonly globs: readonly string[] | undefined;
}

/** A longer one is a document, not a rule. */
const mostCharacters = 20_000;

/** Undefined if the file says nothing, or asks to be read only when an agent wants it. */
export function readRule(path: string, file: string): ProjectRule | undefined {
  const [head = "", frontmatter = ""] = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(file) ?? [];
  const text = file.slice(head.length).trim().slice(0, mostCharacters);
  const globs = ["globs", "applyTo", "paths"].flatMap((key) => listed(frontmatter, key));
  const isAlways = /^alwaysApply:[ \t]*true\b/m.test(frontmatter) || globs.includes("**") || globs.includes("**/*");
  const isOnDemand = globs.length === 0 && /^(alwaysApply:[ \t]*false|description:)/m.test(frontmatter);
  if (text === "" || (isOnDemand && !isAlways)) return undefined;
  return { path, text, globs: isAlways || globs.length === 0 ? undefined : globs };
}

/** A value as these tools take it: `*.ts, src/**` is not YAML. */
function listed(frontmatter: string, key: string): readonly string[] {
  const [, inline = "", block = ""] =
    new RegExp(`^${key}:[ \\t]*(.*)((?:\\r?\\n[ \\t]*-[ \\t].*)*)`, "m").exec(frontmatter) ?? [];
  // A comma between braces separates alternatives, not patterns.
  const items = [...inline.replace(/^\[|\]\s*$/g, "").split(/,(?![^{]*\})/), ...block.split(/\r?\n[ \t]*-[ \t]/)];
  return items.map((item) => item.trim().replace(/^["']|["']$/g, "")).filter((item) => item !== "");
}

/** `path`: relative to the project. */
export function ruleApplies({ globs }: ProjectRule, path: string): boolean {
  return globs === undefined || globs.some((glob) => matchesGlob(glob, path));
}

export function matchesGlob(glob: string, path: string): boolean {
  return alternatives(glob.replace(/^\.?\//, "")).some((each) => globPattern(each).test(path));
}

/** `*.{ts,js}` is `*.ts` and `*.js`. */
function alternatives(glob: string): readonly string[] {
  const [whole, inside] = /\{([^{}]*)\}/.exec(glob) ?? [];
  if (whole === undefined || inside === undefined) return [glob];
  return inside.split(",").flatMap((each) => alternatives(glob.replace(whole, () => each)));
}
