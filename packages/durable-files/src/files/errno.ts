import { DurableError } from "../errors.ts";

/** The errno name ("ENOENT") of a failed file-system call, or undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Runs one file-system call and says whether it worked; a failure named in `expected` is an answer, any other one is thrown. */
export function attempt(call: () => void, ...expected: string[]): boolean {
  try {
    call();
    return true;
  } catch (error) {
    if (expected.includes(errnoOf(error) ?? "")) return false;
    throw error;
  }
}

/** A failed file-system call as an error that says what it means for the user; any other error stays what it is. */
export function explain(error: unknown, what: string, hint: string, at?: string): unknown {
  if (errnoOf(error) === undefined) return error;
  const { message } = error as Error;
  return new DurableError("io", {
    message: `${what}: ${message}`,
    hint,
    cause: error,
    ...(at === undefined ? {} : { at }),
  });
}
