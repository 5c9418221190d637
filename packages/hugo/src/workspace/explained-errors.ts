import { DurableError, type DurableErrorCode } from "@atomic/durable-files/errors";
import { HugoError, type HugoErrorCode } from "../errors.ts";
import { errnoOf } from "./store/disk.ts";

const meanings: Partial<Record<DurableErrorCode, HugoErrorCode>> = {
  changed: "changed-meanwhile",
  locked: "busy",
  fenced: "busy",
  "unsafe-path": "place-unsafe",
  "unsafe-file": "place-unsafe",
  syntax: "config-invalid",
  shape: "config-invalid",
  damaged: "unfinished",
  unfinished: "unfinished",
  io: "disk-refused",
};

/** What an error from a lower layer means for Hugo's user; a bug in Hugo stays as it is. */
function explain(error: unknown): unknown {
  if (error instanceof DurableError) {
    const code = meanings[error.code];
    if (code === undefined) return error;
    const { message, at, hint = "Fix the problem above, then run the command again." } = error;
    return new HugoError(code, { message, at, hint, cause: error });
  }
  if (errnoOf(error) === undefined) return error;
  const { message, path } = error as NodeJS.ErrnoException;
  return new HugoError("disk-refused", {
    message,
    hint: "Fix the problem above (permissions, free space), then run the command again. Nothing was changed.",
    at: path,
    cause: error,
  });
}

export async function withExplainedErrors<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw explain(error);
  }
}

export function withExplainedErrorsSync<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw explain(error);
  }
}
