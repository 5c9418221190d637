// Where runs are kept: `postgres://ada@db.example/atomic?schema=team`.
import { RunError } from "@atomic/workflows/internal/run/run-error";

export interface EngineUrl {
  /** For the driver: without our own parameters. */
  readonly connection: string;
  /** For people. */
  readonly shown: string;
  readonly schema: string;
  /** What the URL says about the way to the server; otherwise it is found out. */
  readonly mode: ConnectionMode | undefined;
}

/**
 * `session`: a connection belongs to one client, so it can listen and hold a lock. `pooled`: a pooler hands each transaction to
 * another connection, so runs are found by asking, and a dead process is noticed when its lease is over.
 */
export type ConnectionMode = "session" | "pooled";

const hint = "A URL looks like postgres://user@host:5432/database";

/** Passwords come from `PGPASSWORD` or `~/.pgpass`: a URL is seen in process lists, shell histories and config files. */
export function parseEngineUrl(text: string): EngineUrl {
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw new RunError("bad-request", { message: `The engine ${JSON.stringify(text)} is not a URL`, hint, cause });
  }
  if (url.protocol !== "postgres:" && url.protocol !== "postgresql:") {
    const message = `The engine's URL begins with ${url.protocol}//; only postgres:// is known`;
    throw new RunError("bad-request", { message, hint });
  }
  if (url.password !== "" || url.searchParams.has("password")) {
    throw new RunError("bad-request", {
      message: "The engine's URL contains a password",
      hint: "Remove it, and set PGPASSWORD or add a line to ~/.pgpass.",
    });
  }
  const schema = url.searchParams.get("schema") ?? "atomic";
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(schema)) {
    const message = `The schema ${JSON.stringify(schema)} is not a plain name`;
    throw new RunError("bad-request", { message, hint: "Use up to 40 lower-case letters, digits and underscores." });
  }
  const mode = url.searchParams.get("mode") ?? undefined;
  if (mode !== undefined && mode !== "session" && mode !== "pooled") {
    const message = `The mode ${JSON.stringify(mode)} in the engine's URL is not known`;
    throw new RunError("bad-request", { message, hint: "Use session or pooled, or leave it out." });
  }
  url.searchParams.delete("schema");
  url.searchParams.delete("mode");
  return { connection: url.href, shown: text, schema, mode };
}
