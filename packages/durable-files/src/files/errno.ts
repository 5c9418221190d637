import { DurableError } from "../errors.ts";

/** The errno name ("ENOENT") of a failed file-system call, or undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** What one file-system call returned, or undefined after a failure named in `expected`. Any other failure is thrown. */
export function attempt<T>(call: () => T, ...expected: string[]): { value: T } | undefined {
  try {
    return { value: call() };
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
