import type * as nodeCrypto from "node:crypto";
import type { Hash } from "@atomic/durable-files/files/hash";

/** In the form of `@atomic/durable-files`, so the two can be compared. */
export function hashOf(bytes: Uint8Array | string): Hash {
  return `sha256:${startHash().update(bytes).digest("hex")}`;
}

/** Loaded on first use: read-only commands need no hashes, and in Bun loading this costs more than everything else. */
export function startHash(): nodeCrypto.Hash {
  return process.getBuiltinModule("node:crypto").createHash("sha256");
}
