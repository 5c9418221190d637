import { findHiddenCharacters } from "@atomic/terminal/hidden-characters";

/** One JSON document on a line, which is safe on a terminal, too: what cannot be seen is escaped. */
export function jsonLine(document: object): string {
  const text = JSON.stringify(document);
  let safe = "";
  let done = 0;
  for (const { offset, codePoint } of findHiddenCharacters(text)) {
    const character = String.fromCodePoint(codePoint);
    safe += text.slice(done, offset) + escaped(character);
    done = offset + character.length;
  }
  return `${safe}${text.slice(done)}\n`;
}

function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
    .join("");
}
