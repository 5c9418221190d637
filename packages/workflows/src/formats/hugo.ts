import type { Format } from "./format.ts";

/**
 * Workflows that Hugo installed. Their files lie in Hugo's store, and the lock says which of them count; both come with
 * Hugo. This format then gets a place for that lock (`kind: "config"`), whose `read` follows it into the store.
 * Installed entities rank below the user's own of the same location.
 */
export const hugo: Format = { provider: "hugo", places: [] };
