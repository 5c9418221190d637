// What only a real process can show: exit codes, streams, pipes that close, and the same words on every runtime.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { type Project, tmpProject } from "@atomic/testing/project";
import { atomic } from "./atomic.ts";
import { build, type Runtime, runtimes } from "./program.ts";
import { sampleProject } from "./sample.ts";

setDefaultTimeout(180_000);
beforeAll(build);

async function run(project: Project, runtime: Runtime, argv: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await project.run([...runtime.command, ...argv], {
    env: { ...runtime.env, ...env },
  });
  return { code, stdout, stderr };
}

const manyFiles = Object.fromEntries(
  Array.from({ length: 400 }, (_, at) => [
    `.claude/commands/c${at}.md`,
    `---\ndescription: ${"x".repeat(1000)}\n---\n`,
  ]),
);

for (const runtime of runtimes) {
  test.each([
    [["entities"], 0],
    [["entities", "--shadowed", "--json"], 0],
    [["which", "commit"], 0],
    [["which", "comit"], 1],
    [["lint", ".claude"], 0],
    [["lint", "README.md"], 1],
    [["entites"], 2],
    [["--help"], 0],
    [[], 2],
  ])(`on ${runtime.name}, %j says what it says here and ends with %i`, async (argv, code) => {
    await using project = await sampleProject({ "README.md": "" });
    const { stdout, stderr } = await atomic(project, argv);
    expect(await run(project, runtime, argv)).toEqual({ code, stdout, stderr });
  });

  test(`on ${runtime.name}, a reader that stops early ends it quietly`, async () => {
    await using project = await tmpProject({ git: false, files: manyFiles });
    const script = 'set -o pipefail; "$@" | head -n 1';
    const { code, stdout, stderr } = await project.run(["bash", "-c", script, "bash", ...runtime.command, "entities"], {
      env: runtime.env,
    });
    expect({ code, lines: stdout.split("\n").length }).toEqual({ code: 0, lines: 2 });
    expect(stderr).toMatch(/^\d+ entities: 400 commands, \d+ skills, 1 workflow\n$/);
  });

  test(`on ${runtime.name}, a slow reader gets all of a long answer`, async () => {
    await using project = await tmpProject({ git: false, files: manyFiles });
    const script = '"$@" --json | { head -c 1 >/dev/null; cat; } | tail -c 3';
    const { stdout } = await project.run(["bash", "-c", script, "bash", ...runtime.command, "entities"], {
      env: runtime.env,
    });
    expect(stdout).toBe("\n}\n");
  });
}

// The Bun inside OpenCode says so itself, before it starts anything.
test.each(runtimes.slice(0, 2))("on $name, a deleted current folder is reported", async (runtime) => {
  await using project = await tmpProject({ git: false });
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
  const { code, stderr } = await project.run(["sh", "-c", script, "sh", ...runtime.command, "entities"], {
    env: runtime.env,
  });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "atomic: the current folder no longer exists\nChange to a folder that exists.\n",
  });
});

test.each(runtimes.slice(0, 2))(
  "on $name, a home folder that nobody can find is reported, and help needs none",
  async (runtime) => {
    await using project = await tmpProject({ git: false });
    const env = { ...runtime.env, HOME: "below" };
    expect(await project.run([...runtime.command, "--help"], { env })).toMatchObject({ code: 0 });
    const { code, stderr } = await project.run([...runtime.command, "entities"], { env });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'atomic: your home folder is unknown, because HOME is not an absolute path: "below"\nSet HOME to an absolute path.\n',
    });
  },
);

test("no file is made, changed or removed by looking", async () => {
  await using project = await sampleProject();
  const before = [...(await project.tree()), ...(await project.tree("~"))];
  for (const argv of [["entities"], ["which", "commit"], ["lint", "--user"]]) await run(project, runtimes[0]!, argv);
  expect([...(await project.tree()), ...(await project.tree("~"))]).toEqual(before);
});

test("help and wrong usage load none of the code that reads formats", async () => {
  const entry = join(import.meta.dirname, "../src/main.ts");
  const built = await Bun.build({ entrypoints: [entry], target: "node", splitting: true, conditions: ["bun"] });
  const main = await built.outputs.find(({ kind }) => kind === "entry-point")?.text();
  const registry = ["createEntityRegistry", "listFiles", "parseFrontmatter"];
  expect(registry.filter((name) => main?.includes(name))).toEqual([]);
  const rest = await Promise.all(built.outputs.filter(({ kind }) => kind === "chunk").map((chunk) => chunk.text()));
  expect(registry.filter((name) => !rest.some((text) => text.includes(name)))).toEqual([]);
});

test.each(["runs", "show", "approve", "cancel", "prune"])("`atomic %s` loads no workflow and no host", async (name) => {
  const entry = join(import.meta.dirname, `../src/commands/${name}.ts`);
  const built = await Bun.build({ entrypoints: [entry], target: "node", splitting: true, conditions: ["bun"] });
  const texts = new Map(
    await Promise.all(built.outputs.map(async (each) => [basename(each.path), await each.text()] as const)),
  );
  // What is imported by a statement is loaded with it; what is imported by a call is not.
  const loaded = new Set([`${name}.js`]);
  for (const file of loaded) {
    for (const [, next = ""] of texts.get(file)?.matchAll(/^(?:import|\} from) ?.*"\.\/([^"]+)";$/gm) ?? [])
      loaded.add(next);
  }
  const heavy = [
    "class OpencodeHost",
    "nodeHostOf",
    "importWorkflowModule",
    "createEntityRegistry",
    "class PostgresLog",
  ];
  const all = [...texts.values()].join("");
  const own = [...loaded].map((file) => texts.get(file)).join("");
  expect(own).toContain("runsOf");
  expect(heavy.filter((text) => own.includes(text))).toEqual([]);
  expect(all).toContain("projectEngine");
  expect(all).toContain("class PostgresLog");
});

test("the package holds what its bin needs", async () => {
  const folder = join(import.meta.dirname, "..");
  const { bin, files } = await Bun.file(join(folder, "package.json")).json();
  expect(files.filter((name: string) => !existsSync(join(folder, name)))).toEqual([]);
  const script = await Bun.file(join(folder, bin.atomic)).text();
  expect(script).toStartWith("#!/usr/bin/env node\n");
});
