// The published package: few files, so that each start is quick, and still the same modules for everyone.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";

setDefaultTimeout(180_000);

const own = join(import.meta.dirname, "..");
const repository = join(own, "../..");
const manifest = await Bun.file(join(own, "package.json")).json();
const exported = Object.keys(manifest.exports);
const modules = exported.filter((each) => "bun" in manifest.exports[each] && !each.includes("*"));

let folder: TemporaryFolder;
let published: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  published = join(folder.path, "node_modules/@atomic/workflows");
  await mkdir(dirname(published), { recursive: true });
  const build = ["node", join(repository, "scripts/build.mjs"), "@atomic/workflows", `--to=${published}`];
  const { exitCode, stderr } = Bun.spawnSync(build);
  if (exitCode !== 0) throw new Error(stderr.toString());
  for (const name of ["@swc", "@types", "undici-types", "yaml"])
    symlinkSync(join(repository, "node_modules", name), join(folder.path, "node_modules", name));
});

afterAll(() => folder[Symbol.asyncDispose]());

const runtimes = [
  ["Node", ["node"]],
  ["Bun", [process.execPath]],
  ["the Bun inside OpenCode", [opencodeBinary]],
] as const;

async function run(command: readonly string[], program: string): Promise<unknown> {
  const file = join(folder.path, "program.mjs");
  await Bun.write(file, program);
  const env = { ...process.env, BUN_BE_BUN: "1" };
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command, file], { cwd: folder.path, env });
  if (exitCode !== 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString());
}

describe.each(runtimes)("on %s", (_name, command) => {
  test("every module exports what its source does", async () => {
    const listing = (from: (module: string) => string): string => `
      const found = {};
      for (const module of ${JSON.stringify(modules)}) found[module] = Object.keys(await import(${from("module")})).sort();
      console.log(JSON.stringify(found));`;
    const sources = JSON.stringify(Object.fromEntries(modules.map((each) => [each, manifest.exports[each].bun])));
    const expected = await run(
      [process.execPath],
      listing((each) => `${JSON.stringify(own)} + "/" + ${sources}[${each}]`),
    );
    expect(
      await run(
        command,
        listing((each) => `"@atomic/workflows" + ${each}.slice(1)`),
      ),
    ).toEqual(expected as object);
  });

  test("modules from inside and outside the bundle know each other's entities and errors", async () => {
    const program = `
      import { mkdirSync, writeFileSync } from "node:fs";
      import { createEntityRegistry, defineEntity, EntityNotFoundError, initializeWorkflowsSDK } from "@atomic/workflows/entities";
      import { lintEntities } from "@atomic/workflows/lint";
      mkdirSync("project/.claude/skills/tidy", { recursive: true });
      mkdirSync("home", { recursive: true });
      // Not plain enough for the quick reader, so that the YAML parser is loaded too.
      writeFileSync("project/.claude/skills/tidy/SKILL.md", "---\\nname: &n tidy\\ndescription: Tidies\\nnmae: x\\n---\\nSweep.");
      writeFileSync("project/opencode.json", '{ "agent": { "boss": { "prompt": "Hi" } }, }');
      const paths = { projectPath: "project", userPath: "home" };
      const registry = await initializeWorkflowsSDK(paths);
      const tidy = registry.require("skill", "tidy");
      const other = createEntityRegistry();
      other.register(tidy);
      let problem;
      try { registry.require("skill", "tdy"); } catch (error) { problem = error; }
      const findings = await lintEntities(registry);
      console.log(JSON.stringify({
        same: defineEntity(tidy) === tidy && other.getSkill("tidy") === tidy,
        prompt: tidy.prompt,
        agent: registry.getAgent("boss")?.prompt,
        builtin: registry.getSkill("commit")?.source.location,
        known: problem instanceof EntityNotFoundError,
        linted: findings.map(({ code }) => code).includes("key-misspelled"),
        diagnostics: registry.diagnostics(),
      }));`;
    expect(await run(command, program)).toEqual({
      same: true,
      prompt: "Sweep.",
      agent: "Hi",
      builtin: "builtin",
      known: true,
      linted: true,
      diagnostics: [],
    });
  });

  test("graphs, runs and entities know each other's classes, whichever bundle they are in", async () => {
    const program = `
      import { agentNode, graph, GraphError, RunError, toolNode } from "@atomic/workflows";
      import { embeddedEngine } from "@atomic/workflows/engine";
      import { createEntityRegistry, EntityNotFoundError } from "@atomic/workflows/entities";
      import { interpreterOf, toMermaid } from "@atomic/workflows/graph";
      const registry = createEntityRegistry();
      const caught = async (act) => { try { await act(); } catch (error) { return error; } };
      const unknown = await caught(() => graph({ name: "x" }).start(agentNode({ agent: "nobody" })).compile(registry));
      const compiled = graph({ name: "x" }).start(toolNode({ id: "t", run: () => "x".repeat(20_000) })).compile(registry);
      const engine = embeddedEngine("runs", { interpret: interpreterOf(compiled, registry, { host: {} }) });
      await engine.start({ runId: "r", graph: compiled.json, input: null });
      const { kind } = await (await engine.run("r")).ended;
      const missing = await caught(() => engine.run("none"));
      console.log(JSON.stringify({
        unknown: unknown instanceof GraphError,
        notFound: (await caught(() => registry.require("agent", "nobody"))) instanceof EntityNotFoundError,
        missing: missing instanceof RunError && missing.code,
        kind,
        drawn: toMermaid(compiled.json).includes("t"),
      }));`;
    await rm(join(folder.path, "runs"), { recursive: true, force: true });
    expect(await run(command, program)).toEqual({
      unknown: true,
      notFound: true,
      missing: "run-not-found",
      kind: "done",
      drawn: true,
    });
  });
});

describe.each(runtimes)("on %s", (_name, command) => {
  test("Ralph is loaded as it was written, and the project's own workflow without its types", async () => {
    const program = `
      import { mkdirSync, writeFileSync } from "node:fs";
      import { initializeWorkflowsSDK } from "@atomic/workflows/entities";
      import { compileGraph, loadWorkflowWithParts } from "@atomic/workflows/graph";
      mkdirSync("own/.atomic/workflows", { recursive: true });
      mkdirSync("home", { recursive: true });
      writeFileSync("own/.atomic/workflows/mine.ts", \`
        import { graph, waitNode } from "@atomic/workflows";
        const prompt: string = "Go on?";
        export default graph({ name: "mine" }).start(waitNode({ prompt }));\`);
      const registry = await initializeWorkflowsSDK({ projectPath: "own", userPath: "home" });
      const load = async (name) => {
        const { entity, graph, workflows } = await loadWorkflowWithParts(registry, name);
        const { json } = compileGraph(graph, registry, { workflows });
        return { file: entity.source.path.split("/").at(-1), described: entity.description === graph.description, nodes: json.nodes.length };
      };
      console.log(JSON.stringify({ ralph: await load("ralph"), mine: await load("mine") }));`;
    expect(await run(command, program)).toEqual({
      ralph: { file: "ralph.js", described: true, nodes: 1 },
      mine: { file: "mine.ts", described: false, nodes: 1 },
    });
  });
});

test("a load of entities, a workflow file and a run import few files of the package", async () => {
  const imports = async (file: string): Promise<string[]> => {
    const { imports: found } = new Bun.Transpiler({ loader: "js" }).scan(await Bun.file(join(published, file)).text());
    const atOnce = found.filter(({ kind }) => kind === "import-statement").map(({ path }) => path);
    return atOnce.filter((path) => !path.startsWith("node:"));
  };
  const all = async (file: string, found = new Set([file])): Promise<string[]> => {
    for (const each of found) for (const path of await imports(each)) found.add(join(dirname(each), path));
    return [...found].sort();
  };
  const workflow = await all("dist/index.js");
  const registry = [...(await all("dist/entities.js")), ...(await all("dist/entities/formats/all.js"))];
  const runs = await all("dist/run/embedded/embedded-engine.js");
  // The registry imports the formats late, and they are in the file that it has loaded by then.
  expect([workflow, registry, runs].map((files) => new Set(files).size)).toEqual([4, 6, 5]);
  expect(workflow).not.toContain("dist/runs.js");
  expect(workflow.concat(runs)).not.toContain("dist/registry.js");
  expect(registry.filter((file) => /\/(?:runs|shared|workflow)/.test(file))).toEqual([]);
  // What reads the tools' files is for the registry alone, although the two share a file.
  const sources: string[] = [];
  for (const file of new Set([...runs, ...(await all("dist/toolkit.js"))])) {
    const map = Bun.file(join(published, `${file}.map`));
    if (await map.exists()) sources.push(...(await map.json()).sources);
  }
  expect(sources.some((source) => source.endsWith("src/run/local-engine.ts"))).toBe(true);
  expect(sources.filter((source) => /src\/entities\/(?:tools|formats|frontmatter|lint)\//.test(source))).toEqual([]);
});

test("source maps of a build lead to the sources; tarballs leave them out", async () => {
  const samples = {
    registry: "entities/discover.ts",
    "registry-runs": "entities/arguments.ts",
    runs: "graph/interpret/interpret.ts",
  };
  for (const [bundle, sample] of Object.entries(samples)) {
    const map = await Bun.file(join(published, `dist/${bundle}.js.map`)).json();
    const index = map.sources.findIndex((source: string) => source.endsWith(`src/${sample}`));
    expect(map.sourcesContent[index]).toBe(await Bun.file(join(own, "src", sample)).text());
  }
});

test("types and modules are all there, and nothing of this repository", async () => {
  const lint = Bun.spawnSync([
    join(repository, "node_modules/.bin/publint"),
    "run",
    published,
    "--strict",
    "--pack",
    "false",
  ]);
  expect(lint.stdout.toString() + lint.stderr.toString()).toContain("All good!");
  const { exports, ...rest } = await Bun.file(join(published, "package.json")).json();
  expect(Object.keys(exports)).toEqual(exported);
  expect(rest).not.toHaveProperty("devDependencies");
  for (const [path, targets] of Object.entries<Record<string, string>>(exports)) {
    const isTyped = !path.endsWith(".json") && !path.startsWith("./internal/");
    expect(Object.keys(targets)).toEqual(isTyped ? ["types", "default"] : ["default"]);
    if (path.includes("*")) continue;
    for (const target of Object.values(targets)) expect(await Bun.file(join(published, target)).exists()).toBe(true);
  }
  expect((await readdir(published)).sort()).toEqual([
    "LICENSE",
    "README.md",
    "THIRD-PARTY-LICENSES",
    "builtin",
    "dist",
    "package.json",
    "schema",
  ]);
  expect(Object.keys(rest.dependencies)).toEqual(["@swc/wasm-typescript", "yaml"]);
  const packed = Bun.spawnSync(["npm", "pack", "--dry-run"], { cwd: own });
  expect({ code: packed.exitCode, text: packed.stderr.toString() }).toEqual({
    code: 1,
    text: expect.stringContaining("Run `npm run pack` for the tarballs."),
  });
});

test("a strict project type-checks with nothing else of ours installed", async () => {
  const imports = modules.map((each, index) => `import * as m${index} from "@atomic/workflows/${each.slice(2)}";`);
  await Bun.write(
    join(folder.path, "user/index.ts"),
    `${imports.join("\n")}\nexport const all: object[] = [${modules.map((_, index) => `m${index}`)}];\n`,
  );
  await Bun.write(
    join(folder.path, "user/tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        ...{ module: "nodenext", target: "es2022", lib: ["es2023", "esnext.disposable"], strict: true },
        ...{ exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true, types: ["node"] },
      },
    }),
  );
  const { exitCode, stdout } = Bun.spawnSync([
    join(repository, "node_modules/.bin/tsc"),
    "-p",
    join(folder.path, "user"),
  ]);
  const ours = stdout
    .toString()
    .split("\n")
    .filter((line) => line.includes("@atomic"));
  expect({ ours, exitCode }).toEqual({ ours: [], exitCode: 0 });
});
