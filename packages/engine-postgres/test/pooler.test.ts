// A real PgBouncer in transaction mode, where it is installed.
import { expect, setDefaultTimeout, test } from "bun:test";
import { chmod, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { OwnedProcess } from "@atomic/testing/owned-process";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { findMode } from "../src/connection-mode.ts";
import { Database } from "../src/database.ts";
import { parseEngineUrl } from "../src/engine-url.ts";
import { postgresEngine } from "../src/postgres-engine.ts";
import { isSkipped, newSchema, serverForTests } from "./postgres-harness.ts";

setDefaultTimeout(120_000);

const program = Bun.which("pgbouncer", { PATH: `${process.env.PATH}:/usr/sbin` });
if (program === null) console.warn("skipped: pgbouncer is not installed");

test.skipIf(isSkipped || program === null)("behind PgBouncer the mode is found, and runs end", async () => {
  await using server = await serverForTests();
  await using folder = await temporaryFolder("pgbouncer-");
  const { hostname, port, searchParams } = new URL(await newSchema(server));
  const own = await freePort();
  const config = join(folder.path, "pgbouncer.ini");
  await writeFile(join(folder.path, "users.txt"), '"postgres" ""\n');
  await writeFile(
    config,
    `[databases]
postgres = host=${hostname} port=${port} dbname=postgres user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
auth_file = ${folder.path}/users.txt
pool_mode = transaction
default_pool_size = 3
`,
  );
  await chmod(folder.path, 0o755);
  const user = process.getuid?.() === 0 ? { user: { uid: 65534, gid: 65534 } } : {};
  const pooler = await OwnedProcess.start([program!, config], { cwd: folder.path, env: {}, leash: true, ...user });
  try {
    await answering(own, pooler);
    const url = `postgres://postgres@127.0.0.1:${own}/postgres?schema=${searchParams.get("schema")}`;
    const database = new Database(parseEngineUrl(url));
    expect(await findMode(database)).toMatchObject({ mode: "pooled" });
    await database.close();
    const interpret = async (ctx: { wait(key: string): Promise<{ ok: boolean }> }) => (await ctx.wait("ask")).ok;
    const [one, other] = [await postgresEngine(url, { interpret }), await postgresEngine(url, { interpret })];
    await one.start({ runId: "run", graph: null, input: null });
    const run = await one.run("run");
    await expect(other.run("run")).rejects.toMatchObject({ code: "run-held" });
    await other.signal("run", "ask", "yes");
    expect(await run.ended).toMatchObject({ kind: "done" });
    await one.close();
    await other.close();
  } finally {
    await pooler.stop();
  }
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Resolves when something listens there. */
async function answering(port: number, pooler: OwnedProcess): Promise<void> {
  let hasEnded = false;
  void pooler.exited.then(() => {
    hasEnded = true;
  });
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy();
        resolve(true);
      });
      socket.once("error", () => resolve(false));
    });
    if (isOpen) return;
    if (hasEnded) throw new Error(`pgbouncer ended:\n${pooler.stdout}${pooler.stderr}`);
  }
}
