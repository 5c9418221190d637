// Workflow modules are other people's code: lint parses them and never runs them.
import { stripTypes, TypeScriptSyntaxError } from "../../modules/strip-types.ts";
import { readTextFile } from "../read-file.ts";
import type { EntityRegistry } from "../registry.ts";
import type { LintFinding } from "./rule.ts";

/** Checks workflow modules by their text. It is separate from lint itself, which does not need a parser. */
export async function checkModules(registry: EntityRegistry): Promise<LintFinding[]> {
  const findings: LintFinding[] = [];
  for (const entity of registry.entries()) {
    if (entity.type !== "workflow" || entity.source.location === "builtin") continue;
    const name = registry.qualifiedName(entity);
    const { path } = entity.source;
    const file = path === undefined ? undefined : readTextFile(path);
    // A file that cannot be read was reported when it was loaded.
    if (path === undefined || file === undefined || file.kind === "unreadable") continue;
    try {
      stripTypes(file.text, path);
    } catch (error) {
      if (!(error instanceof TypeScriptSyntaxError)) throw error;
      const said = error.message.replace(/\s+/g, " ").replace(/[.\s]*$/, ".");
      const message = `The module cannot be parsed: ${said}`;
      findings.push({ path, entity: name, severity: "error", code: "workflow-syntax", message, ...error.position });
      continue;
    }
    // Without the word, the module certainly has no default export; with it, only running the module shows what it is.
    if (/\bdefault\b|\bmodule\.exports\b/.test(file.text)) continue;
    const message = "The module has no default export.";
    const hint = 'Write `export default defineGraph({ name: "…" }, (graph) => graph.start(…))`.';
    findings.push({ path, entity: name, severity: "error", code: "workflow-no-default", message, hint });
  }
  return findings;
}
