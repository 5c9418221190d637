// The screens in the guide are those of the real program. `bun scripts/screenshots.ts terminal` writes them into it, and draws the
// pictures in docs/images.
import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OpencodeTerminal } from "./opencode-terminal.ts";
import { takePicture } from "./screen-picture.ts";

const docs = join(import.meta.dirname, "../../docs");
const file = join(docs, "guide/inside-opencode.md");
/** Those that the guide also shows as pictures. */
const pictures: ReadonlySet<string> = new Set(["hint", "dialog", "session", "plan"]);

/** What a screen looks like to a reader: without empty rows at its ends, and with the same names every time. */
function readable(oc: OpencodeTerminal): string {
  const rows = oc.term.screen().filter((row) => !row.includes("● Tip"));
  const text = rows.map((row) => row.trimEnd()).join("\n");
  const named = oc.runIds().reduce(
    (all, id) =>
      all.replaceAll(new RegExp(`${id}( {2,})?`, "g"), (_, gap = "") => {
        const room = gap === "" ? 0 : Math.max(2, gap.length + id.length - "calm-otter".length);
        return `calm-otter${" ".repeat(room)}`;
      }),
    text,
  );
  const plain = named
    .replaceAll(/\/\S*\/atomic-\w+\/project(?::main)?/g, "~/shop")
    .replaceAll(/ses_\w+/g, "ses_1")
    .replaceAll(/\n{3,}/g, "\n\n")
    .replace(/^\n+|\n+$/g, "");
  const margin = Math.min(...plain.split("\n").map((row) => (row === "" ? Infinity : row.search(/\S/))));
  return plain.replaceAll(new RegExp(`^ {${margin}}`, "gm"), "");
}

/** Without what differs from run to run: times, versions, and how wide that makes columns. */
function loose(text: string): string {
  return text
    .replaceAll(/\b(?:\d+m )?\d+(?:\.\d+)?m?s\b/g, "<duration>")
    .replaceAll(/\b1\.\d+\.\d+$/gm, "<version>")
    .replaceAll(/[⬝■]{8}/g, "…")
    .replaceAll(/"(?:Fix|What)[^"]*"/g, '"…"')
    .replaceAll(/ +/g, " ")
    .replaceAll(/\n\s*\n/g, "\n")
    .trim();
}

/** Compares the screen with the one of that name in the guide, or writes it there. */
export async function inGuide(name: string, oc: OpencodeTerminal): Promise<void> {
  const guide = readFileSync(file, "utf8");
  const block = new RegExp(`(<!-- screen: ${name} -->\\n\`\`\`text\\n)([^]*?)\\n?(\`\`\`)`);
  const [, , shown] = block.exec(guide) ?? [];
  if (shown === undefined) throw new Error(`${file} has no screen "${name}".`);
  const image = `images/opencode-${name}.png`;
  if (pictures.has(name) && !guide.includes(`](../${image})`)) throw new Error(`${file} does not show ${image}.`);
  const now = readable(oc);
  if (process.env.UPDATE) {
    const updated = guide.replace(block, (_, start, __, end) => `${start}${now}\n${end}`);
    writeFileSync(file, updated);
    if (pictures.has(name)) await takePicture(oc.term, join(docs, image));
  } else expect(loose(now)).toBe(loose(shown));
}
