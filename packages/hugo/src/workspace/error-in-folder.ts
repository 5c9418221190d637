import { isAbsolute, relative, sep } from "node:path";
import { HugoError } from "../errors.ts";
import { isWithin } from "../opencode/is-within.ts";

/** A folder's name as seen from `cwd`: relative if it is below, else the absolute path. */
export function folderFrom(cwd: string, folder: string): string {
  return isWithin(cwd, folder) ? relative(cwd, folder).split(sep).join("/") || "." : folder;
}

/** A place in a package, such as `package.json:2:1`, as a path that the reader can open. */
export function placeInFolder(folder: string, at: string): string {
  if (folder === "." || isAbsolute(at)) return at;
  return at === "." ? folder : `${folder.replace(/\/$/, "")}/${at}`;
}

/** Whether an error is about a package's files and names them by their paths in the package. */
export function isAboutPackageFiles(error: unknown): error is HugoError {
  return error instanceof HugoError && (error.code === "manifest-invalid" || error.code === "content-invalid");
}

/** The same error with its places in the folder that the package was read from. */
export function errorInFolder(error: unknown, folder: string): unknown {
  if (!isAboutPackageFiles(error) || error.at === undefined) return error;
  const { code, message, at, hint, parts } = error;
  const located = parts.map((part) => ({ ...part, at: placeInFolder(folder, part.at) }));
  const whole = message.startsWith(at) ? placeInFolder(folder, message) : message;
  return new HugoError(code, {
    message: located.map((part) => `${part.at}: ${part.message}`).join("; ") || whole,
    at: placeInFolder(folder, at),
    hint,
    parts: located,
    cause: error,
  });
}
