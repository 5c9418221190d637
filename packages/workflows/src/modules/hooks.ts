// Node's module hooks for workflow modules and the files that they import by relative paths. These have a mark in their URL,
// `?workflow=3`, so nothing else that the process imports is affected. The number makes a new module of a file that was
// loaded before. The same two functions serve `module.registerHooks`, which calls them in place, and `module.register` of
// older versions, which calls them in a thread where `next` is async.
import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { fileBeside, isBeside, isOwnModule, notFound, ownModules } from "./imports.ts";
import { stripTypes } from "./strip-types.ts";

interface Resolved {
  readonly url: string;
  readonly shortCircuit?: boolean;
}

type Resolution = Resolved | Promise<Resolved>;

export function resolve<Context extends { readonly parentURL?: string | undefined }>(
  specifier: string,
  context: Context,
  next: (specifier: string, context: Context) => Resolution,
): Resolution {
  const { parentURL = "" } = context;
  const [mark] = /\?workflow=\d+$/.exec(parentURL) ?? [];
  if (mark === undefined) return next(specifier, context);
  const importer = fileURLToPath(parentURL);
  if (isOwnModule(specifier) || isBeside(specifier)) {
    const file = isOwnModule(specifier) ? ownModules().get(specifier) : fileBeside(specifier, importer);
    if (file === undefined) throw notFound(specifier, importer);
    const isReloaded = isBeside(specifier) && /\.(?:m?[jt]s|json)$/.test(file);
    return { url: pathToFileURL(file).href + (isReloaded ? mark : ""), shortCircuit: true };
  }
  const explain = (error: object): never => {
    throw Object.assign(error, { specifier, importer });
  };
  try {
    const resolution = next(specifier, context);
    return resolution instanceof Promise ? resolution.catch(explain) : resolution;
  } catch (error) {
    return explain(error as object);
  }
}

export function load<Context, Loaded>(
  url: string,
  context: Context,
  next: (url: string, context: Context) => Loaded,
): Loaded | { readonly format: "module"; readonly source: string; readonly shortCircuit: true } {
  const [, ending] = /\.(m?ts|json)\?workflow=\d+$/.exec(url) ?? [];
  if (ending === undefined) return next(url, context);
  const file = fileURLToPath(url);
  const text = readFileSync(file, "utf8");
  const source = ending === "json" ? `export default ${text}` : stripTypes(text, file);
  return { format: "module", source, shortCircuit: true };
}
