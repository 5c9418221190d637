/** How files begin that only a viewer reads, in hexadecimal: PNG, JPEG, GIF, WebP; TrueType, OpenType, WOFF. */
const BEGINNINGS: readonly (readonly [type: string, beginning: RegExp])[] = [
  ["picture", /^(?:89504e470d0a1a0a|ffd8ff|474946383[79]61|52494646.{8}57454250)/],
  ["font", /^(?:0001000000|4f54544f00|774f46(?:46|32))/],
];

/** `picture` or `font`, if the file begins like one; undefined if it could be anything. */
export function mediaType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 16)).toString("hex");
  return BEGINNINGS.find(([, beginning]) => beginning.test(start))?.[0];
}
