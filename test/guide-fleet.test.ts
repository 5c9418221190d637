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
  const lines = textsOf("sh").flatMap((text) => text.trimEnd().split("\n"));
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

test("the systemd unit and the compose file start a worker as the command line takes it", async () => {
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
  await using project = await tmpProject({ git: false });
  for (const [program, ...argv] of started) {
    expect(program).toBe("atomic");
    const command = ["node", await installedBin("atomic"), ...argv];
    // Nothing listens there: the command line is understood, and then the database is missing.
    const { code, stderr } = await project.run(command, { env: { ATOMIC_ENGINE: "postgres://nobody@127.0.0.1:9/x" } });
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining("does not answer") });
  }
  expect(Object.keys(compose.volumes)).toEqual(["data"]);
});
