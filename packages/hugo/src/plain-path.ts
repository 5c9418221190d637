import { isReservedOnWindows } from "@atomic/durable-files/names";

/**
 * Whether a relative path is plain: with `/`, without detours, and valid on every system. It says nothing about links;
 * `joinInside` does, right before the path is used.
 */
export function isPlainPath(path: string): boolean {
  if (/[\p{Cc}\\:]/u.test(path) || path.length > 1024) return false;
  return path.split("/").every((part) => part !== "" && !/^ |^\.{1,2}$|[. ]$/.test(part) && !isReservedOnWindows(part));
}
