import { isExplained } from "@atomic/durable-files/explained-error";
import type { Context } from "../context.ts";
import { readLock } from "./lock-file/read-lock.ts";
import { placeFor } from "./place.ts";
import { textIn } from "./read-text.ts";
import { Reads } from "./reads.ts";
import { errnoOf } from "./store/remove-tree.ts";

/** For completion. None if something is wrong with hugo.json: every command says what. */
export function installedNames(context: Pick<Context, "cwd" | "home" | "env">, global: boolean): string[] {
  try {
    const { lockFile } = placeFor(context, { global });
    return [...readLock(textIn(new Reads(), lockFile, "lock-invalid"), lockFile).workflows.keys()];
  } catch (error) {
    if (!isExplained(error) && errnoOf(error) === undefined) throw error;
    return [];
  }
}
