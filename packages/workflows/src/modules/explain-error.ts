// Explains why a module could not be imported, and where. It goes by the error's code, class and stack, never by its text,
// which any module may imitate.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DurableError } from "@atomic/durable-files/errors";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { didYouMean } from "@atomic/terminal/suggest";
import { fileBeside, isBeside, isOwnModule, ownModules } from "./imports.ts";
import { stripTypes, TypeScriptSyntaxError } from "./strip-types.ts";
import { WorkflowModuleError, type WorkflowModuleErrorCode } from "./workflow-module-error.ts";

interface CodePosition {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

const missingCodes = new Set<unknown>([
  "ERR_MODULE_NOT_FOUND",
  "ERR_PACKAGE_IMPORT_NOT_DEFINED",
  "ERR_PACKAGE_PATH_NOT_EXPORTED",
  "ERR_UNSUPPORTED_DIR_IMPORT",
]);

const stackFrame = /^\s+at (?!async )(?:.*? \()?((?:file:\/\/|\/|[A-Z]:\\).*?)(\?workflow=\d+)?:(\d+)(?::(\d+))?\)?$/gm;

/** The error to throw instead of the one from `import`. `files` are known to belong to the workflow. */
export function explainImportError(error: unknown, path: string, files: ReadonlySet<string>): WorkflowModuleError {
  // Bun reports several syntax errors as one.
  const cause = error instanceof AggregateError && isParseError(error.errors[0]) ? error.errors[0] : error;
  const failure = (code: WorkflowModuleErrorCode, text: string, where: CodePosition, hint?: string) => {
    const at = where.line === undefined ? where.file : `${where.file}:${where.line}:${where.column ?? 1}`;
    return new WorkflowModuleError(code, { problem: /[.!?]$/.test(text) ? text : `${text}.`, at, cause, hint });
  };
  // Bun 1.3 gives the bytes of a path as characters.
  const readable = (file: string): string => {
    const decoded = files.has(file) ? file : Buffer.from(file, "latin1").toString("utf8");
    return files.has(decoded) ? decoded : file;
  };
  const said = cause instanceof Object && "message" in cause ? String(cause.message) : String(cause);
  const message = said.replace(/\?workflow=\d+/g, "").replace(/\s*\n\s*/g, " ");

  if (isParseError(cause)) {
    const file = cause.position?.file;
    const where = { ...cause.position, file: file === undefined ? path : readable(file) };
    const unsupported = "Node only strips types: do not use enums, namespaces or parameter properties.";
    return failure("syntax", message, where, cause.code === "UnsupportedSyntax" ? unsupported : undefined);
  }

  // The stack's calls, innermost first, without async ones, which belong to the code that loads the workflow.
  const stack = cause instanceof Error ? (cause.stack ?? "") : "";
  const frames = [...stack.matchAll(stackFrame)].map(([, name = "", mark, line, column = "1"]) => {
    const file = name.startsWith("file:") ? fileURLToPath(name) : name;
    return { file, isMarked: mark !== undefined, line: Number(line), column: Number(column) };
  });
  const thrownAt = frames.find(({ file, isMarked }) => isMarked || files.has(file));

  if (cause instanceof Object && "code" in cause && missingCodes.has(cause.code)) {
    // Our hooks set `importer`; Bun calls it `referrer`.
    const { specifier, importer, referrer } = cause as { specifier?: string; importer?: string; referrer?: string };
    // Marked by our hooks, or thrown by Bun. A module may give its own errors the same code, but has no reason to fake these.
    const isFromLoader = importer !== undefined || ("name" in cause && cause.name === "ResolveMessage");
    if (isFromLoader || (cause instanceof Error && thrownAt === undefined)) {
      if (specifier === undefined) return failure("import-missing", message, { file: path });
      const file = importer ?? (referrer === undefined ? path : readable(referrer));
      const text = readFileSync(file, "utf8");
      const at = Math.max(...['"', "'", "`"].map((quote) => text.indexOf(quote + specifier + quote)));
      const lines = text.slice(0, Math.max(at, 0)).split("\n");
      const where = at < 0 ? { file } : { file, line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
      if (isOwnModule(specifier)) {
        const [best] = didYouMean(specifier, ownModules().keys());
        const hint =
          best === undefined ? "The README.md of @atomic/workflows lists all of its modules." : `Did you mean ${best}?`;
        return failure("import-missing", `Cannot find module '${specifier}'.`, where, hint);
      }
      const [what, hint] = isBeside(specifier)
        ? ["module", "Check the path; it is relative to the file that imports it."]
        : ["package", "Install it in the project."];
      return failure("import-missing", `Cannot find ${what} '${specifier}'.`, where, hint);
    }
  }

  if (cause instanceof SyntaxError && frames.length === 0) {
    const found = "Bun" in globalThis ? findBrokenJson(files) : findSyntaxError(path);
    if (found !== undefined) return failure("syntax", found.message ?? message, found);
    // Everything can be parsed, so a module lacks a name that another imports. Node puts the import's position above the
    // stack.
    const [, url] = /^(file:\S+?)(?:\?workflow=\d+)?:\d+\n/.exec(stack) ?? [];
    const where = url === undefined ? { file: path } : { file: fileURLToPath(url), ...caretIn(stack) };
    return failure("import-missing", message, where);
  }

  const isRequiring = /\brequire\(\s*["'`]@atomic\/workflows["'`/]/.test(readFileSync(path, "utf8"));
  const importOnly = "Use `import`, not `require`: @atomic/workflows contains only ES modules.";
  const hint = isRequiring ? importOnly : undefined;
  return failure("throws", `Importing the module failed: ${message}`, thrownAt ?? { file: path }, hint);
}

/** Whether it is our error, also from the hooks' thread, or Bun's. */
function isParseError(error: unknown): error is { readonly code?: unknown; readonly position: CodePosition | null } {
  if (!(error instanceof Object && "name" in error && "position" in error)) return false;
  return error.name === "TypeScriptSyntaxError" || error.name === "BuildMessage";
}

/** Node reports where a module cannot be parsed only when it crashes, so another process does that. */
function findSyntaxError(path: string): (CodePosition & { readonly message?: string }) | undefined {
  const files = new Set([path]);
  for (const file of files) {
    if (file.endsWith(".json")) {
      const problem = findBrokenJson([file]);
      if (problem !== undefined) return problem;
      continue;
    }
    const text = readFileSync(file, "utf8");
    try {
      const input = file.endsWith("ts") ? stripTypes(text, file) : text;
      const argv = ["--input-type=module", "--check", "-"];
      const { status, stderr } = spawnSync(process.execPath, argv, { input, encoding: "utf8" });
      if (status !== 0) return { file, ...caretIn(stderr) };
    } catch (error) {
      if (!(error instanceof TypeScriptSyntaxError)) throw error;
      return error.position;
    }
    for (const [, name = ""] of text.matchAll(/\b(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g)) {
      const found = fileBeside(name, file);
      if (found !== undefined && /\.(?:m?[jt]s|json)$/.test(found)) files.add(found);
    }
  }
  return undefined;
}

/** Bun reports where TypeScript cannot be parsed, but for JSON not even the file. */
function findBrokenJson(files: Iterable<string>): (CodePosition & { readonly message: string }) | undefined {
  for (const file of files) {
    if (!file.endsWith(".json")) continue;
    try {
      parseJsonc(readFileSync(file, "utf8"), { file, empty: "refuse" });
    } catch (error) {
      if (!(error instanceof DurableError)) throw error;
      const { at = file, message } = error;
      const [, line = "1", column = "1"] = /:(\d+):(\d+)$/.exec(at) ?? [];
      return { file, line: Number(line), column: Number(column), message: message.replace(`${at}: `, "") };
    }
  }
  return undefined;
}

/** Node shows a position as a file with `:2`, then some lines with a caret below the last one. */
function caretIn(text: string): Omit<CodePosition, "file"> {
  const [, line, space] = /^[^\n]*:(\d+)\n(?:[^\n]*\n)*?( *)\^/.exec(text) ?? [];
  return line === undefined || space === undefined ? {} : { line: Number(line), column: space.length + 1 };
}
