import { type Frontmatter, parseFrontmatter } from "./parse.ts";

export type YamlValues = Readonly<Record<string, unknown>>;

/** A block of YAML as a strict reader sees it. */
export type YamlBlock =
  | { readonly kind: "map"; readonly values: YamlValues }
  | { readonly kind: "duplicates"; readonly values: YamlValues; readonly because: string }
  | { readonly kind: "not-a-map" }
  | { readonly kind: "invalid"; readonly because: string };

export interface YamlDialect {
  /** Characters that make the YAML invalid. */
  readonly forbidden: RegExp;
  /** `!tags` that are not part of YAML make it invalid. */
  readonly refusesTags?: boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what YAML forbids
export const CONTROL_CHARACTERS: RegExp = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;
export const NO_VALUES: YamlValues = Object.freeze(Object.create(null));

/** Errors after which the rest of a block can still be read. */
const PARTIAL = new Set(["frontmatter-duplicate-key", "frontmatter-merge-key"]);

let last: { readonly yaml: string; readonly matter: Frontmatter } | undefined;

export function readYamlBlock(yaml: string, { forbidden, refusesTags = false }: YamlDialect): YamlBlock {
  if (forbidden.test(yaml)) return { kind: "invalid", because: "The frontmatter contains a control character." };
  // Tools read the same file one after the other, and most of them find the same block.
  if (last?.yaml !== yaml) last = { yaml, matter: parseFrontmatter(`---\n${yaml}\n---\n`) };
  const { values, diagnostics } = last.matter;
  if (diagnostics.length === 0) return { kind: "map", values };
  const messageOf = (code: string): string | undefined => diagnostics.find((found) => found.code === code)?.message;
  if (messageOf("frontmatter-not-a-map") !== undefined) return { kind: "not-a-map" };
  const fault =
    diagnostics.find(({ severity, code }) => severity === "error" && !PARTIAL.has(code))?.message ??
    (refusesTags ? messageOf("frontmatter-unknown-tag") : undefined);
  if (fault !== undefined) return { kind: "invalid", because: fault };
  const duplicate = messageOf("frontmatter-duplicate-key");
  return duplicate === undefined ? { kind: "map", values } : { kind: "duplicates", values, because: duplicate };
}

/**
 * What `String(value)` gives in a tool whose YAML maps are ordinary objects: `[object Object]`, and `a,b` for a list. Our
 * own YAML reader's maps have no prototype, so `String` itself would throw.
 */
export function stringOf(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => (item === null ? "" : stringOf(item))).join(",");
  if (value instanceof Date) return value.toString();
  return typeof value === "object" && value !== null ? "[object Object]" : String(value);
}
