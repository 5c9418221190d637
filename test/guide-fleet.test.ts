// The guide about many machines is true: its commands and statements are run, and its files are what their readers take.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { postgresAvailability, startPostgres } from "@atomic/testing/postgres";
import { tmpProject } from "@atomic/testing/project";
import { Client } from "pg";
import { parse } from "yaml";
import { installedBin, installPrograms, removePrograms } from "./guides/installed-programs.ts";

setDefaultTimeout(120_000);
beforeAll(installPrograms, 180_000);
afterAll(removePrograms);

const availability = postgresAvailability();
if (!availability.available) console.warn(`skipped: ${availability.reason}`);

const root = dirname(import.meta.dir);
const guide = readFileSync(join(root, "docs/guide/from-one-machine-to-many.md"), "utf8");
const blocks = Array.from(guide.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm), ([, language = "", text = ""]) => ({
  language,
  text,
}));
const textsOf = (language: string): string[] => blocks.flatMap((each) => (each.language === language ? each.text : []));

const nightly = `import { defineGraph, toolNode } from "@atomic/workflows";
export default defineGraph({ name: "nightly" }, (graph) => graph.start(toolNode({ id: "say", run: () => "hi" })));
`;

test.skipIf(!availability.available)("every command and statement works", async () => {
  await using server = await startPostgres();
  await using project = await tmpProject({ git: false, files: { ".atomic/workflows/nightly.ts": nightly } });
  const admin = new Client({ connectionString: server.url });
  await admin.connect();
  // Back-up and restore have a test of their own.
  const shell = textsOf("sh").filter((text) => !/pg_(dump|restore)/.test(text));
  const lines = shell.flatMap((text) => text.trimEnd().split("\n"));
  const commands = lines.filter((line) => line.startsWith("atomic "));
  expect(commands).toHaveLength(7);
  const there = server.url.replace(/\?.*/, "");
  let isMigrated = false;
  for (const line of commands) {
    const words = Array.from(line.matchAll(/"([^"]*)"|\S+/g), ([word, quoted]) => quoted ?? word).slice(1);
    const argv = words.map((word) => (word.startsWith("postgres://") ? there : word));
    const command = ["node", await installedBin("atomic"), ...argv];
    const env = { ATOMIC_ENGINE: there };
    if (argv[0] === "worker") {
      const worker = await project.start(
        command.map((word) => (word === "9464" ? "0" : word)),
        { env },
      );
      await worker.printed(/"event":"ready"/, 60_000);
      worker.kill("SIGTERM");
      expect((await worker.end(60_000)).code).toBe(0);
      continue;
    }
    expect({ line, ...(await project.run(command, { env })) }).toMatchObject({ line, code: 0 });
    if (!isMigrated) for (const statement of textsOf("sql")) await admin.query(statement);
    isMigrated = true;
  }
  await admin.end();
});

test.skipIf(!availability.available)(
  "the systemd unit and the compose file start a worker that stops when asked to",
  async () => {
    const [unit = ""] = textsOf("ini");
    const sections = new Map<string, Map<string, string>>();
    let section = new Map<string, string>();
    for (const line of unit.split("\n").filter((each) => each !== "")) {
      const [, name] = /^\[(\w+)\]$/.exec(line) ?? [];
      const [, key = "", value = ""] = /^(\w+)=(.*)$/.exec(line) ?? [];
      if (name === undefined) section.set(key, value);
      else {
        section = new Map();
        sections.set(name, section);
      }
      expect(name ?? key).not.toBe("");
    }
    expect([...sections.keys()]).toEqual(["Unit", "Service", "Install"]);
    const service = sections.get("Service");
    const compose = parse(textsOf("yaml")[0] ?? "");
    const started = [service?.get("ExecStart")?.split(" ").slice(1) ?? [], compose.services.worker.command as string[]];
    const engines = [
      /^ATOMIC_ENGINE=(.*)$/.exec(service?.get("Environment") ?? "")?.[1],
      compose.services.worker.environment.ATOMIC_ENGINE,
    ];
    expect(engines).toEqual(["postgres://worker@db/atomic", "postgres://worker@db/atomic"]);
    await using server = await startPostgres();
    await using project = await tmpProject({ git: false });
    const program = ["node", await installedBin("atomic")];
    // As the guide has the database: the tables in a database of their own, and a user that may work on runs.
    const admin = new Client({ connectionString: server.url });
    await admin.connect();
    await admin.query("create database atomic");
    await admin.end();
    const there = new URL(server.url);
    there.pathname = "/atomic";
    expect(await project.run([...program, "engine", "migrate", "--engine", there.href])).toMatchObject({ code: 0 });
    const roles = new Client({ connectionString: there.href });
    await roles.connect();
    await roles.query("create role worker login in role atomic_worker");
    await roles.end();
    there.username = "worker";
    for (const [name, ...argv] of started) {
      expect(name).toBe("atomic");
      const ofOurs = argv.map((word) => (word === "9464" ? "0" : word)); // a port that is surely free
      const worker = await project.start([...program, ...ofOurs], { env: { ATOMIC_ENGINE: there.href } });
      await worker.printed(/"event":"ready"/, 60_000);
      worker.kill("SIGTERM"); // what both send, and wait 60 seconds for the end
      expect((await worker.end(60_000)).code).toBe(0);
    }
    expect([service?.get("TimeoutStopSec"), compose.services.worker.stop_grace_period]).toEqual(["60", "60s"]);
    expect(Object.keys(compose.volumes)).toEqual(["data"]);
  },
);

const analyze = Bun.which("systemd-analyze");
if (analyze === null) console.warn("skipped: systemd-analyze is not installed");

test.skipIf(analyze === null)("systemd understands the unit", async () => {
  await using project = await tmpProject({ git: false, files: { "atomic-worker.service": textsOf("ini")[0] ?? "" } });
  const { code, stdout, stderr } = await project.run([analyze!, "verify", project.path("atomic-worker.service")]);
  expect({ code, output: stdout + stderr }).toEqual({ code: 0, output: "" });
});
