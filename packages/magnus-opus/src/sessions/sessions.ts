// `ai-docs/sessions/<id>/`: the artifacts of a run, where a person finds them.
import { mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import { readForEdit } from "@atomic/durable-files/files/read-for-edit";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { didYouMean } from "@atomic/terminal/suggest";
import { SessionError } from "./session-error.ts";
import { filesIn, foldersIn, readMeta, removeEmptyFolders } from "./session-files.ts";
import { sessionIdPattern } from "./session-id.ts";
import { type SessionMeta, sessionMetaFile } from "./session-meta.ts";

export const sessionsFolder = "ai-docs/sessions";
const archiveFolder = "archive";
/** What a transaction keeps while it runs. Its name is no session's. */
const stateFolder = ".state";

/** A session as the list shows it. Without `meta`, its file is missing or says nothing that can be used. */
export interface SessionSummary {
  readonly id: string;
  readonly folder: string;
  readonly meta: SessionMeta | undefined;
}

/** The sessions of one project. A name becomes a path only if the list has a session of that name. */
export class Sessions {
  readonly folder: string;

  constructor(project: string) {
    this.folder = join(project, sessionsFolder);
  }

  /** The newest first. */
  list(): readonly SessionSummary[] {
    return foldersIn(this.folder)
      .filter((id) => sessionIdPattern.test(id))
      .map((id) => ({ id, folder: join(this.folder, id), meta: readMeta(join(this.folder, id, sessionMetaFile)) }))
      .sort((a, b) => (startOf(a.id) === startOf(b.id) ? compare(b.id, a.id) : compare(startOf(b.id), startOf(a.id))));
  }

  /** The session of that id, or the only one whose id begins so. */
  find(id: string): SessionSummary {
    const all = this.list();
    const alike = id === "" ? [] : all.filter((session) => session.id.startsWith(id));
    const found = all.find((session) => session.id === id) ?? (alike.length === 1 ? alike[0] : undefined);
    if (found !== undefined) return found;
    if (alike.length > 1)
      throw new SessionError("session-ambiguous", `Several sessions begin with "${id}".`, `They are ${names(alike)}.`);
    throw new SessionError("session-not-found", `There is no session "${id}".`, hintFor(id, all));
  }

  /** Makes the folder with places for the reviews, and writes its metadata. */
  async create(meta: SessionMeta): Promise<string> {
    if (!sessionIdPattern.test(meta.id))
      throw new SessionError("session-id-invalid", `"${meta.id}" is no id of a session.`, "");
    const folder = join(this.folder, meta.id);
    for (const kind of ["plan-review", "code-review"]) mkdirSync(join(folder, "reviews", kind), { recursive: true });
    await this.save(meta);
    return folder;
  }

  async save(meta: SessionMeta): Promise<void> {
    const path = join(this.folder, meta.id, sessionMetaFile);
    await transaction(join(this.folder, stateFolder), [{ path, content: `${JSON.stringify(meta, null, 2)}\n` }]);
  }

  /** Removes the session with all that is in it. */
  async remove(id: string): Promise<SessionSummary> {
    const session = this.find(id);
    const removals = filesIn(session.folder).map((path) => ({ path, delete: true, expect: hashOf(path) }) as const);
    await transaction(join(this.folder, stateFolder), removals, { pruneEmptyUpTo: this.folder });
    removeEmptyFolders(session.folder);
    return session;
  }

  /** Moves it to `ai-docs/sessions/archive`, out of the list. */
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

function hashOf(path: string) {
  return readForEdit(path).hash;
}

function hintFor(id: string, all: readonly SessionSummary[]): string {
  if (all.length === 0) return "There are none in this project.";
  const [best] = didYouMean(
    id,
    all.map((session) => session.id),
  );
  return best === undefined ? `There are ${names(all.slice(0, 5))}.` : `Did you mean ${best}?`;
}

function names(sessions: readonly SessionSummary[]): string {
  return sessions.map(({ id }) => id).join(", ");
}

/** When it began, from its id. */
function startOf(id: string): string {
  return /\d{8}-\d{6}/.exec(id)?.[0] ?? "";
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
