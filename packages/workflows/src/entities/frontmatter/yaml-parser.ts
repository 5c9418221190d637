import { createRequire } from "node:module";
import type { Document } from "yaml";

type Yaml = typeof import("yaml");

let loaded: Yaml | undefined;

/**
 * The `yaml` package, as `imports` in package.json has it: a bundle brings its own. It is synchronous, because parsing is, and late, because most files never need it.
 */
export function yaml(): Yaml {
  loaded ??= createRequire(import.meta.url)("#yaml") as Yaml;
  return loaded;
}

/** One document of YAML 1.2 core schema. Mistakes are in its `errors`; only a stack overflow or a bug of `yaml` throws. */
export function parseYamlDocument(text: string): Document.Parsed {
  const { stackTraceLimit } = Error;
  // `yaml` makes an Error for each of thousands of mistakes, and their stack traces cost more than the parse.
  Error.stackTraceLimit = 0;
  try {
    return yaml().parseDocument(text, {
      schema: "core",
      version: "1.2",
      merge: false,
      resolveKnownTags: false,
      stringKeys: true,
      // Found while the values are read: `yaml` compares every pair of keys.
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: "error",
    });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
