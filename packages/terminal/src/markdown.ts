// Markdown of unknown origin on a terminal: line by line, with its line breaks. Nothing is left out, so nothing can hide in it.
import { escapeForTerminal } from "./hidden-characters.ts";
import type { Page } from "./page.ts";
import { type Paint, painter } from "./paint.ts";
import { type Margins, paragraph } from "./wrap.ts";

/** Ends its last line. Marks become colours where there are any, and stay where there are none. */
export function markdownText(text: string, page: Page, { lead = "", indent }: Margins): string {
  const paint = painter(page.colour);
  let fence: string | undefined;
  const lines = linesOf(text).map((line, at) => {
    const margin = at === 0 ? lead : indent;
    const wrapped = (shown: string, mark = ""): string =>
      paragraph(shown, page, { lead: margin + mark, indent: indent + " ".repeat(mark.length) });
    const [, mark] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined;
      return `${margin}${paint("dim", line)}\n`;
    }
    // Code and tables mean something only as they are written.
    if (fence !== undefined || /^( {4}(?! *([-*+]|\d+[.)]) )|\s*\|)/.test(line)) return `${margin}${line}\n`;
    if (line === "") return `${margin.trimEnd()}\n`;
    if (!page.colour) {
      const [item = ""] = /^\s*([-*+]|\d+[.)]|>) +/.exec(line) ?? [];
      return wrapped(line.slice(item.length), item);
    }
    const [, heading] = /^#{1,6} +(.*)/.exec(line) ?? [];
    if (heading !== undefined) return wrapped(paint("bold", heading));
    if (/^ {0,3}([-*_])( *\1){2,} *$/.test(line)) return `${margin}${paint("dim", "─".repeat(24))}\n`;
    const [item = "", space = "", bullet = ""] = /^(\s*)([-*+]|\d+[.)]|>) +/.exec(line) ?? [];
    const shownMark = item === "" ? "" : `${space}${marks[bullet] ?? bullet} `;
    return wrapped(inline(line.slice(item.length), paint), shownMark);
  });
  return lines.join("");
}

/** One line without its marks, which a place without room for them shows as they are. */
export function withoutMarks(line: string): string {
  // What is strong may have code in it, and code has no marks.
  const plain: Paint = (colour, text) => (colour === "bold" ? inline(text, plain) : text);
  return inline(line.replace(/^\s*(?:#{1,6}|[-*+]|>) +/, ""), plain);
}

/** The same text without any Markdown in it. */
export function plainLines(text: string, { lead = "", indent }: Margins): string {
  return linesOf(text)
    .map((line, at) => `${at === 0 ? lead : indent}${line}\n`)
    .join("");
}

const marks: Readonly<Record<string, string>> = { "-": "•", "*": "•", "+": "•", ">": "│" };

function linesOf(text: string): string[] {
  return escapeForTerminal(text.trim())
    .replaceAll("\t", "    ")
    .split(/\r?\n/)
    .map((line) => line.trimEnd());
}

function inline(line: string, paint: Paint): string {
  return line.replace(
    /(`+)(.+?)\1(?!`)|(\*\*|__)(?=\S)(.+?)\3|\[([^\]]+)\]\(([^()\s]+)\)/g,
    (_whole, _ticks, code?: string, _stars?: string, strong?: string, label?: string, url?: string) => {
      if (code !== undefined) return paint("cyan", code);
      return strong === undefined ? `${label} ${paint("dim", `(${url})`)}` : paint("bold", strong);
    },
  );
}
