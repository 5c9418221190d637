import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, symlinkSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { type Project, type ProjectOptions, tmpProject } from "@atomic/testing/project";
import { atomic } from "../atomic.ts";
import { build, runtimes } from "../program.ts";

setDefaultTimeout(120_000);
beforeAll(build);

const repository = join(import.meta.dirname, "../../../..");
const file = ".atomic/entity-names.d.ts";
const first = ".atomic/workflows/release.ts";
const agent = (name: string): string => `---\nname: ${name}\ndescription: Reviews a change\n---\nList the risks.\n`;

/** A project with one of each, and one agent in the home folder. */
async function projectWith(options: ProjectOptions = {}): Promise<Project> {
  const files = {
    ".claude/agents/reviewer.md": agent("reviewer"),
    ".claude/commands/ship.md": "Ship it.\n",
    "~/.claude/agents/mine.md": agent("mine"),
    ...options.files,
  };
  return await tmpProject({ ...options, files });
}

async function installWorkflows(project: Project): Promise<void> {
  await mkdir(project.path("node_modules/@atomic"), { recursive: true });
  symlinkSync(join(repository, "packages/workflows"), project.path("node_modules/@atomic/workflows"));
  symlinkSync(join(repository, "node_modules/@types"), project.path("node_modules/@types"));
}

/** The errors that the real compiler finds: `release.ts(3,20)`. */
async function errorsIn(project: Project, config: string): Promise<string[]> {
  const tsc = join(repository, "node_modules/.bin/tsc");
  const { stdout } = await project.run([tsc, "-p", config, "--pretty", "false"]);
  return stdout.split("\n").flatMap((line) => /[\w-]+\.ts\(\d+/.exec(line)?.[0] ?? []);
}

const mistaken = `import { agentNode, commandNode, graph, skillNode, subgraphNode } from "@atomic/workflows";
const all = graph({ name: "mistaken" });
all.then(agentNode({ agent: "reviewer" })).then(agentNode({ agent: "claude:user/mine" }));
all.then(skillNode({ skill: "commit" })).then(commandNode({ command: "ship" })).then(subgraphNode({ graph: "release" }));
all.then(agentNode({ agent: "revieer" }));
all.then(skillNode({ skill: "comit" }));
all.then(commandNode({ command: "shp" }));
all.then(subgraphNode({ graph: "relase" }));
all.then(agentNode({ agent: "mine" }));
export default all;
`;

test.each([
  ["a tsconfig of its own", {}, ".atomic"],
  [
    "the project's tsconfig",
    {
      "tsconfig.json": {
        compilerOptions: { noEmit: true, strict: true, skipLibCheck: true, module: "preserve" },
        include: ["src"],
      },
    },
    ".",
  ],
])("after `atomic init`, with %s, a wrong name is a type error", async (_whose, files, config) => {
  await using project = await projectWith({ files });
  await installWorkflows(project);
  await atomic(project, ["init"]);
  expect(await errorsIn(project, config)).toEqual([]);
  await project.write(".atomic/workflows/mistaken.ts", mistaken);
  expect(await errorsIn(project, config)).toEqual([5, 6, 7, 8, 9].map((line) => `mistaken.ts(${line}`));
  await atomic(project, ["types", "--user"]);
  expect(await errorsIn(project, config)).toEqual([5, 6, 7, 8].map((line) => `mistaken.ts(${line}`));
});

const strict = {
  ...{ strict: true, noUnusedLocals: true, noUnusedParameters: true, exactOptionalPropertyTypes: true },
  ...{ noUncheckedIndexedAccess: true, noPropertyAccessFromIndexSignature: true, noImplicitReturns: true },
  ...{ noImplicitOverride: true, isolatedModules: true, verbatimModuleSyntax: true, erasableSyntaxOnly: true },
};

test.each([
  ["with every strict option", strict],
  ["with a rootDir", { rootDir: "src" }],
  ["that requires types on exports", { declaration: true, isolatedDeclarations: true }],
  ["that has no types of its own", { types: [] }],
])("a tsconfig.json %s still has no errors after `atomic init`", async (_, more) => {
  const compilerOptions = { noEmit: true, skipLibCheck: true, module: "preserve", target: "es2022", ...more };
  const files = { "tsconfig.json": { compilerOptions, include: ["src"] }, "src/cart.ts": "export const cart = 1;\n" };
  await using project = await projectWith({ files });
  await installWorkflows(project);
  await atomic(project, ["init"]);
  const tsc = join(repository, "node_modules/.bin/tsc");
  expect(await project.run([tsc, "-p", "."])).toMatchObject({ code: 0, stdout: "" });
  if (await project.exists(".atomic/tsconfig.json"))
    expect(await project.run([tsc, "-p", ".atomic"])).toMatchObject({ code: 0, stdout: "" });
});

test("after `atomic init`, the workflows of the guides have no type errors", async () => {
  await using project = await projectWith();
  await installWorkflows(project);
  await atomic(project, ["init"]);
  for (const guide of ["maps", "crash-and-resume"]) {
    const text = readFileSync(join(repository, `docs/guide/${guide}.md`), "utf8");
    const [, path = "", code = ""] = /^```ts (\S+)\n([\s\S]*?)^```$/m.exec(text) ?? [];
    expect(code).toContain('from "node:fs"');
    await project.write(path, code);
  }
  expect(await errorsIn(project, ".atomic")).toEqual([]);
  expect(await project.json("package.json")).toMatchObject({ devDependencies: { "@types/node": expect.any(String) } });
});

test("the file is written, then up to date, and says what changed", async () => {
  await using project = await projectWith();
  const counts = "1 agent name, 1 command name, 14 skill names, 1 workflow name";
  expect(await atomic(project, ["types"])).toMatchObject({
    code: 0,
    stdout: `wrote ${file}: ${counts}\n`,
    stderr: `Left out 1 name in your home folder; --user includes them.
Run \`atomic init\` once, so TypeScript and your editor read the file.
`,
  });
  const text = await project.read(file);
  expect(await atomic(project, ["types"])).toMatchObject({
    code: 0,
    stdout: `${file} is up to date: ${counts}\n`,
    stderr: "",
  });
  await atomic(project, ["init"]);
  await project.remove(first);
  await rename(project.path(".claude/agents/reviewer.md"), project.path(".claude/agents/critic.md"));
  await project.write(".claude/agents/critic.md", agent("critic"));
  const { stdout, stderr } = await atomic(project, ["types"], { cwd: ".claude" });
  expect(stdout).toBe(`wrote ../${file}: ${counts}\n  + agent critic\n  - agent reviewer\n  - workflow release\n`);
  expect(stderr).toBe("Left out 1 name in your home folder; --user includes them.\n");
  expect(await project.read(file)).toBe(text.replace("reviewer", "critic"));
});

test("a check writes nothing, and fails if the file is missing or out of date", async () => {
  await using project = await projectWith();
  const outdated = `${file} does not exist:`;
  expect(await atomic(project, ["types", "--check"])).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining(outdated),
  });
  expect(await project.exists(".atomic")).toBe(false);
  await atomic(project, ["types"]);
  expect(await atomic(project, ["types", "--check"])).toMatchObject({ code: 0, stderr: "" });
  // Others do not have what is in your home folder, so it does not count.
  await project.write("~/.claude/agents/another.md", agent("another"));
  expect(await atomic(project, ["types", "--check"])).toMatchObject({ code: 0, stderr: "" });
  await project.write(".claude/commands/tidy\u202e.md", "Tidy up.\n");
  const { code, stderr } = await atomic(project, ["types", "--check"]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `${file} is out of date:\n  + command tidy\\u{202e}\nRun \`atomic types\`, and commit the file.\n`,
  });
  const json = JSON.parse((await atomic(project, ["types", "--check", "--json"])).stdout);
  expect(json).toMatchObject({
    ok: false,
    error: { code: "types-outdated" },
    added: [{ type: "command" }],
    removed: [],
  });
});

test("a formatter may lay the file out differently", async () => {
  await using project = await projectWith();
  await atomic(project, ["types"]);
  const text = await project.read(file);
  const formatted = text
    .replaceAll(/\n +\| /g, " | ")
    .replaceAll(": |", ":")
    .replaceAll('"', "'")
    .replaceAll(";", "");
  expect(formatted).not.toBe(text);
  await project.write(file, formatted);
  expect(await atomic(project, ["types", "--check"])).toMatchObject({ code: 0 });
  await atomic(project, ["types"]);
  expect(await project.read(file)).toBe(formatted);
});

test("--watch and --check cannot be combined", async () => {
  await using project = await projectWith();
  expect(await atomic(project, ["types", "--watch", "--check"])).toMatchObject({ code: 2 });
});

test.each(runtimes.slice(0, 2))(
  "on $name, a watch follows files that appear, change and vanish, and ends with Ctrl-C",
  async (runtime) => {
    await using project = await projectWith();
    const watch = await project.start([...runtime.command, "types", "--watch"], { env: runtime.env });
    await watch.printed(/^wrote /, 30_000);
    await project.write(".opencode/agent/painter.md", agent("painter"));
    await watch.printed(/\n {2}\+ agent painter\n/, 30_000);
    await project.write(".claude/agents/reviewer.md", agent("critic"));
    await watch.printed(/\n {2}\+ agent critic\n {2}- agent reviewer\n/, 30_000);
    await project.remove(".opencode");
    await watch.printed(/\n {2}- agent painter\n/, 30_000);
    await project.remove(file);
    await watch.printed(/- agent painter\nwrote [^\n]+\n$/, 30_000);
    expect(await project.read(file)).toContain('readonly agent:\n      | "critic";');
    expect(watch.stderr).toBe("Watching for changes; press Ctrl-C to stop.\n");
    process.kill(watch.pid, "SIGINT");
    expect(await watch.exited).toMatchObject({ code: 130 });
    expect(() => process.kill(-watch.pid, 0)).toThrow("ESRCH");
  },
);
