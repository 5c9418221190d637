import { type MarkdownFile, placeIn } from "./markdown-file.ts";

/** `commands/a.md:7:3` for an offset of the text. */
export function placeInBody(file: Pick<MarkdownFile, "source" | "text">, offset: number): string {
  const before = file.text.slice(0, offset).split("\n");
  return placeIn(file, { line: before.length, column: (before.at(-1) ?? "").length + 1 });
}
