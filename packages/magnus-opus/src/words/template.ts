// Texts for people and models are Markdown files in `words/`. This module only fills them in.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../package-root.ts";

export type TemplateValues = Readonly<Record<string, string>>;

const texts = new Map<string, string>();

/** A file of `words/`, by its name without `.md`. */
export function words(name: string): string {
  const known = texts.get(name);
  if (known !== undefined) return known;
  const text = readFileSync(join(packageRoot, "words", `${name}.md`), "utf8").trim();
  texts.set(name, text);
  return text;
}

/** A text with its `{{name}}` placeholders filled in. A paragraph or line whose placeholders are all empty is left out. */
export function say(name: string, values: TemplateValues = {}): string {
  return fill(words(name), values, name);
}

/** One pass: filled-in values are never expanded again. */
export function fill(template: string, values: TemplateValues, name = "the text"): string {
  const isGone = (text: string): boolean => {
    const places = [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, place = ""]) => place);
    const unknown = places.find((place) => !Object.hasOwn(values, place));
    if (unknown !== undefined) throw new Error(`words/${name}.md needs {{${unknown}}}, which has no value.`);
    return places.length > 0 && places.every((place) => values[place] === "");
  };
  const kept = template
    .split(/\n{2,}/)
    .filter((paragraph) => !isGone(paragraph))
    .map((paragraph) => paragraph.split("\n").filter((line) => !isGone(line)));
  const text = kept.map((lines) => lines.join("\n")).join("\n\n");
  return text.replace(/\{\{(\w+)\}\}/g, (_, place: string) => values[place]!);
}

export function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}
