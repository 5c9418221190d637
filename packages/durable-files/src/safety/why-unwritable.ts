import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * What keeps a folder from being written: the folder itself, or what is there of the way to it, and the system's reason, such
 * as `EACCES`. Undefined if it can be written.
 */
export function whyUnwritable(folder: string): { readonly at: string; readonly code: string } | undefined {
  let at = folder;
  while (!isFolder(at) && at !== dirname(at)) at = dirname(at);
  try {
    accessSync(at, constants.W_OK);
    return undefined;
  } catch (error) {
    return { at, code: codeOf(error) };
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    codeOf(error);
    return false;
  }
}

/** The system's code; any other error is thrown again. */
function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  throw error;
}
