import { emptyLock, type Lock } from "@atomic/workflows/internal/hugo-lock/lock";
import { LockError, parseLock } from "@atomic/workflows/internal/hugo-lock/parse-lock";
import { HugoError } from "../../errors.ts";

/** What hugo.json says; nothing is installed where there is none. Whoever reads it here or elsewhere is refused alike. */
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
