// What is wrong with a module that could not be imported, and where: every runtime tells it in another way, or not at all.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isBun } from "./workflow-module-bun.ts";
import { WorkflowModuleError } from "./workflow-module-error.ts";
import { placeByCaret, TypeScriptSyntaxError, typeStripper } from "./workflow-module-types.ts";

interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** The error to throw in place of the one that came from `import`. */
export async function explained(error: unknown, path: string): Promise<WorkflowModuleError> {
  if (error instanceof WorkflowModuleError) return error;
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  const message = messageOf(cause);
  if (message.includes("'@swc/wasm-typescript'")) return noStripper(path, cause);
  const thrownAt = frameIn(cause, path);
  const place = positionIn(cause) ?? caretIn(cause) ?? thrownAt;
  if (isImportProblem(cause, message)) return problem("import-missing", message, place ?? { file: path }, cause);
  if (thrownAt === undefined && isSyntaxProblem(cause)) {
    const found = place ?? (await findSyntaxError(path)) ?? { file: path };
    return problem("syntax", message, found, cause);
  }
  return problem("throws", `It fails when it is imported: ${message}`, place ?? { file: path }, cause);
}

function problem(code: "import-missing" | "syntax" | "throws", text: string, place: Place, cause: unknown) {
  const { file, line, column } = place;
  const at = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  const hint =
    /@atomic\/workflows\//.test(text) && /require\(\)|require stack/i.test(text)
      ? "Use `import`, not `require`: the modules of @atomic/workflows are there for imports only."
      : code === "import-missing"
        ? "Relative imports need their ending, as `./steps.ts`; packages must be installed in the project."
        : code === "syntax" && /strip-only/.test(text)
          ? "Types are taken out, not compiled: write what is left without them (no enums, namespaces, parameter properties)."
          : undefined;
  const ended = /[.!?]$/.test(text) ? text : `${text}.`;
  return new WorkflowModuleError(code, { problem: ended, at, cause, ...(hint !== undefined && { hint }) });
}

function noStripper(path: string, cause: unknown): WorkflowModuleError {
  return new WorkflowModuleError("no-type-stripper", {
    problem: `Node ${process.versions.node} cannot read TypeScript, and @swc/wasm-typescript is not installed.`,
    at: path,
    hint: "Install it, or use Node 22.15 or later, or Bun, or write the workflow in JavaScript.",
    cause,
  });
}

function messageOf(error: unknown): string {
  const text = error instanceof Object && "message" in error ? String(error.message) : String(error);
  // Our hooks have asked in the place of the workflow.
  const [, own] = /subpath '\.(\/[^']*)' .* imported from \S*workflow-module-hooks/.exec(text) ?? [];
  if (own !== undefined) return `There is no module @atomic/workflows${own}.`;
  return text.replace(/\?workflow=\d+/g, "").replace(/\s*\n\s*/g, " ");
}

/** Bun's errors of parsing are no `SyntaxError`. */
function isSyntaxProblem(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof Object && "position" in error);
}

const missingCodes = new Set(["ERR_MODULE_NOT_FOUND", "ERR_PACKAGE_PATH_NOT_EXPORTED", "ERR_UNSUPPORTED_DIR_IMPORT"]);

function isImportProblem(error: unknown, message: string): boolean {
  if (error instanceof Object && "code" in error && missingCodes.has(String(error.code))) return true;
  return (
    error instanceof SyntaxError &&
    /does not provide an export named|^Export named .* not found in module/.test(message)
  );
}

/** Our stripper and Bun say it. */
function positionIn(error: unknown): Place | undefined {
  if (!(error instanceof Object) || !("position" in error)) return undefined;
  const { file, line, column } = (error.position ?? {}) as Partial<Place>;
  return file === undefined || line === undefined ? undefined : { file, line, column: column ?? 1 };
}

/** Node shows it above the stack of some errors. */
function caretIn(error: unknown): Place | undefined {
  if (!(error instanceof Error)) return undefined;
  const [, url] = /^(file:\S+?)(?:\?workflow=\d+)?:\d+\n/.exec(error.stack ?? "") ?? [];
  const place = placeByCaret(error.stack ?? "");
  return url === undefined || place === undefined ? undefined : { file: fileURLToPath(url), ...place };
}

/** The innermost call in a file of the workflow. */
function frameIn(error: unknown, path: string): Place | undefined {
  if (!(error instanceof Error)) return undefined;
  for (const [, name = "", mark, line, column] of (error.stack ?? "").matchAll(FRAME)) {
    const file = name.startsWith("file:") ? fileURLToPath(name) : name;
    if (mark !== undefined || file === path) return { file, line: Number(line), column: Number(column) };
  }
  return undefined;
}

const FRAME = /^\s+at (?:.*\()?((?:file:\/\/|\/|[A-Z]:\\)[^()?]*?)(\?workflow=\d+)?:(\d+):(\d+)\)?$/gm;

/** Node tells where a module cannot be parsed only when it dies of it, so another one is asked to. */
async function findSyntaxError(path: string): Promise<Place | undefined> {
  if (isBun()) return undefined;
  const strip = await typeStripper();
  const seen = new Set<string>();
  const open = [path];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file) || !existsSync(file)) continue;
    seen.add(file);
    const text = readFileSync(file, "utf8");
    try {
      const input = file.endsWith("ts") ? strip(text, file) : text;
      const { stderr } = spawnSync(process.execPath, ["--input-type=module", "--check", "-"], {
        input,
        encoding: "utf8",
      });
      const place = placeByCaret(stderr);
      if (place !== undefined) return { file, ...place };
    } catch (error) {
      if (!(error instanceof TypeScriptSyntaxError)) throw error;
      return error.position;
    }
    for (const [, name = ""] of text.matchAll(/\b(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g))
      open.push(resolve(dirname(file), name));
  }
  return undefined;
}
