// A stack is a folder: `stack.md` says how to recognize it, how to test it and which words belong to it; `agents/<role>.md` adds to an
// agent's prompt; `skills/` may hold skills of its own.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { didYouMean } from "@atomic/terminal/suggest";
import { parseFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import * as z from "zod/mini";
import { roles } from "../run/phase-name.ts";

const texts = z.array(z.string());

const frontmatter = z.strictObject({
  /** As people call it. */
  title: z.string(),
  /** What proves that a project has this stack, and what only suggests it: `go.mod`, `package.json with convex`. */
  detect: z.optional(texts),
  hints: z.optional(texts),
  /** Decides between stacks that fit equally well. */
  priority: z.optional(z.number()),
  /** The test command by what has to be there; the first one that fits counts, `*` always does. */
  tests: z.optional(z.record(z.string(), z.string())),
  /** Globs of test files that are not recognized anyway. */
  "test-files": z.optional(texts),
  /** Words of a feature's description that ask for something to be seen, or to be stored and served. */
  words: z.optional(z.strictObject({ ui: z.optional(z.string()), api: z.optional(z.string()) })),
  /** By agent. */
  skills: z.optional(z.partialRecord(z.enum(roles), texts)),
  /** Commands that the tester may run, as OpenCode's patterns. */
  try: z.optional(texts),
  /** Commands of building agents about which OpenCode asks you. */
  ask: z.optional(texts),
});

type StackFrontmatter = z.infer<typeof frontmatter>;

export interface Stack extends Omit<StackFrontmatter, "test-files" | "skills"> {
  readonly name: string;
  readonly folder: string;
  readonly testFiles: readonly string[];
  readonly skills: Readonly<Record<string, readonly string[]>>;
  /** What every agent is told about it. */
  readonly text: string;
}

/** A stack's folder, and what is wrong with it. */
export type StackReading = { readonly stack: Stack } | { readonly problem: string };

export function readStack(folder: string): StackReading {
  const path = join(folder, "stack.md");
  const text = readIfThere(path);
  if (text === undefined) return { problem: `${folder} has no stack.md, so it is not a stack.` };
  const { values, bodyStart, diagnostics } = parseFrontmatter(text);
  const [unreadable] = diagnostics.filter(({ severity }) => severity === "error");
  if (unreadable !== undefined) return { problem: `${path} cannot be read: ${unreadable.message}` };
  // The values have no prototype, which a record's schema does not take for an object.
  const read = z.safeParse(frontmatter, JSON.parse(JSON.stringify(values)));
  if (!read.success) {
    const [issue] = read.error.issues;
    if (issue?.code !== "unrecognized_keys") {
      return { problem: `${path}: ${issue?.path.join(".") || "the frontmatter"}: ${issue?.message ?? "is invalid"}.` };
    }
    const [key = ""] = issue.keys;
    const [best] = didYouMean(key, Object.keys(frontmatter.shape));
    return { problem: `${path}: "${key}" is not a setting of a stack${best ? ` (did you mean ${best}?)` : ""}.` };
  }
  const { "test-files": testFiles = [], skills = {}, ...rest } = read.data;
  return {
    stack: { ...rest, name: basename(folder), folder, testFiles, skills, text: text.slice(bodyStart).trim() },
  };
}

/** What a stack adds to an agent: to its prompt, and another description. */
export interface StackAgent {
  readonly text: string;
  readonly description?: string;
}

export function stackAgent({ folder, text }: Stack, role: string): StackAgent {
  const own = readIfThere(join(folder, "agents", `${role}.md`)) ?? "";
  const { values, bodyStart } = parseFrontmatter(own);
  const parts = [text, own.slice(bodyStart).trim()].filter((part) => part !== "");
  return {
    text: parts.join("\n\n"),
    ...(typeof values.description === "string" && { description: values.description }),
  };
}

/** Whether a project has what a condition names: a file, `file with text`, or anything (`*`). */
export function fits(project: string, condition: string): boolean {
  if (condition === "*") return true;
  const [, name = condition, text] = /^(\S+) with (.+)$/.exec(condition) ?? [];
  const path = join(project, name);
  const isThere = name.includes("*")
    ? namesIn(project).some((each) => each.startsWith(name.split("*")[0]!) && each.endsWith(name.split("*").at(-1)!))
    : statSync(path, { throwIfNoEntry: false }) !== undefined;
  if (!isThere || (name === "package.json" && isFromAtomicSetup(readIfThere(path)))) return false;
  return text === undefined || (readIfThere(path) ?? "").includes(text);
}

/** In a project of another language, `atomic setup` writes a package.json for the types of the workflows, which proves nothing. */
function isFromAtomicSetup(packageJson = ""): boolean {
  try {
    const { private: _, devDependencies, ...others } = JSON.parse(packageJson);
    const names = Object.keys(devDependencies ?? {});
    const isOurs = (name: string): boolean => name.startsWith("@atomic/") || name === "@types/node";
    return names.length > 0 && names.every(isOurs) && Object.keys(others).length === 0;
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    return false;
  }
}

function namesIn(folder: string): readonly string[] {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
}

/** Undefined if there is no such file that can be read. */
function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return undefined;
    throw error;
  }
}
