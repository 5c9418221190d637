import { createHash } from "node:crypto";

/** As `@atomic/durable-files` writes it, so that the two can be compared. */
export type Hash = `sha256:${string}`;

export function hashOf(bytes: Uint8Array | string): Hash {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

export function isHash(text: string): text is Hash {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}
