// The guide's commands for back-up and restore, on a live database with open runs.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { startPostgres } from "@atomic/testing/postgres";
import { tmpProject } from "@atomic/testing/project";
import { Client } from "pg";
import { buildAtomic } from "./journeys/atomic.ts";

setDefaultTimeout(180_000);
beforeAll(buildAtomic);

const root = dirname(import.meta.dir);
const guide = readFileSync(join(root, "docs/guide/from-one-machine-to-many.md"), "utf8");
const shell = Array.from(guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, text = ""]) => text.trimEnd().split("\n"));
const [dump = []] = shell.filter((lines) => lines.some((line) => line.startsWith("pg_dump")));
const [restore = []] = shell.filter((lines) => lines.some((line) => line.startsWith("pg_restore")));

/** `pg_dump` refuses a newer server, so the server has to come with it. */
const programs = programsOfPostgres();
if (programs === undefined)
  console.warn("skipped: pg_dump, pg_restore and a server of the same version are not installed");

const workflow = `import { defineGraph, toolNode, waitNode } from "@atomic/workflows";
import { appendFileSync, existsSync } from "node:fs";
const effect = (id: string) => toolNode({ id, run: (_state, { idemKey }) => appendFileSync("effects.txt", idemKey + "\\n") });
export default defineGraph({ name: "ship" }, (graph) => graph
  .start(effect("build")).wait(waitNode({ id: "approval", prompt: "Ship it?" })).then(effect("ship")));
`;
const holding = workflow.replace('name: "ship"', 'name: "hold"').replace(
  /\.start[\s\S]*/,
  `.start(toolNode({ id: "hold", run: async (_state, { idemKey }) => {
    appendFileSync("effects.txt", idemKey + "\\n");
    while (!existsSync("open")) await new Promise((resolve) => setTimeout(resolve, 20));
  } })));\n`,
);

test.skipIf(programs === undefined)("a restored database continues from what it had at the time", async () => {
  const bin = programs ?? "";
  const files = { ".atomic/workflows/ship.ts": workflow, ".atomic/workflows/hold.ts": holding };
  await using project = await tmpProject({ git: false, files });
  await using first = await startPostgres({ programs: bin });
  await using second = await startPostgres({ programs: bin });
  const urlOf = (server: { readonly url: string }): string => server.url.replace(/\/postgres$/, "/atomic");
  const execute = async (lines: readonly string[]): Promise<void> => {
    for (const line of lines) {
      const there = line
        .replaceAll("postgres://postgres@new-db/", second.url.replace(/postgres$/, ""))
        .replaceAll("postgres://postgres@db/", first.url.replace(/postgres$/, ""));
      const [name = "", ...argv] = there.split(" ");
      const program = name === "atomic" ? ["node", join(root, "packages/atomic/bin/atomic.js")] : [join(bin, name)];
      expect({ line, ...(await project.run([...program, ...argv])) }).toMatchObject({
        line,
        code: 0,
        stderr: expect.not.stringContaining("error"),
      });
    }
  };
  const atomic = async (server: { readonly url: string }, ...argv: readonly string[]) =>
    await project.run(["node", join(root, "packages/atomic/bin/atomic.js"), ...argv, "--engine", urlOf(server)]);
  const startWorker = async (server: { readonly url: string }) => {
    const argv = ["worker", "--runs", "4", "--engine", urlOf(server)];
    return await project.start(["node", join(root, "packages/atomic/bin/atomic.js"), ...argv]);
  };
  const statusOf = async (server: { readonly url: string }, runId: string) =>
    JSON.parse((await atomic(server, "show", runId, "--json")).stdout).status.kind as string;

  const admin = new Client({ connectionString: first.url });
  await admin.connect();
  await admin.query("create database atomic");
  await admin.end();
  expect((await atomic(first, "engine", "migrate")).code).toBe(0);
  const started = async (name: string) => (await atomic(first, "run", name, "--detach")).stdout.trim();
  const worker = await startWorker(first);
  const [done, waiting, held] = [await started("ship"), await started("ship"), await started("hold")];
  for (const runId of [done, waiting])
    await worker.printed(new RegExp(`"event":"left".*"run":"${runId}","code":4`), 60_000);
  expect((await atomic(first, "approve", done)).code).toBe(0);
  await worker.printed(new RegExp(`"run":"${done}","code":0`), 60_000);
  const follower = await project.start([
    "node",
    join(root, "packages/atomic/bin/atomic.js"),
    "show",
    held,
    "--follow",
    "--json",
    "--engine",
    urlOf(first),
  ]);
  await follower.printed(/"type":"step-started"/, 60_000);
  await execute(dump);
  // What happens now is not in the file.
  expect((await atomic(first, "approve", waiting)).code).toBe(0);
  await worker.printed(new RegExp(`"run":"${waiting}","code":0`), 60_000);
  await worker.stop();
  await follower.stop();

  await execute(restore);
  expect(await statusOf(second, done)).toBe("done");
  const { runs } = JSON.parse((await atomic(second, "runs", "--json")).stdout);
  expect(runs.find(({ runId }: { runId: string }) => runId === waiting).questions).toHaveLength(1);
  await project.write("open", "");
  const other = await startWorker(second);
  await other.printed(new RegExp(`"run":"${held}","code":0`), 60_000);
  expect((await atomic(second, "approve", waiting)).code).toBe(0);
  await other.printed(new RegExp(`"run":"${waiting}","code":0`), 60_000);
  for (const runId of [done, waiting, held])
    expect({ runId, status: await statusOf(second, runId) }).toEqual({ runId, status: "done" });
  const effects = (await project.read("effects.txt")).trimEnd().split("\n");
  const times = (key: string): number => effects.filter((each) => each === key).length;
  expect([`${done}/build`, `${done}/ship`, `${waiting}/build`].map(times)).toEqual([1, 1, 1]);
  expect([`${waiting}/ship`, `${held}/hold`].map(times)).toEqual([2, 2]);
  other.kill("SIGTERM");
  expect((await other.end(60_000)).code).toBe(0);
});

/** Debian puts a wrapper on the path, and the programs of each version in a folder of their own. */
function programsOfPostgres(): string | undefined {
  const config = Bun.which("pg_config");
  const found = [Bun.which("pg_ctl"), Bun.which("pg_dump")]
    .flatMap((path) => path ?? [])
    .map((path) => dirname(realpathSync(path)));
  if (config !== null) found.unshift(Bun.spawnSync([config, "--bindir"]).stdout.toString().trim());
  const needed = ["initdb", "postgres", "pg_dump", "pg_restore", "createdb"];
  return found.find((folder) => needed.every((name) => Bun.which(name, { PATH: folder }) !== null));
}
