// Hooks of Node's module loader for workflow modules and the files that they import by relative paths. Nothing else that
// the process imports is touched: these carry a mark in their address.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { StripTypes } from "./workflow-module-types.ts";

/** In the address of a module. The number behind it makes a new module of a file that was loaded before. */
const mark = /\?workflow=\d+$/;
const own = "@atomic/workflows/";

export function marked(url: string, load: number): string {
  return `${url}?workflow=${load}`;
}

export interface ResolveContext {
  readonly parentURL?: string | undefined;
  readonly [key: string]: unknown;
}

export interface Resolved {
  readonly url: string;
  readonly [key: string]: unknown;
}

/** What Node is asked in place of the import, and what is done with the answer. */
interface Resolving<Context> {
  readonly context: Context;
  readonly after: (resolved: Resolved) => Resolved;
}

const asItIs = (resolved: Resolved): Resolved => resolved;

/**
 * `@atomic/workflows/…` is always the copy that runs the workflow: it is there also where nothing is installed, and it
 * fits the interpreter. Files beside the workflow get its mark, so that they are loaded anew with it.
 */
export function resolving<Context extends ResolveContext>(specifier: string, context: Context): Resolving<Context> {
  const [found] = mark.exec(context.parentURL ?? "") ?? [];
  if (found === undefined) return { context, after: asItIs };
  if (specifier.startsWith(own)) return { context: { ...context, parentURL: import.meta.url }, after: asItIs };
  const isBeside = /^(?:\.{0,2}\/|file:)/.test(specifier);
  return { context, after: isBeside ? (resolved) => withMark(resolved, found) : asItIs };
}

function withMark(resolved: Resolved, found: string): Resolved {
  const isOurs = /^file:[^?#]*\.m?[jt]s$/.test(resolved.url) && !resolved.url.includes("/node_modules/");
  return isOurs ? { ...resolved, url: resolved.url + found } : resolved;
}

export interface LoadedSource {
  readonly format: "module";
  readonly source: string;
  readonly shortCircuit: true;
}

/** A marked TypeScript file as JavaScript; `undefined` for what Node reads by itself. */
export function loadTypeScript(url: string, strip: StripTypes): LoadedSource | undefined {
  if (!isMarkedTypeScript(url)) return undefined;
  const file = fileURLToPath(url);
  return { format: "module", source: strip(readFileSync(file, "utf8"), file), shortCircuit: true };
}

export function isMarkedTypeScript(url: string): boolean {
  return /\.m?ts\?workflow=\d+$/.test(url);
}
