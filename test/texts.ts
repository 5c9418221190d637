// Every text that a person reads: the prose in the sources of the products, and the Markdown that comes with them.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseAst } from "rolldown/parseAst";

const root = dirname(import.meta.dir);
const products = ["atomic", "durable-files", "hugo", "magnus-opus", "terminal", "workflows"];
const prose = [
  "README.md",
  "docs/guide",
  "docs/reference",
  "packages/hugo/README.md",
  "packages/atomic/README.md",
  "packages/magnus-opus/README.md",
  "packages/workflows/README.md",
  "packages/magnus-opus/words",
  "packages/magnus-opus/commands",
];

/** Each text once, by the package or document it comes from; `…` stands for what is filled in. */
export function userFacingTexts(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const name of products) {
    const src = join(root, "packages", name, "src");
    const files = filesIn(src).filter((file) => file.endsWith(".ts"));
    found.set(`packages/${name}`, unique(files.flatMap((file) => textsInSource(readFileSync(file, "utf8")))));
  }
  for (const place of prose) {
    const files = place.endsWith(".md")
      ? [join(root, place)]
      : filesIn(join(root, place)).filter((file) => file.endsWith(".md"));
    // A generated page repeats what is in the sources.
    const written = files
      .map((file) => readFileSync(file, "utf8"))
      .filter((text) => !text.startsWith("<!-- Written by"));
    found.set(place, unique(written.flatMap(sentencesIn)));
  }
  return found;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => join(folder, file))
    .toSorted();
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].toSorted();
}

/** Literals and templates of three words or more. */
export function textsInSource(source: string): string[] {
  const texts: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const each of node) visit(each);
    if (typeof node !== "object" || node === null || !("type" in node)) return;
    const { type } = node;
    if (type === "ImportDeclaration" || type === "ExportAllDeclaration" || type === "TSLiteralType") return;
    if (type === "Literal" && "value" in node && typeof node.value === "string") texts.push(node.value);
    if (type === "TemplateLiteral" && "quasis" in node) {
      const parts = node.quasis as { readonly value: { readonly cooked: string | null } }[];
      texts.push(parts.map(({ value }) => value.cooked ?? "").join("…"));
    }
    for (const inner of Object.values(node)) visit(inner);
  };
  visit(parseAst(source, { lang: "ts" }));
  return texts.map((text) => text.replace(/\s+/g, " ").trim()).filter(isProse);
}

function isProse(text: string): boolean {
  const words = text.match(/(?<![\w-])[A-Za-z][a-z']*(?![\w-])/g) ?? [];
  const isCode =
    /[{};=<>]{2}|^[.#/<[($@]|=>|\bfunction\b|^\w+\(|^import |^diff |^https?:\S+$|\(\?[:<!=]|\{ [a-z-]+: [^}]*; \}/.test(
      text,
    );
  const isWordList = words.length > 8 && !/\b(?:a|an|and|for|in|is|it|not|of|or|the|to|with|you)\b/.test(text);
  return words.length >= 3 && text.split(" ").length >= 3 && !isCode && !isWordList;
}

/** Sentences of Markdown outside of code, tables and headings. */
function sentencesIn(markdown: string): string[] {
  const text = markdown
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .replace(/^(?:```|~~~)[\s\S]*?^(?:```|~~~)$/gm, "")
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/^(?:#|\|).*$/gm, "");
  const paragraphs = text.split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/);
  return paragraphs
    .flatMap((paragraph) =>
      paragraph
        .replace(/\s+/g, " ")
        .trim()
        .split(/(?<=[.!?:])\s+(?=[A-Z`*[])/),
    )
    .map((sentence) => sentence.replace(/^(?:[-*]|\d+\.) /, ""))
    .filter(isProse);
}

/** The same `count` texts for the same seed: those whose hashes come first. A new text changes the draw by at most one. */
export function drawn(texts: readonly string[], count: number, seed: number): string[] {
  const hashes = new Map(
    texts.map((text) => [text, createHash("sha256").update(`${seed}\n${text}`).digest("hex")] as const),
  );
  return [...hashes]
    .toSorted(([, one], [, other]) => (one < other ? -1 : 1))
    .slice(0, count)
    .map(([text]) => text);
}
