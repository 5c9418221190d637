/** Identifies the bytes of a file: `sha256:` and 64 hex digits. */
export type Hash = `sha256:${string}`;

export function isHash(text: string): text is Hash {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}
