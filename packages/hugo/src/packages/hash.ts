import type * as nodeCrypto from "node:crypto";
import type { Hash } from "@atomic/durable-files/files/hash";

/** As `@atomic/durable-files` writes it, so the two can be compared. */
export function hashOf(bytes: Uint8Array | string): Hash {
  return `sha256:${startHash().update(bytes).digest("hex")}`;
}

/** Loaded with its first use: commands that only look need no hashes, and in Bun this costs more than all the rest. */
export function startHash(): nodeCrypto.Hash {
  return process.getBuiltinModule("node:crypto").createHash("sha256");
}
