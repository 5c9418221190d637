import { statSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import type { ArgumentSpec, Command, CommandLineInput, FlagSpec } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { EntityType } from "@atomic/workflows/internal/entities/entity";
import type { LintOptions } from "@atomic/workflows/internal/entities/lint/lint";
import type { LintFinding } from "@atomic/workflows/internal/entities/lint/rule";
import type { ToolVerdict } from "@atomic/workflows/internal/entities/tools/tool";
import type { AtomicContext } from "../context.ts";
import { locate } from "../entities/load-entities.ts";
import { readerFact } from "../entities/readers.ts";
import { countDiagnostics, formatDiagnostic, inOrder } from "../report/diagnostics.ts";
import { factSheet } from "../report/facts.ts";
import { documentOf, shortPath, type Where } from "../report/path.ts";

type Arguments = { readonly path: ArgumentSpec & { readonly count: "maybe" } };
type Options = { readonly user: FlagSpec; readonly all: FlagSpec };

interface LintResult {
  readonly where: Where;
  readonly asked: CommandLineInput<Arguments, Options>;
  /** `unread` is a file that no tool takes for an agent, command, skill or workflow. */
  readonly target: { readonly kind: "project" | "folder" | "file" | "unread"; readonly path: string };
  /** Each with what is in it, and what each tool makes of that. */
  readonly files: readonly { readonly path: string; readonly entities: readonly CheckedEntity[] }[];
  /** By file, and in each from top to bottom. */
  readonly findings: readonly LintFinding[];
}

interface CheckedEntity {
  readonly type: EntityType;
  readonly qualifiedName: string;
  readonly readers: readonly ToolVerdict[];
}

export const lint: Command<AtomicContext, Arguments, Options, LintResult> = {
  name: "lint",
  summary: "Find errors in files, and anything a tool would ignore",
  arguments: {
    path: { count: "maybe", summary: "A file, or a folder of agents, commands or skills (default: the project)" },
  },
  options: {
    user: { kind: "flag", summary: "Also check the files in your home folder" },
    all: { kind: "flag", summary: "Show notes as well as errors and warnings" },
  },
  examples: [
    { command: "atomic lint", shows: "Check all project files; exit with code 1 if there is an error." },
    { command: "atomic lint .claude/agents/reviewer.md", shows: "Check one file, and show how each tool reads it." },
    { command: "atomic lint --user --all", shows: "Check the files in your home folder as well, and show all notes." },
  ],
  run: async (context, asked) => {
    const given = asked.path === undefined ? undefined : openPath(resolve(context.cwd, asked.path), asked.path);
    const where = await locate(context, given?.folder);
    const { path, kind, folder } = given ?? { path: where.project, kind: "project", folder: where.project };
    const sources = { userPath: where.home, env: context.env };
    const own = await check(folder, sources, kind === "file" ? { only: path } : { above: kind === "project" });
    const users = asked.user && folder !== where.home ? await check(where.home, sources) : { files: [], findings: [] };
    const isUnread = kind === "file" && own.files.length + own.findings.length === 0;
    return {
      where,
      asked,
      target: { kind: isUnread ? "unread" : kind, path },
      files: [...own.files, ...users.files],
      findings: [...own.findings, ...users.findings],
    };
  },
  report: {
    text: formatResult,
    notes: (result, page) => {
      const space = page.columns === undefined || formatResult(result, page) === "" ? "" : "\n";
      return space + paragraph(summarize(result), page, { indent: "  " });
    },
    json: ({ where, target, files, findings }) => documentOf(where, { target, files, findings }),
    exitCode: ({ target, findings }) =>
      target.kind === "unread" || findings.some(({ severity }) => severity === "error") ? 1 : 0,
    error: (result) => {
      const message = summarize(result);
      const first = result.findings.find(({ severity }) => severity === "error");
      if (first === undefined) return { code: "not-readable", message, at: result.target.path };
      const at = [first.path, first.line, first.column].filter((part) => part !== undefined).join(":");
      return { code: "lint-errors", message, at, hint: "`findings` lists them all." };
    },
  },
};

function openPath(
  path: string,
  typed: string,
): { readonly path: string; readonly kind: "folder" | "file"; readonly folder: string } {
  try {
    const isFolder = statSync(path).isDirectory();
    return isFolder ? { path, kind: "folder", folder: path } : { path, kind: "file", folder: dirname(path) };
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new Refusal("path-missing", {
      message: safe`cannot read '${typed}' (${String(error.code)})`,
      hint: "The path is relative to the current folder.",
    });
  }
}

/**
 * A file's folder shows which project it belongs to, or that it is a skill outside of any project. A project has what it
 * takes from the folders `above` it, too, like everything that `atomic entities` lists.
 */
async function check(
  folder: string,
  sources: Required<LintOptions>,
  { only, above = false }: { readonly only?: string; readonly above?: boolean } = {},
): Promise<Pick<LintResult, "files" | "findings">> {
  const [{ lintTarget, openTarget }, { checkModules }, { foldersToLoad }] = await Promise.all([
    import("@atomic/workflows/internal/entities/lint/lint"),
    import("@atomic/workflows/internal/entities/lint/workflow-modules"),
    import("@atomic/workflows/internal/entities/initialize"),
  ]);
  const opened = await openTarget(folder, sources);
  const { registry, project } = opened;
  const folders = above ? foldersToLoad({ projectPath: folder, ...sources }) : [];
  const roots = folders.flatMap(({ location, path }) =>
    location === "project" && path !== sources.userPath ? path + sep : [],
  );
  const users = new Set(registry.entries().flatMap(({ source }) => (source.location === "user" ? source.path : [])));
  const includes = (path: string | undefined): boolean =>
    opened.includes(path) || (!users.has(path) && roots.some((root) => path?.startsWith(root)));
  const { findings, verdicts: checked } = lintTarget({ ...opened, includes }, sources);
  const isMeant = ({ path }: { readonly path?: string }): boolean => only === undefined || path === only;
  const byPath = new Map<string, CheckedEntity[]>();
  for (const { entity, verdicts, qualifiedName } of checked) {
    const { path } = entity.source;
    if (path === undefined) continue;
    // A skill outside of any project is where no tool looks; it may be on its way to any of them.
    const readers = project === undefined ? [] : verdicts;
    const line = { type: entity.type, qualifiedName, readers };
    const lines = byPath.get(path);
    if (lines === undefined) byPath.set(path, [line]);
    else lines.push(line);
  }
  const modules = (await checkModules(registry)).filter(({ path = "" }) => includes(path));
  const files = [...byPath].map(([path, entities]) => ({ path, entities }));
  return { files: files.filter(isMeant), findings: inOrder([...findings, ...modules].filter(isMeant)) };
}

/** The findings of each file; for a single file, also what each tool makes of it. */
function formatResult(result: LintResult, page: Page): string {
  const { target, files, findings, where } = result;
  const byFile = new Map<string | undefined, string>();
  for (const finding of findings) {
    if (!isShown(finding, result)) continue;
    byFile.set(finding.path, (byFile.get(finding.path) ?? "") + formatDiagnostic(finding, where, page));
  }
  const entities =
    target.kind === "file" ? files.filter(({ path }) => path === target.path).flatMap((file) => file.entities) : [];
  const sheets = entities
    .filter(({ readers }) => readers.length > 0)
    .map(({ type, qualifiedName, readers }) => factSheet(type, qualifiedName, readers.map(readerFact), page));
  return [...byFile.values(), ...sheets].join("\n");
}

/** If you ask about one file, you want to know everything about it. */
function isShown({ severity }: LintFinding, { asked, target }: LintResult): boolean {
  return severity !== "info" || asked.all || target.kind === "file";
}

function summarize(result: LintResult): string {
  const { asked, target, where, files, findings } = result;
  if (target.kind === "unread") {
    return safe`No tool reads ${shortPath(target.path, where)} as an agent, command, skill or workflow.`;
  }
  const shown = findings.filter((finding) => isShown(finding, result));
  const hidden = findings.length - shown.length;
  const more = hidden === 0 ? "" : `; ${count(hidden, "note")} (see --all)`;
  const problems = countDiagnostics(shown);
  if (files.length === 0 && problems === "") {
    const places = asked.user ? `${target.path} and ${where.home}` : target.path;
    return safe`No agents, commands, skills or workflows in ${places}.`;
  }
  return `${count(files.length, "file")} checked: ${problems === "" ? "no problems found" : problems}${more}`;
}
