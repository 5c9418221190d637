import { CONTROL_CHARACTERS, NO_VALUES, readYamlBlock, type Values, type YamlDialect } from "./yaml-block.ts";

export type OpencodeFrontmatter =
  | { readonly kind: "values"; readonly values: Values }
  /** The YAML is invalid: the file is loaded without it, and all of the text is the prompt. */
  | { readonly kind: "lost"; readonly because: string }
  | { readonly kind: "refused"; readonly because: string };

const dialect: YamlDialect = { forbidden: CONTROL_CHARACTERS, refusesTags: true };
const LANGUAGES = new Set(["", "yaml", "yml"]);

/** As OpenCode 1.18 reads it, with the library gray-matter and a second try for values with a colon. */
export function readOpencodeFrontmatter(text: string): OpencodeFrontmatter {
  const clean = text.replace(/^\ufeff/, "");
  if (!clean.startsWith("---") || clean[3] === "-") return { kind: "values", values: NO_VALUES };
  const firstLine = /^---([^\r\n]*)/.exec(clean)?.[0] ?? "---";
  const language = firstLine.slice(3).trim();
  if (!LANGUAGES.has(language)) {
    return {
      kind: "lost",
      because: `OpenCode runs frontmatter in \`${language}\` as code or drops it; we do neither.`,
    };
  }
  const end = clean.indexOf("\n---", firstLine.length);
  // Without a language, what follows the fence is part of the YAML: a space does no harm, a no-break space does.
  const start = language === "" ? "---".length : firstLine.length;
  const yaml = clean
    .slice(start, end === -1 ? clean.length : end)
    .replace(/^\ufeff/, "")
    .replace(/\r$/, "");
  const block = readYamlBlock(yaml, dialect);
  if (block.kind === "map") return { kind: "values", values: withDates(block.values, yaml) };
  if (block.kind === "not-a-map") return { kind: "values", values: NO_VALUES };
  return retry(yaml, end !== -1, block.because);
}

/**
 * The second try is made with other text. Where there is none, OpenCode gets back what its library remembers of the
 * first try, and that is a file without frontmatter.
 */
function retry(yaml: string, isClosed: boolean, because: string): OpencodeFrontmatter {
  const blocked = isClosed ? blockColons(yaml) : yaml;
  if (blocked === yaml) return { kind: "lost", because };
  const block = readYamlBlock(blocked, dialect);
  if (block.kind === "map") return { kind: "values", values: withDates(block.values, blocked) };
  return { kind: "refused", because };
}

const KEY_LINE = /^([A-Za-z_]\w*)\s*:\s*(.*)$/;

function blockColons(yaml: string): string {
  const lines = yaml.split(/\r?\n/).map((line) => {
    const [, key, rest = ""] = KEY_LINE.exec(line) ?? [];
    const value = rest.trim();
    return key !== undefined && value.includes(":") && !/^["']/.test(value) ? `${key}: |-\n  ${value}` : line;
  });
  return lines.join("\n") === yaml.replaceAll("\r\n", "\n") ? yaml : lines.join("\n");
}

const DATE = /^([A-Za-z_][\w-]*):[ \t]+\d{4}-\d\d?-\d\d?(?:[Tt \t][\d:.]+.*)?[ \t]*\r?$/gm;

/** A plain date is a `Date` there, and no text. */
function withDates(values: Values, yaml: string): Values {
  const dates = [...yaml.matchAll(DATE)].flatMap(({ 1: key }) => key ?? []);
  if (dates.length === 0) return values;
  return { ...values, ...Object.fromEntries(dates.map((key) => [key, new Date(String(values[key]))])) };
}
