import { DurableError } from "../errors.ts";

/** The errno name ("ENOENT") of a failed file-system call, or undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Runs one file-system call; true if it worked, false after a failure named in `expected`. Any other failure is thrown. */
export function attempt(call: () => void, ...expected: string[]): boolean {
  try {
    call();
    return true;
  } catch (error) {
    if (expected.includes(errnoOf(error) ?? "")) return false;
    throw error;
  }
}

/** The result of one file-system call, or undefined after a failure named in `expected`. Any other failure is thrown. */
export function attemptTo<T>(call: () => T, ...expected: string[]): T | undefined {
  try {
    return call();
  } catch (error) {
    if (expected.includes(errnoOf(error) ?? "")) return undefined;
    throw error;
  }
}

/** A failed file-system call as an error that says what it means for the user; any other error stays what it is. */
export function explain(error: unknown, what: string, hint: string, at?: string): unknown {
  if (errnoOf(error) === undefined) return error;
  return new DurableError("io", { message: `${what}: ${(error as Error).message}`, at, hint, cause: error });
}
