// What is wrong with a module that could not be imported, and where: by the code, the class and the calls of the error,
// never by its text, which any module may imitate.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DurableError } from "@atomic/durable-files/errors";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { didYouMean } from "@atomic/terminal/suggest";
import { fileBeside, isBeside, isOwnModule, ownModules } from "./imports.ts";
import { stripTypes, TypeScriptSyntaxError } from "./strip-types.ts";
import { WorkflowModuleError, type WorkflowModuleErrorCode } from "./workflow-module-error.ts";

interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** The error to throw in place of the one that came from `import`. `files` are known to belong to the workflow. */
export function explained(error: unknown, path: string, files: ReadonlySet<string>): WorkflowModuleError {
  // Bun reports several syntax errors as one.
  const cause = error instanceof AggregateError && isParseError(error.errors[0]) ? error.errors[0] : error;
  const failure = (code: WorkflowModuleErrorCode, text: string, place: Place, hint?: string): WorkflowModuleError => {
    const at = place.line === undefined ? place.file : `${place.file}:${place.line}:${place.column ?? 1}`;
    const problem = /[.!?]$/.test(text) ? text : `${text}.`;
    return new WorkflowModuleError(code, { problem, at, cause, ...(hint !== undefined && { hint }) });
  };
  const message = messageOf(cause);
  if (isParseError(cause)) {
    const place = { ...cause.position, file: readable(cause.position?.file, files) ?? path };
    return failure("syntax", message, place, cause.code === "UnsupportedSyntax" ? unsupported : undefined);
  }
  const frames = framesOf(cause);
  const thrownAt = frames.find(({ file, isMarked }) => isMarked || files.has(file));
  if (isMissingImport(cause) && (isFromLoader(cause) || (cause instanceof Error && thrownAt === undefined))) {
    const { specifier, importer = readable(cause.referrer, files) ?? path } = cause;
    if (specifier === undefined) return failure("import-missing", message, { file: path });
    const { text, hint } = missing(specifier);
    return failure("import-missing", text, placeOf(specifier, importer), hint);
  }
  if (cause instanceof SyntaxError && frames.length === 0) {
    const place = "Bun" in globalThis ? findBrokenJson(files) : findSyntaxError(path);
    if (place !== undefined) return failure("syntax", place.message ?? message, place);
    // Everything can be parsed, so a module lacks a name that is imported from it.
    return failure("import-missing", message, placeAbove(cause) ?? { file: path });
  }
  const isRequiring = /\brequire\(\s*["'`]@atomic\/workflows["'`/]/.test(readFileSync(path, "utf8"));
  const text = `Importing it failed: ${message}`;
  return failure("throws", text, thrownAt ?? { file: path }, isRequiring ? importOnly : undefined);
}

const unsupported = "Node only removes types: write it without enums, namespaces and parameter properties.";
const importOnly = "Use `import`, not `require`: the modules of @atomic/workflows are there for imports only.";

function messageOf(error: unknown): string {
  const text = error instanceof Object && "message" in error ? String(error.message) : String(error);
  return text.replace(/\?workflow=\d+/g, "").replace(/\s*\n\s*/g, " ");
}

/** Ours, also from the thread of hooks, or Bun's. */
function isParseError(error: unknown): error is { readonly code?: unknown; readonly position: Place | null } {
  if (!(error instanceof Object && "name" in error && "position" in error)) return false;
  return error.name === "TypeScriptSyntaxError" || error.name === "BuildMessage";
}

/** Bun 1.3 gives the bytes of a path as characters. */
function readable(file: string | undefined, files: ReadonlySet<string>): string | undefined {
  if (file === undefined || files.has(file)) return file;
  const decoded = Buffer.from(file, "latin1").toString("utf8");
  return files.has(decoded) ? decoded : file;
}

const missingCodes = new Set<unknown>([
  "ERR_MODULE_NOT_FOUND",
  "ERR_PACKAGE_IMPORT_NOT_DEFINED",
  "ERR_PACKAGE_PATH_NOT_EXPORTED",
  "ERR_UNSUPPORTED_DIR_IMPORT",
]);

interface MissingImport {
  readonly specifier?: string;
  /** From our hooks; Bun calls it `referrer`. */
  readonly importer?: string;
  readonly referrer?: string;
}

function isMissingImport(error: unknown): error is MissingImport {
  return error instanceof Object && "code" in error && missingCodes.has(error.code);
}

/** Marked by our hooks, or made by Bun: a module may give its own errors the same code, but has no reason to fake these. */
function isFromLoader(error: MissingImport): boolean {
  return error.importer !== undefined || ("name" in error && error.name === "ResolveMessage");
}

function missing(specifier: string): { readonly text: string; readonly hint: string } {
  if (isOwnModule(specifier)) {
    const [best] = didYouMean(specifier, ownModules().keys());
    const hint = best === undefined ? "See its README.md for all modules." : `Did you mean ${best}?`;
    return { text: `There is no module ${specifier}.`, hint };
  }
  return isBeside(specifier)
    ? {
        text: `Cannot find module '${specifier}'.`,
        hint: "Check the path; it is relative to the file that imports it.",
      }
    : { text: `Cannot find package '${specifier}'.`, hint: "Install it in the project." };
}

/** Where a file names what it imports. */
function placeOf(specifier: string, file: string): Place {
  const text = readFileSync(file, "utf8");
  const at = Math.max(...['"', "'", "`"].map((quote) => text.indexOf(quote + specifier + quote)));
  if (at < 0) return { file };
  const lines = text.slice(0, at).split("\n");
  return { file, line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

const FRAME = /^\s+at (?!async )(?:.*? \()?((?:file:\/\/|\/|[A-Z]:\\).*?)(\?workflow=\d+)?:(\d+)(?::(\d+))?\)?$/gm;

/** The calls in files, innermost first, without those that wait: they belong to whoever loads the workflow. */
function framesOf(error: unknown): (Place & { readonly isMarked: boolean })[] {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return [...stack.matchAll(FRAME)].map(([, name = "", mark, line, column = "1"]) => ({
    file: name.startsWith("file:") ? fileURLToPath(name) : name,
    isMarked: mark !== undefined,
    line: Number(line),
    column: Number(column),
  }));
}

/** Node tells where a module cannot be parsed only when it dies of it, so another one is asked to. */
function findSyntaxError(path: string): (Place & { readonly message?: string }) | undefined {
  const files = new Set([path]);
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    if (file.endsWith(".json")) {
      const problem = jsonProblem(text, file);
      if (problem !== undefined) return problem;
      continue;
    }
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

/** Bun tells where TypeScript cannot be parsed, but of JSON not even which file. */
function findBrokenJson(files: ReadonlySet<string>): (Place & { readonly message: string }) | undefined {
  for (const file of files) {
    const problem = file.endsWith(".json") ? jsonProblem(readFileSync(file, "utf8"), file) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function jsonProblem(text: string, file: string): (Place & { readonly message: string }) | undefined {
  try {
    parseJsonc(text, { file, empty: "refuse" });
    return undefined;
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    const { at = file, message } = error;
    const [, line = "1", column = "1"] = /:(\d+):(\d+)$/.exec(at) ?? [];
    return { file, line: Number(line), column: Number(column), message: message.replace(`${at}: `, "") };
  }
}

/** Node puts the place of an import that lacks its name above the stack. */
function placeAbove({ stack = "" }: Error): Place | undefined {
  const [, url] = /^(file:\S+?)(?:\?workflow=\d+)?:\d+\n/.exec(stack) ?? [];
  return url === undefined ? undefined : { file: fileURLToPath(url), ...caretIn(stack) };
}

/** A file with `:2`, then some lines, with a caret below the last one: so Node shows where. */
function caretIn(text: string): Omit<Place, "file"> {
  const [, line, space] = /^[^\n]*:(\d+)\n(?:[^\n]*\n)*?( *)\^/.exec(text) ?? [];
  return line === undefined || space === undefined ? {} : { line: Number(line), column: space.length + 1 };
}
