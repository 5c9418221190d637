import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";

/** Why nothing can be written in a folder, or in what is there of the way to it: `EACCES`, `EROFS`. Undefined if it can. */
export function whyUnwritable(folder: string): string | undefined {
  let at = folder;
  while (!isFolder(at) && at !== dirname(at)) at = dirname(at);
  try {
    accessSync(at, constants.W_OK);
    return undefined;
  } catch (error) {
    return codeOf(error);
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
