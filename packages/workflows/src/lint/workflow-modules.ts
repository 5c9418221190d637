// Modules of workflows are code of whoever wrote them: lint parses them, and never runs them.
import { TypeScriptSyntaxError, typeStripper } from "../graph/workflow-module-types.ts";
import { readTextFile } from "../read-file.ts";
import type { EntityRegistry } from "../registry.ts";
import type { Finding } from "./finding.ts";

/** What can be said about the modules of workflows from their text. Apart from lint itself, which needs no parser. */
export async function checkModules(registry: EntityRegistry): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const entity of registry.entries()) {
    if (entity.type !== "workflow" || entity.source.location === "builtin") continue;
    const name = registry.qualifiedName(entity);
    const { path } = entity.source;
    const file = path === undefined ? undefined : readTextFile(path);
    // What cannot be read was reported when it was loaded.
    if (path === undefined || file === undefined || file.kind === "unreadable") continue;
    const found = (await syntaxProblem(file.text, path)) ?? exportProblem(file.text);
    if (found !== undefined) findings.push({ path, entity: name, ...found });
  }
  return findings;
}

type Found = Omit<Finding, "path" | "entity">;

async function syntaxProblem(text: string, path: string): Promise<Found | undefined> {
  const strip = await stripper();
  if (strip === undefined) {
    const message = "This runtime cannot read TypeScript, so that nobody has looked whether this can be parsed.";
    const hint = "Install @swc/wasm-typescript, or use Node 22.15 or later.";
    return { severity: "warning", code: "workflow-unchecked", message, hint };
  }
  try {
    strip(text, path);
    return undefined;
  } catch (error) {
    if (!(error instanceof TypeScriptSyntaxError)) throw error;
    const { line, column } = error.position ?? {};
    const said = error.message.replace(/\s+/g, " ").replace(/[.\s]*$/, ".");
    const place = line === undefined ? {} : { line, column: column ?? 1 };
    return { severity: "error", code: "workflow-syntax", message: `It cannot be parsed: ${said}`, ...place };
  }
}

/** Undefined where the package that it takes is not installed. */
async function stripper(): Promise<((text: string, path: string) => string) | undefined> {
  try {
    return await typeStripper();
  } catch (error) {
    if (error instanceof Error && error.message.includes("@swc/wasm-typescript")) return undefined;
    throw error;
  }
}

/** Without the word there is certainly no default export; with it, only who runs the module knows what it is. */
function exportProblem(text: string): Found | undefined {
  if (/\bdefault\b|\bmodule\.exports\b/.test(text)) return undefined;
  const hint = 'Write `export default defineGraph({ name: "…" }, (graph) => graph.start(…))`.';
  return { severity: "error", code: "workflow-no-default", message: "It has no default export.", hint };
}
