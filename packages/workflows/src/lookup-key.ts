/**
 * What lookups compare: names that differ only in case, or in how a file system composes their accents, are one name.
 *
 * @example
 * lookupKey("Commit") === lookupKey("commit"); // true
 */
export function lookupKey(name: string): string {
  const lower = name.toLowerCase();
  return isAscii.test(lower) ? lower : lower.normalize("NFC");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII has them
const isAscii = /^[\x00-\x7f]*$/;
