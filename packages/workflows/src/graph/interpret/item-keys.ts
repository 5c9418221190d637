import type { Json } from "../../run/json.ts";

const longest = 40;

/**
 * The part of each item's path that names the item. It follows from the item alone, so it stays the same when the list gets
 * other items: its text if that can be part of a path, otherwise what can be of it and a hash. Equal items are numbered.
 */
export function itemKeys(items: readonly Json[]): readonly string[] {
  const times = new Map<string, number>();
  return items.map((item) => {
    const key = keyOf(typeof item === "string" ? item : JSON.stringify(item));
    const before = times.get(key) ?? 0;
    times.set(key, before + 1);
    // `~` is in no key, so a number never makes it another item's.
    return before === 0 ? key : `${key}~${before + 1}`;
  });
}

/** The hash has 41 bits. Items with the same words and hash are numbered like equal ones, so they are still kept apart. */
function keyOf(text: string): string {
  if (text.length <= longest && /^[A-Za-z0-9_-]+$/.test(text)) return text;
  let words = "";
  let isBetween = false;
  let one = 0x811c9dc5;
  let two = 0x9747b28c;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    two = Math.imul(two ^ code, 0x85ebca6b);
    if (words.length >= longest) continue;
    if (isWordCharacter(code)) {
      words += isBetween && words !== "" ? `-${text[at]}` : text[at];
      isBetween = false;
    } else isBetween = true;
  }
  const hash = ((two >>> 12) * 2 ** 32 + (one >>> 0)).toString(36).slice(-8);
  return words === "" ? hash : `${words}-${hash}`;
}

/** A letter or a digit of ASCII, or `_`. */
function isWordCharacter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95;
}
