/**
 * What `String(value)` is in a tool whose YAML maps are ordinary objects: `[object Object]`, and `a,b` for a list. The maps
 * of our own YAML reader have no prototype, so `String` itself would throw on them.
 */
export function stringOf(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => (item === null ? "" : stringOf(item))).join(",");
  if (value instanceof Date) return value.toString();
  return typeof value === "object" && value !== null ? "[object Object]" : String(value);
}
