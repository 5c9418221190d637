// Where a project's runs are: in its folder, or in a database that other machines share.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal, UsageError } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { shellLine } from "@atomic/terminal/shell-words";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { EngineOptions } from "@atomic/workflows/internal/run/local-engine";
import type { AtomicContext } from "../context.ts";
import { locate } from "../entities/load-entities.ts";
import type { Where } from "../report/path.ts";

/** What `--engine` takes for the project's own folder, if a variable or a file names a database. */
export const ownFolder = "folder";

const configFile = join(".atomic", "config.json");

/**
 * The URL of the database with the project's runs; undefined if they are in its folder. `--engine` counts first, then
 * `$ATOMIC_ENGINE`, then `.atomic/config.json`.
 */
export async function engineUrl(
  { env }: Pick<AtomicContext, "env">,
  project: string,
  given: string | undefined,
): Promise<string | undefined> {
  const yours = given ?? (env.ATOMIC_ENGINE || undefined);
  const chosen = yours ?? (await configuredEngine(project));
  if (chosen === ownFolder) return undefined;
  // A cloned project must not choose who receives your password. A line in ~/.pgpass is for one server.
  if (yours === undefined && chosen !== undefined && env.PGPASSWORD) {
    throw new Refusal("engine-not-yours", {
      message: safe`PGPASSWORD is set, and ${configFile} would send that password to ${chosen}`,
      hint: `If you trust it, name it yourself: ${shellLine(["export", `ATOMIC_ENGINE=${chosen}`])}\nOtherwise unset PGPASSWORD, or keep the password in ~/.pgpass.`,
    });
  }
  return chosen;
}

async function configuredEngine(project: string): Promise<string | undefined> {
  const path = join(project, configFile);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
  const [{ parseJsonc }, { toValue }] = await Promise.all([
    import("@atomic/durable-files/jsonc/parse"),
    import("@atomic/durable-files/jsonc/value"),
  ]);
  const { root } = parseJsonc(text, { file: path, empty: "refuse" });
  const { engine } = ((root && toValue(root)) ?? {}) as { readonly engine?: unknown };
  if (typeof engine === "string" && hasPassword(engine)) {
    throw new Refusal("config-secret", {
      message: `${configFile}: "engine" contains a password, which everyone with the project could read`,
      at: path,
      hint: "Remove it, change it in the database, and set PGPASSWORD or add a line to ~/.pgpass.",
      exitCode: 3,
    });
  }
  if (engine === undefined || typeof engine === "string") return engine;
  throw new Refusal("config-invalid", {
    message: `${configFile}: "engine" is not text`,
    at: path,
    hint: 'Write the URL of a database: "engine": "postgres://user@host/database".',
  });
}

function hasPassword(engine: string): boolean {
  if (!URL.canParse(engine)) return false;
  const { password, searchParams } = new URL(engine);
  return password !== "" || searchParams.has("password");
}

/** The one place that makes an engine for the project's runs. */
export async function engineFor(
  context: AtomicContext,
  project: string,
  given: string | undefined,
  options: Omit<EngineOptions, "folder">,
): Promise<LocalEngine> {
  const url = await engineUrl(context, project, given);
  if (url === undefined) {
    const { projectEngine } = await import("@atomic/workflows/internal/project-engine");
    return projectEngine(project, options);
  }
  const { postgresEngine } = await import("@atomic/engine-postgres/postgres-engine");
  return await postgresEngine(url, { ...options, folder: project });
}

/** The database, for commands that make sense only with one. */
export async function requireEngine(
  context: AtomicContext,
  given: string | undefined,
): Promise<{ readonly where: Where; readonly url: string }> {
  const where = await locate(context);
  const url = await engineUrl(context, where.project, given);
  if (url !== undefined) return { where, url };
  throw new UsageError("no engine was given", {
    hint: "Pass --engine postgres://user@host/database, or set ATOMIC_ENGINE.",
  });
}
