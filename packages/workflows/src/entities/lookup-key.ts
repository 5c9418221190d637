/**
 * What lookups compare: names that differ only in case, or in how a file system composes their accents, are one name.
 *
 * @example
 * lookupKey("Commit") === lookupKey("commit"); // true
 */
export function lookupKey(name: string): string {
  return name.toLowerCase().normalize("NFC");
}
