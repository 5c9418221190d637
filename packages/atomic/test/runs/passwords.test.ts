// Passwords for the database come from the environment or ~/.pgpass, and from nowhere else.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { type Postgres, postgresAvailability, startPostgres } from "@atomic/testing/postgres";
import { tmpProject } from "@atomic/testing/project";
import { SQL } from "bun";
import { atomic } from "../atomic.ts";
import { build, runtimes } from "../program.ts";

setDefaultTimeout(180_000);

const availability = postgresAvailability();
if (!availability.available) console.warn(`skipped: ${availability.reason}`);
else if (process.env.PGURL !== undefined)
  console.warn("skipped: the login of the server at $PGURL is not ours to change");

describe.skipIf(!availability.available || process.env.PGURL !== undefined)(
  "a database that asks for a password",
  () => {
    let server: Postgres;
    beforeAll(async () => {
      await build();
      server = await startPostgres();
    });
    afterAll(async () => await server?.[Symbol.asyncDispose]());

    test.each(runtimes.slice(0, 2))("gets it from PGPASSWORD or ~/.pgpass, on $name", async ({ command, env }) => {
      const role = `ada_${command[0]?.includes("bun") ? "bun" : "node"}`;
      await using admin = new SQL(server.url);
      await admin.unsafe(`create role ${role} login superuser password 'open sesame'`);
      const [hba] = await admin`select setting from pg_settings where name = 'hba_file'`;
      const rules = `host all ${role} all scram-sha-256\nhost all all all trust\n`;
      await admin.unsafe(`copy (select unnest(string_to_array('${rules.trim()}', chr(10)))) to '${hba.setting}'`);
      await admin`select pg_reload_conf()`;
      await using project = await tmpProject({ git: false });
      const url = new URL(server.url);
      url.username = role;
      const migrate = async (more: Readonly<Record<string, string>> = {}) =>
        await project.run([...command, "engine", "migrate", "--engine", `${url.href}?schema=${role}`], {
          env: { ...env, ...more },
        });
      const without = await migrate();
      expect({ code: without.code, stdout: without.stdout }).toEqual({ code: 6, stdout: "" });
      expect(without.stderr).toContain("Set PGPASSWORD, or add a line for this server to ~/.pgpass.");
      const wrong = await migrate({ PGPASSWORD: "open barley" });
      expect(wrong.code).toBe(6);
      expect(wrong.stderr).not.toContain("barley");
      expect((await migrate({ PGPASSWORD: "open sesame" })).code).toBe(0);
      await project.write("~/.pgpass", `${url.hostname}:${url.port}:*:${role}:open sesame\n`);
      await chmod(project.path("~/.pgpass"), 0o600);
      expect((await migrate()).code).toBe(0);
    });
  },
);

test("a password in .atomic/config.json is refused before anything is connected, and not repeated", async () => {
  await using project = await tmpProject({ git: false });
  for (const engine of ["postgres://ada:sesame@127.0.0.1:9/x", "postgres://ada@127.0.0.1:9/x?password=sesame"]) {
    await project.write(".atomic/config.json", { engine });
    for (const env of [{}, { PGPASSWORD: "other" }]) {
      const { code, stderr, stdout } = await atomic(project, ["runs", "--json"], { env });
      expect(code).toBe(3);
      expect(stderr + stdout).toContain("contains a password, which everyone with the project could read");
      expect(stderr + stdout).not.toContain("sesame");
    }
  }
});
