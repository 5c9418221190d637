import { builtinModules } from "node:module";
import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import { placeOf } from "@atomic/durable-files/jsonc/position";
import { defaultWithoutId, valueExports, withoutComments } from "../../packages/manifest/entry-code.ts";
import { error, type Problem, warning } from "./problem.ts";

/** What OpenCode would stumble over in the text of an entry. Only loading it shows everything. */
export function checkEntryText(path: string, text: string, json: JsonPart): Problem[] {
  const code = withoutComments(text);
  return [...wrongExports(path, code), ...missingId(path, code), ...undeclaredImports(path, code, json)];
}

function missingId(path: string, code: string): Problem[] {
  const start = defaultWithoutId(code);
  if (start === undefined) return [];
  const message = 'the default export has no "id", so OpenCode loads it from the registry, but not out of a folder';
  const hint = 'Add `id: "…"` to it, for those who install the workflow from a repository or a folder.';
  return [warning(placeOf(code, { start }, path), message, hint)];
}

function wrongExports(path: string, code: string): Problem[] {
  return valueExports(code).map(({ name, start }) => {
    const message = `the export "${name}" is no function, and beside a function OpenCode takes every export for a plugin`;
    const hint = "Do not export it, or let the default export be defineWorkflow({ … }).";
    return error(placeOf(code, { start }, path), message, hint);
  });
}

const IMPORT = /^[ \t]*(?:import|export)\s(?!type\b)(?:[^"';]*?\sfrom\s*)?["']([^"'\n]+)["']/gm;

function undeclaredImports(path: string, code: string, json: JsonPart): Problem[] {
  const declared = declaredPackages(json);
  return [...code.matchAll(IMPORT)].flatMap((match) => {
    const [, specifier = ""] = match;
    const name = packageOf(specifier);
    if (name === undefined || declared.has(name)) return [];
    const message = `"${name}" is imported, but package.json does not have it in "dependencies"`;
    const at = placeOf(code, { start: match.index + match[0].lastIndexOf(specifier) }, path);
    return [error(at, message, `Run \`npm install ${name}\`: of packages OpenCode installs only dependencies.`)];
  });
}

/** `@org/review/plugin` is of `@org/review`; undefined for files and for what is part of the runtime. */
function packageOf(specifier: string): string | undefined {
  if (/^(?:[./#]|[a-z]+:)/.test(specifier)) return undefined;
  const [first = "", second = ""] = specifier.split("/");
  if (builtinModules.includes(first) || first === "bun") return undefined;
  return first.startsWith("@") ? `${first}/${second}` : first;
}

function declaredPackages(json: JsonPart): Set<string> {
  const own = json.get("name");
  const lists = ["dependencies", "peerDependencies", "optionalDependencies"].map((key) => json.get(key));
  const names = lists.flatMap((list) => (list.node?.kind === "object" ? list.entries().map(([name]) => name) : []));
  return new Set([...names, ...(own.node?.kind === "string" ? [own.node.value] : [])]);
}
