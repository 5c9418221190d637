import { isExplained } from "@atomic/durable-files/explained-error";
import { emptyLock, type Lock } from "@atomic/workflows/internal/hugo-lock/lock";
import { LockError, parseLock } from "@atomic/workflows/internal/hugo-lock/parse-lock";
import type { Context } from "../context.ts";
import { HugoError } from "../errors.ts";
import { placeFor } from "./place.ts";
import { SeenFiles, textIn } from "./seen-files.ts";
import { errnoOf } from "./store/disk.ts";

/** The content of hugo.json; without one, nothing is installed. Every reader refuses the same errors. */
export function readLock(text: string | undefined, file: string): Lock {
  if (text === undefined) return emptyLock;
  try {
    return parseLock(text, file);
  } catch (error) {
    if (!(error instanceof LockError)) throw error;
    const { code, message, at, hint } = error;
    throw new HugoError(code, { message, at, hint, cause: error });
  }
}

/** For completion. Empty if hugo.json is invalid: every command reports that. */
export function installedNames(context: Pick<Context, "cwd" | "home" | "env">, global: boolean): string[] {
  try {
    const { lockFile } = placeFor(context, { global });
    return [...readLock(textIn(new SeenFiles(), lockFile, "lock-invalid"), lockFile).workflows.keys()];
  } catch (error) {
    if (!isExplained(error) && errnoOf(error) === undefined) throw error;
    return [];
  }
}
