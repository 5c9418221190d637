import type * as nodeCrypto from "node:crypto";

/** As `@atomic/durable-files` writes it, so that the two can be compared. */
export type Hash = `sha256:${string}`;

export function hashOf(bytes: Uint8Array | string): Hash {
  return `sha256:${startHash().update(bytes).digest("hex")}`;
}

/** Loaded with its first use: commands that only look need no hashes, and in Bun this costs more than all the rest. */
export function startHash(): nodeCrypto.Hash {
  return process.getBuiltinModule("node:crypto").createHash("sha256");
}

export function isHash(text: string): text is Hash {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}
