// `ai-docs/sessions/<id>/`: a run's artifacts.

import { type Dirent, mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { join, relative } from "node:path";
import { ExplainedError } from "@atomic/durable-files/explained-error";
import { readForEdit } from "@atomic/durable-files/files/read-for-edit";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { didYouMean } from "@atomic/terminal/suggest";
import * as z from "zod/mini";
import type { Config } from "../config/schema.ts";
import { sessionIdPattern } from "./session-id.ts";
import { type SessionMeta, sessionMeta, sessionMetaFile } from "./session-meta.ts";
import { sessionsFolder } from "./workplace.ts";

export type SessionErrorCode =
  | "session-not-found" // no session has this id
  | "session-ambiguous" // several sessions start with this id
  | "session-id-invalid" // this is not a session id
  | "unsafe-file"; // a session folder contains a link or something else that is neither a file nor a folder

/** A session operation that is not possible. */
export class SessionError extends ExplainedError {
  override readonly name = "SessionError";
  declare readonly code: SessionErrorCode;
  declare readonly hint: string;

  constructor(code: SessionErrorCode, message: string, hint: string) {
    super(code, { message, hint });
  }

  override get exitCode(): number {
    return this.code === "unsafe-file" ? 3 : 1;
  }
}

const archiveFolder = "archive";
/** A transaction's working folder. No session can have this name. */
const stateFolder = ".state";

/** A session in the list. Without `meta`, its metadata is missing or invalid. */
export interface SessionSummary {
  readonly id: string;
  readonly folder: string;
  readonly meta: SessionMeta | undefined;
}

/** A project's sessions. A name becomes a path only if it is in the list. */
export class Sessions {
  readonly folder: string;

  constructor(project: string) {
    this.folder = join(project, sessionsFolder);
  }

  /** Newest first. */
  list(): readonly SessionSummary[] {
    return entriesOf(this.folder)
      .filter((entry) => entry.isDirectory() && sessionIdPattern.test(entry.name))
      .map(({ name: id }) => {
        const folder = join(this.folder, id);
        try {
          const meta: unknown = JSON.parse(readFileSync(join(folder, sessionMetaFile), "utf8"));
          return { id, folder, meta: z.safeParse(sessionMeta, meta).data };
        } catch (error) {
          if (error instanceof SyntaxError || isOneOf(error, "ENOENT", "EISDIR"))
            return { id, folder, meta: undefined };
          throw error;
        }
      })
      .sort((a, b) => (sortKey(a.id) < sortKey(b.id) ? 1 : -1));
  }

  /** The session with that id or unique prefix. */
  find(id: string): SessionSummary {
    const all = this.list();
    const alike = id === "" ? [] : all.filter((session) => session.id.startsWith(id));
    const found = all.find((session) => session.id === id) ?? (alike.length === 1 ? alike[0] : undefined);
    if (found !== undefined) return found;
    if (alike.length > 1)
      throw new SessionError("session-ambiguous", `Several sessions start with "${id}".`, `They are ${names(alike)}.`);
    const [best] = didYouMean(
      id,
      all.map((session) => session.id),
    );
    const some = all.length === 0 ? "This project has no sessions." : `There are ${names(all.slice(0, 5))}.`;
    const hint = best === undefined ? some : `Did you mean ${best}?`;
    throw new SessionError("session-not-found", `There is no session "${id}".`, hint);
  }

  /** Creates the folder with subfolders for the reviews, and writes its metadata. */
  async create(meta: SessionMeta): Promise<string> {
    if (!sessionIdPattern.test(meta.id))
      throw new SessionError("session-id-invalid", `"${meta.id}" is not a session id.`, "");
    const folder = join(this.folder, meta.id);
    for (const kind of ["plan-review", "code-review"]) mkdirSync(join(folder, "reviews", kind), { recursive: true });
    await this.save(meta);
    return folder;
  }

  async save(meta: SessionMeta): Promise<void> {
    const path = join(this.folder, meta.id, sessionMetaFile);
    await transaction(join(this.folder, stateFolder), [{ path, content: `${JSON.stringify(meta, null, 2)}\n` }]);
  }

  /** `path` is relative to the session's folder. */
  async writeReport(id: string, path: string, content: string): Promise<void> {
    const { folder } = this.find(id);
    await transaction(join(this.folder, stateFolder), [{ path: join(folder, path), content }]);
  }

  /** Removes the session with everything in it. */
  async remove(id: string): Promise<SessionSummary> {
    const session = this.find(id);
    const removals = filesIn(session.folder).map(
      (path) => ({ path, delete: true, expect: readForEdit(path).hash }) as const,
    );
    await transaction(join(this.folder, stateFolder), removals, { pruneEmptyUpTo: this.folder });
    removeEmptyFolders(session.folder);
    return session;
  }

  /** Moves the session to `ai-docs/sessions/archive`, where it is no longer listed. */
  async archive(id: string): Promise<string> {
    const session = this.find(id);
    const target = join(this.folder, archiveFolder, session.id);
    const moves = filesIn(session.folder).flatMap((path) => {
      const { bytes, hash } = readForEdit(path);
      const there = join(target, relative(session.folder, path));
      return [
        { path: there, content: bytes, expect: "absent" } as const,
        { path, delete: true, expect: hash } as const,
      ];
    });
    await transaction(join(this.folder, stateFolder), moves, { pruneEmptyUpTo: this.folder });
    removeEmptyFolders(session.folder);
    return target;
  }
}

function names(sessions: readonly SessionSummary[]): string {
  return sessions.map(({ id }) => id).join(", ");
}

/** Sorts sessions by their start, which is part of the id. */
function sortKey(id: string): string {
  return `${/\d{8}-\d{6}/.exec(id)?.[0] ?? ""} ${id}`;
}

const usualDays = 30;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * Sessions that have ended and are old enough to remove, if configured. `endedAt` asks the run's journal: anyone can write
 * `session-meta.json`. A session that the journal does not call ended stays.
 */
export function expiredSessions(
  sessions: readonly SessionSummary[],
  settings: Config["sessionSettings"],
  now: number,
  endedAt: (id: string) => number | undefined,
): readonly SessionSummary[] {
  if (!settings?.autoCleanup) return [];
  const oldest = now - (settings.retentionDays ?? usualDays) * dayMs;
  return sessions.filter(({ id }) => (endedAt(id) ?? Number.POSITIVE_INFINITY) < oldest);
}

/** All files below a folder. Anything else, such as a link, may lead elsewhere and is refused. */
function filesIn(folder: string): readonly string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    if (entry.isFile()) return [path];
    throw new SessionError(
      "unsafe-file",
      `${path} is neither a file nor a folder, so nothing was changed.`,
      "Check it, then remove it yourself.",
    );
  });
}

/** Removes the folder and its subfolders if they are empty. */
function removeEmptyFolders(folder: string): void {
  for (const entry of entriesOf(folder)) {
    if (entry.isDirectory()) removeEmptyFolders(join(folder, entry.name));
  }
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!isOneOf(error, "ENOENT", "ENOTEMPTY")) throw error;
  }
}

/** Empty if the folder does not exist. */
export function entriesOf(folder: string): Dirent[] {
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
