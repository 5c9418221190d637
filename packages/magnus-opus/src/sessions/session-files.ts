import { readdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { SessionError } from "./session-error.ts";
import { type SessionMeta, sessionMeta } from "./session-meta.ts";

/** Names of the folders in a folder, links left out. Nothing if there is no such folder. */
export function foldersIn(folder: string): readonly string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

/** All files below a folder. What is neither a file nor a folder may lead elsewhere, and is refused. */
export function filesIn(folder: string): readonly string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    if (entry.isFile()) return [path];
    throw new SessionError(
      "unsafe-file",
      `${path} is neither a file nor a folder, so nothing was changed.`,
      "Look at it, and remove it yourself.",
    );
  });
}

/** Removes the folder with those inside it, as far as nothing is left in them. */
export function removeEmptyFolders(folder: string): void {
  for (const name of foldersIn(folder)) removeEmptyFolders(join(folder, name));
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!isOneOf(error, "ENOENT", "ENOTEMPTY")) throw error;
  }
}

/** A file that a person has changed may say anything: then it says nothing. */
export function readMeta(file: string): SessionMeta | undefined {
  try {
    const parsed = z.safeParse(sessionMeta, JSON.parse(readFileSync(file, "utf8")));
    return parsed.data;
  } catch (error) {
    if (error instanceof SyntaxError || isOneOf(error, "ENOENT", "EISDIR")) return undefined;
    throw error;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isOneOf(error, "ENOENT")) return [];
    throw error;
  }
}

function isOneOf(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(error.code as string);
}
