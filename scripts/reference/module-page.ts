// The page of modules: every name that @atomic/workflows exports, so a change of one is seen.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { code, table } from "./markdown.ts";
import { isNode, nameOf, parseSource, type SyntaxNode } from "./source.ts";

const library = "packages/workflows";

export function modulePage(root: string): string {
  const { name, exports } = JSON.parse(readFileSync(join(root, library, "package.json"), "utf8"));
  const modules = Object.entries(exports as Readonly<Record<string, { readonly bun?: string }>>).flatMap(
    ([path, { bun }]) => (bun === undefined || path.includes("*") ? [] : [{ path: `${name}${path.slice(1)}`, bun }]),
  );
  const sections = modules.map(({ path, bun }) => {
    const { values, types } = exportedNames(join(root, library, bun));
    return [
      `## ${code(path)}`,
      table(
        ["", "names"],
        [
          ["values", values.map(code).join(", ")],
          ["types", types.map(code).join(", ")],
        ].filter(([, names]) => names !== ""),
      ),
    ].join("\n\n");
  });
  return [
    "# Modules",
    "What programs and workflow files can import. Editors show what each name is and takes; [what stays as it is](stability.md) says how long you can rely on them. Workflow files need only the first module ([guide](../guide/workflows-of-your-own.md)).",
    ...sections,
  ].join("\n\n");
}

/** The names that a file exports, in alphabetical order. */
function exportedNames(file: string): { readonly values: readonly string[]; readonly types: readonly string[] } {
  const { nodes } = parseSource(file, readFileSync(file, "utf8"));
  const [values, types] = [new Set<string>(), new Set<string>()];
  for (const node of nodes) {
    if (node.type === "ExportAllDeclaration") throw new Error(`${file} exports names that it does not list.`);
    if (node.type !== "ExportNamedDeclaration") continue;
    for (const each of (node.specifiers ?? []) as readonly SyntaxNode[]) {
      const isType = node.exportKind === "type" || each.exportKind === "type";
      (isType ? types : values).add(nameOf(each.exported));
    }
    const { declaration } = node;
    if (!isNode(declaration)) continue;
    const isType = declaration.type === "TSInterfaceDeclaration" || declaration.type === "TSTypeAliasDeclaration";
    const declared = (declaration.declarations as readonly SyntaxNode[] | undefined) ?? [declaration];
    for (const each of declared) (isType ? types : values).add(nameOf(each.id));
  }
  return { values: [...values].toSorted(), types: [...types].toSorted() };
}
