import { isReservedOnWindows } from "./names.ts";

/** What nearly all paths look like. Hundreds of them are checked before a command does anything. */
const SIMPLE = /^[\w-]+(?:\.[\w-]+)*(?:\/[\w-]+(?:\.[\w-]+)*)*$/;
const RESERVED_IN_SIMPLE = /(?:^|\/)(?:con|prn|aux|nul|com\d|lpt\d)(?:[./]|$)/i;

/**
 * Whether a relative path is plain: with `/`, without detours, and valid on every system. It says nothing about links;
 * `joinInside` does, right before the path is used.
 */
export function isPlainPath(path: string): boolean {
  if (path.length <= 1024 && SIMPLE.test(path)) return !RESERVED_IN_SIMPLE.test(path);
  return isPlainByParts(path);
}

/** The same, for any characters. */
export function isPlainByParts(path: string): boolean {
  if (/[\p{Cc}\\:]/u.test(path) || path.length > 1024) return false;
  return path.split("/").every((part) => part !== "" && !/^ |^\.{1,2}$|[. ]$/.test(part) && !isReservedOnWindows(part));
}
