// Where a path leads, as far as the text of it tells. Whoever calls has followed symbolic links before.
import { isAbsolute, relative, resolve } from "node:path";
import type { RunState } from "./state.ts";

export type Place =
  | { readonly kind: "session"; readonly path: string }
  | { readonly kind: "project"; readonly path: string; readonly isTest: boolean }
  /** Nobody's during a run: what governs it, and what lies outside. */
  | { readonly kind: "off-limits"; readonly what: string };

const tests =
  /(^|\/)(tests?|__tests__|e2e)\/|\.(test|spec)\.[cm]?[jt]sx?$|(^|\/)(vitest|playwright|jest)[.\w-]*\.[cm]?[jt]s$/i;

export function placeOf(state: Pick<RunState, "worktree" | "folder">, path: string, directory?: string): Place {
  const way = relative(state.worktree, resolve(directory ?? state.worktree, path)).replaceAll("\\", "/");
  if (way === "" || way === ".." || way.startsWith("../") || isAbsolute(way) || path.includes("\0")) {
    return { kind: "off-limits", what: "it is outside the project" };
  }
  // Some file systems take these for the same name.
  const parts = way
    .normalize("NFC")
    .toLowerCase()
    .split("/")
    .map((part) => part.replace(/[. ]+$/, ""));
  if (parts.includes(".git")) return { kind: "off-limits", what: "it belongs to git" };
  if (parts.includes(".opencode") || /^(opencode|magnus-opus)\.jsonc?$/.test(parts.at(-1)!)) {
    return { kind: "off-limits", what: "it is a setting of OpenCode or of this run" };
  }
  const sessions = `${state.folder.slice(0, state.folder.lastIndexOf("/"))}/`.toLowerCase();
  const folder = `${state.folder}/`.toLowerCase();
  const plain = parts.join("/");
  if (!`${plain}/`.startsWith(sessions)) return { kind: "project", path: way, isTest: tests.test(way) };
  const inside = plain.slice(folder.length);
  if (!plain.startsWith(folder) || inside === "") return { kind: "off-limits", what: "it belongs to another run" };
  if (/^(journal|session-meta|\.)/.test(inside)) return { kind: "off-limits", what: "it is the record of the run" };
  return { kind: "session", path: inside };
}
