import { existsSync, readFileSync, statSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import type { Diagnostic } from "@atomic/workflows/internal/entities/diagnostic";
import { HugoError } from "../../errors.ts";
import { readJsonObject } from "../../packages/json-part.ts";
import { EXTENSIONS } from "../../packages/manifest/package-json.ts";
import { readPackageTree } from "../../packages/read-tree.ts";
import type { PackageFile, PackageTree } from "../../packages/tree.ts";

/** A package in its author's folder: the parts that matter to Hugo and OpenCode. */
export interface SourcePackage {
  readonly folder: string;
  readonly json: JsonPart;
  /** Only package.json, the entry and the workflow's folders; not everything there will be packed. */
  readonly tree: PackageTree;
}

const FOLDERS = ["agents", "agent", "commands", "command", "skills", "skill", "workflows"];

const HINT = "See `npm help package.json` for the allowed fields.";

export function readSource(folder: string): SourcePackage {
  const file = join(folder, "package.json");
  if (!existsSync(file)) {
    const isThere = existsSync(folder);
    throw new HugoError(isThere ? "no-workflow" : "package-not-found", {
      message: isThere ? `${folder} is not a package: package.json is missing` : `the folder ${folder} does not exist`,
      at: folder,
      hint: "`hugo init` creates a new workflow package.",
    });
  }
  const bytes = readFileSync(file);
  const json = readJsonObject(bytes.toString("utf8"), { file: "package.json", code: "manifest-invalid", hint: HINT });
  const files = [
    ...FOLDERS.flatMap((name): [string, PackageFile][] => {
      const isFolder = statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory() === true;
      return isFolder ? [...readPackageTree(join(folder, name))].map(([path, file]) => [`${name}/${path}`, file]) : [];
    }),
    ...entryFiles(folder, json),
  ];
  const all: [string, PackageFile][] = [...files, ["package.json", { bytes, executable: false }]];
  return { folder, json, tree: new Map(all.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** The packages that OpenCode would install with it. */
export function dependenciesIn(json: JsonPart): string[] {
  const lists = ["dependencies", "peerDependencies", "optionalDependencies"].map((key) => json.get(key));
  return lists.flatMap((list) => (list.node?.kind === "object" ? list.entries().map(([name]) => name) : []));
}

/** Every file that package.json's entry may mean. */
function entryFiles(folder: string, json: JsonPart): [string, PackageFile][] {
  const value = json.value() as Readonly<Record<string, unknown>> & { exports?: Record<string, unknown> };
  const nested = [value.exports?.["./server"], value.exports?.["./tui"]].flatMap((each) =>
    typeof each === "object" && each !== null ? Object.values(each) : [each],
  );
  const themes = Array.isArray(value["oc-themes"]) ? value["oc-themes"] : [];
  const written = [value.main, value.module, value["jsnext:main"], ...nested, ...themes, "."];
  const candidates = written
    .filter((path): path is string => typeof path === "string")
    .map((path) => posix.normalize(path))
    .filter((path) => !path.startsWith("..") && !posix.isAbsolute(path))
    .flatMap((path) => [path, ...EXTENSIONS.flatMap((end) => [path + end, posix.join(path, `index${end}`)])]);
  const present = candidates.filter((path) => existsSync(join(folder, path)) && statSync(join(folder, path)).isFile());
  return present.map((path) => [path, { bytes: readFileSync(join(folder, path)), executable: false }]);
}

/** What an author should know about a package. With an error, it would not work for others. */
export interface PackageProblem {
  readonly severity: "error" | "warning";
  readonly message: string;
  /** A path in the package (or from the current folder, in a report), `path:line:col` if known. */
  readonly at?: string;
  readonly hint: string;
}

/** @param at Undefined if it is about the whole package. */
export function error(at: string | undefined, message: string, hint: string): PackageProblem {
  return { severity: "error", message, ...(at !== undefined && { at }), hint };
}

export function warning(at: string, message: string, hint: string): PackageProblem {
  return { severity: "warning", at, message, hint };
}

/** Drops the place from the start of the message, because `at` has it. */
export function problemsOf({ message, at, hint, parts }: HugoError): PackageProblem[] {
  if (parts.length > 0) return parts.map((part) => error(part.at, part.message, hint));
  const lead = `${at}: `;
  const rest = at !== undefined && message.startsWith(lead) ? message.slice(lead.length) : message;
  return [{ severity: "error", message: rest, ...(at !== undefined && { at }), hint }];
}

export function problemOfDiagnostic(folder: string, diagnostic: Diagnostic): PackageProblem {
  const { severity, message, path, line, column, hint = "" } = diagnostic;
  const file = path === undefined ? undefined : relative(folder, path).split(sep).join("/") || ".";
  const at = file === undefined ? undefined : [file, line, column].filter((part) => part !== undefined).join(":");
  return { severity: severity === "error" ? "error" : "warning", message, ...(at !== undefined && { at }), hint };
}

export function hasErrors(problems: readonly PackageProblem[]): boolean {
  return problems.some(({ severity }) => severity === "error");
}
