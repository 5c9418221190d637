import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { ArgumentSpec, Command, FlagSpec, InputOf } from "@atomic/terminal/command";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import type { EntityType } from "@atomic/workflows/entity";
import type { Finding } from "@atomic/workflows/lint/finding";
import type { LintOptions } from "@atomic/workflows/lint/lint";
import type { ToolVerdict } from "@atomic/workflows/tools/tool";
import type { Context } from "../context.ts";
import { locate } from "../entities/load-entities.ts";
import { inOrder } from "../report/diagnostics.ts";
import { lintReport } from "../report/lint.ts";
import type { Where } from "../report/path.ts";

type Arguments = { readonly path: ArgumentSpec & { readonly count: "maybe" } };
type Options = { readonly user: FlagSpec; readonly all: FlagSpec };
type Input = InputOf<Arguments, Options>;

export interface LintResult {
  readonly where: Where;
  readonly asked: Input;
  readonly target: LintTarget;
  readonly files: readonly CheckedFile[];
  /** By file, and in each from top to bottom. */
  readonly findings: readonly Finding[];
}

/** `unread` is a file that no tool takes for an agent, command, skill or workflow. */
export interface LintTarget {
  readonly kind: "project" | "folder" | "file" | "unread";
  readonly path: string;
}

/** A file with what is in it, and what each tool makes of that. */
export interface CheckedFile {
  readonly path: string;
  readonly entities: readonly CheckedEntity[];
}

export interface CheckedEntity {
  readonly type: EntityType;
  readonly qualifiedName: string;
  readonly readers: readonly ToolVerdict[];
}

export const lint: Command<Context, Arguments, Options, LintResult> = {
  name: "lint",
  summary: "Find errors in the files, and what a tool would ignore",
  arguments: {
    path: { count: "maybe", summary: "A file, or a folder with such files or skills (default: the project)" },
  },
  options: {
    user: { kind: "flag", summary: "Also check the files in your home folder" },
    all: { kind: "flag", summary: "Show remarks as well as errors and warnings" },
  },
  examples: [
    { command: "atomic lint", shows: "All of the project's files. The exit code is 1 if there is an error." },
    { command: "atomic lint .claude/agents/reviewer.md", shows: "One file, and how each tool reads it." },
    { command: "atomic lint --user --all", shows: "Your own files as well, with all remarks." },
  ],
  run: lintFiles,
  report: lintReport,
};

async function lintFiles(context: Context, asked: Input): Promise<LintResult> {
  const given = asked.path === undefined ? undefined : openPath(resolve(context.cwd, asked.path), asked.path);
  const where = await locate(context, given?.folder);
  const { path, kind, folder } = given ?? { path: where.project, kind: "project", folder: where.project };
  const sources = { userPath: where.home, env: context.env };
  const own = await check(folder, sources, kind === "file" ? path : undefined);
  const users = asked.user && folder !== where.home ? await check(where.home, sources) : nothing;
  const isUnread = kind === "file" && own.files.length + own.findings.length === 0;
  return {
    where,
    asked,
    target: { kind: isUnread ? "unread" : kind, path },
    files: [...own.files, ...users.files],
    findings: [...own.findings, ...users.findings],
  };
}

interface GivenPath {
  readonly path: string;
  readonly kind: "folder" | "file";
  /** Itself, or the one that it lies in. */
  readonly folder: string;
}

function openPath(path: string, typed: string): GivenPath {
  try {
    const isFolder = statSync(path).isDirectory();
    return isFolder ? { path, kind: "folder", folder: path } : { path, kind: "file", folder: dirname(path) };
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    const hint = "The path is relative to the current folder.";
    throw new Refusal("path-missing", {
      message: safe`cannot read '${typed}' (${String(error.code)})`,
      hint,
    });
  }
}

type Checked = Pick<LintResult, "files" | "findings">;

type Sources = Required<LintOptions>;

const nothing: Checked = { files: [], findings: [] };

/** The folder of a file tells which project it belongs to, or that it is a skill which lies somewhere by itself. */
async function check(folder: string, sources: Sources, onlyFile?: string): Promise<Checked> {
  const { lintEntities } = await import("@atomic/workflows/lint/lint");
  const isMeant = ({ path }: { readonly path?: string }): boolean => onlyFile === undefined || path === onlyFile;
  const findings = await lintEntities(folder, sources);
  const { files, modules } = await filesIn(folder, sources);
  return { files: files.filter(isMeant), findings: inOrder([...findings, ...modules].filter(isMeant)) };
}

async function filesIn(
  folder: string,
  sources: Sources,
): Promise<{ readonly files: readonly CheckedFile[]; readonly modules: readonly Finding[] }> {
  const [{ openTarget }, { whoLoads }, { checkModules }] = await Promise.all([
    import("@atomic/workflows/lint/lint-target"),
    import("@atomic/workflows/lint/who-loads"),
    import("@atomic/workflows/lint/workflow-modules"),
  ]);
  const { registry, includes, project } = await openTarget(folder, sources);
  const byPath = new Map<string, CheckedEntity[]>();
  for (const { entity, verdicts } of whoLoads(registry.entries())) {
    const { path, location } = entity.source;
    if (path === undefined || location === "builtin" || !includes(path)) continue;
    const { type } = entity;
    // No tool looks where a skill lies that belongs to no project; it may be on its way to any of them.
    const readers = project === undefined ? [] : verdicts;
    const checked = { type, qualifiedName: registry.qualifiedName(entity), readers };
    byPath.set(path, [...(byPath.get(path) ?? []), checked]);
  }
  const modules = (await checkModules(registry)).filter(({ path = "" }) => includes(path));
  return { files: [...byPath].map(([path, entities]) => ({ path, entities })), modules };
}
