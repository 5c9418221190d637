/** Orders by code point, which is also the order of the UTF-8 bytes and the same on every system and locale. */
export function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return weight(left) - weight(right);
  }
  return a.length - b.length;
}

const SURROGATE = /[\ud800-\udfff]/;

/** How to sort texts by code point. Without surrogates, native comparison by UTF-16 units gives the same order. */
export function codePointOrder(texts: readonly string[]): (a: string, b: string) => number {
  return texts.some((text) => SURROGATE.test(text)) ? compareCodePoints : (a, b) => (a < b ? -1 : a === b ? 0 : 1);
}

/** Surrogates stand for the highest code points, but are numbered below U+E000 to U+FFFF. */
function weight(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
