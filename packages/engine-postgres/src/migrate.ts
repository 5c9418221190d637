import { RunError } from "@atomic/workflows/internal/run/run-error";
import { type Database, explain } from "./database.ts";
import { grants, migrations, roleNames } from "./migrations.ts";

export interface MigratedTables {
  readonly from: number;
  readonly to: number;
  /** False if this user may not create roles. */
  readonly hasRoles: boolean;
}

/** Brings the tables up to date, all or nothing. Nothing happens if they are. */
export async function migrate(database: Database): Promise<MigratedTables> {
  const { schema } = database.url;
  const connection = await database.connectAlone();
  try {
    await connection.query("begin");
    // Two processes that migrate at the same time do so one after the other.
    await connection.query("select pg_advisory_xact_lock(hashtext($1))", [`atomic ${schema}`]);
    await connection.query(`create schema if not exists ${schema}`);
    await connection.query(
      `create table if not exists ${schema}.version (
         version integer primary key, at timestamptz not null default now(), by text not null default session_user)`,
    );
    const { rows } = await connection.query(`select coalesce(max(version), 0) as version from ${schema}.version`);
    const from = Number(rows[0].version);
    if (from > migrations.length) throw newer(from, database);
    for (const [index, migration] of migrations.entries()) {
      if (index < from) continue;
      await connection.query(migration(schema));
      await connection.query(`insert into ${schema}.version (version) values ($1)`, [index + 1]);
    }
    const hasRoles = await makeRoles(connection, schema);
    if (hasRoles) await connection.query(grants(schema));
    await connection.query("commit");
    return { from, to: migrations.length, hasRoles };
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    if (code !== "42501") throw explain(error, database.url);
    throw new RunError("not-writable", {
      message: `The database refuses to change its tables: ${message}`,
      hint: "Migrate as the user who owns them, or as an administrator.",
      cause: error,
    });
  } finally {
    await connection.end(); // rolls back what was not committed
  }
}

interface Connection {
  query(text: string, values?: unknown[]): Promise<{ rows: { readonly [column: string]: unknown }[] }>;
}

async function makeRoles(connection: Connection, schema: string): Promise<boolean> {
  const names = Object.values(roleNames(schema));
  const { rows: existing } = await connection.query("select rolname from pg_roles where rolname = any($1)", [names]);
  if (existing.length === names.length) return true;
  const { rows } = await connection.query(
    "select rolcreaterole or rolsuper as allowed from pg_roles where rolname = current_user",
  );
  if (rows[0]?.allowed !== true) return false;
  for (const name of names) {
    if (existing.some(({ rolname }) => rolname === name)) continue;
    // Roles belong to the whole server: another process may be preparing another of its databases at the same time.
    await connection.query(
      `do $$ begin create role ${name} nologin; exception when duplicate_object or unique_violation then null; end $$`,
    );
  }
  return true;
}

/** Throws unless this version knows these tables. */
export async function requireVersion(database: Database): Promise<void> {
  const problem = await versionProblem(database);
  if (problem !== undefined) throw problem;
}

/** Why this version cannot use these tables. */
export async function versionProblem(database: Database): Promise<RunError | undefined> {
  const { schema, shown } = database.url;
  const [row] = await database.query<{ version: number }>(`select max(version) as version from ${schema}.version`);
  const version = Number(row?.version ?? 0);
  if (version > migrations.length) return newer(version, database);
  if (version === migrations.length) return undefined;
  return new RunError("unreachable", {
    message: `The tables in ${shown} have version ${version}, but this atomic needs ${migrations.length}`,
    hint: `Update them with: atomic engine migrate --engine ${shown}`,
  });
}

function newer(version: number, { url }: Database): RunError {
  return new RunError("unreachable", {
    message: `The tables in ${url.shown} have version ${version}; this atomic knows only ${migrations.length}`,
    hint: "Update atomic. Nothing was changed.",
  });
}
