import type { Database } from "./database.ts";
import type { ConnectionMode } from "./engine-url.ts";

export interface FoundMode {
  readonly mode: ConnectionMode;
  /** The end of a sentence that begins with the mode. */
  readonly because: string;
}

/**
 * Whether a connection is one to the server. A server tells each client the number of its process; if another process
 * answers, something in between shares connections.
 */
export async function findMode(database: Database): Promise<FoundMode> {
  const { mode } = database.url;
  if (mode !== undefined) return { mode, because: "the engine's URL says so" };
  const connection = await database.connectAlone();
  try {
    const { rows } = await connection.query<{ pid: number }>("select pg_backend_pid() as pid");
    const { processID } = connection as unknown as { readonly processID: number };
    if (rows[0]?.pid === processID) return { mode: "session", because: "the connection leads directly to the server" };
    return {
      mode: "pooled",
      because: "a pooler answers in the server's place, and may share a connection between clients",
    };
  } finally {
    await connection.end();
  }
}
