import { describe, expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Project, tmpProject } from "@atomic/testing/project";
import { verify } from "../../src/commands/verify.ts";
import { hashOf } from "../../src/packages/hash.ts";
import { contextOf, copiedWorkflow, input, install, pluginWorkflow, store } from "./workspace.ts";

const page = { colour: false } as const;
const copied = { "agents/linter.md": "lint\n", "commands/lint.md": "run\n" };
const packaged = { "package.json": '{ "name": "@org/review" }\n', "index.js": "export default {};\n" };
const template = join(import.meta.dirname, "../../templates/hugo-check.js");
const cache = "~/.cache/opencode/packages/@org/review@1.0.0/node_modules/@org/review";

/** The plugin's entry, as an earlier Hugo wrote it: OpenCode keeps its own copy for it. */
const byName = { $schema: "x", plugin: ["@org/review@1.0.0"] };

/** A plugin and a copied workflow, both as they were installed. */
async function installBoth(project: Project): Promise<void> {
  const plugin = pluginWorkflow("review", { tree: await store(project, "review", "@org/review", packaged) });
  const lint = copiedWorkflow("lint", copied);
  const tree = await store(project, "lint", lint.package, copied);
  const pin = `./${await storeFolder(project, "review")}/@org/review`;
  await project.write("opencode.json", { $schema: "x", plugin: [pin] });
  await install(project, { review: plugin, lint: { ...lint, tree } }, copied);
  await project.write(".opencode/plugins/hugo-check.js", await readFile(template, "utf8"));
  for (const [path, content] of Object.entries(packaged)) await project.write(`${cache}/${path}`, content);
}

async function storeFolder(project: Project, workflow: string): Promise<string> {
  const entries = await readdir(project.path(".opencode/.hugo/store"));
  return `.opencode/.hugo/store/${entries.find((name) => name.startsWith(`${workflow}-`))}/node_modules`;
}

describe("verify", () => {
  test("is content with what is as it was installed", async () => {
    await using project = await tmpProject();
    await installBoth(project);
    const result = await verify.run(contextOf(project), { ...input, name: undefined });
    // lint: two in the store, two bases, two files; review: two in the store, hugo-check.js.
    expect(verify.report.text(result, page)).toBe(
      "✓ lint v2.1.0\n✓ review v1.0.0\n2 workflows, 9 files hashed: all match hugo.json\n",
    );
    expect(verify.report.notes(result, page)).toBe("");
    expect(verify.report.exitCode(result)).toBe(0);
  });

  test("names local edits, which are nothing wrong", async () => {
    await using project = await tmpProject();
    await installBoth(project);
    await project.write(".opencode/agents/linter.md", "mine\n");
    await project.remove(".opencode/commands/lint.md");
    const result = await verify.run(contextOf(project), { ...input, name: "lint" });
    expect(verify.report.text(result, page)).toBe(`✓ lint v2.1.0
  .opencode/agents/linter.md: locally modified
  .opencode/commands/lint.md: locally deleted
1 workflow, 6 files hashed: all match hugo.json except the 2 files above
`);
    expect(verify.report.exitCode(result)).toBe(0);
  });

  test("sums up what a clone lacks", async () => {
    await using project = await tmpProject();
    const files = Object.fromEntries(["a", "b", "c", "d"].map((name) => [`agents/${name}.md`, `${name}\n`]));
    const tree = hashOf("its package");
    const lint = { ...copiedWorkflow("lint", files), tree };
    await install(project, { lint, more: { ...copiedWorkflow("more", { "agents/e.md": "e\n" }), tree } });
    await project.remove(".opencode/.hugo");
    const result = await verify.run(contextOf(project), { ...input, name: undefined });
    const [missing] = result.workflows.map(({ differences }) => differences.map(({ kind }) => kind));
    expect(missing?.filter((kind) => kind === "base-missing").length).toBe(4);
    expect(verify.report.text(result, page)).toContain(
      "  agents/a.md and 3 more: The package's original files are missing from the store or damaged.\n",
    );
    expect(verify.report.notes(result, page)).toBe("Warning: Next for lint, more: hugo ci\n");
  });

  const changes: readonly [what: string, change: (project: Project) => Promise<void>, kind: string, at: RegExp][] = [
    [
      "a byte in the store",
      async (project) =>
        await project.write(`${await storeFolder(project, "review")}/@org/review/index.js`, "export default {}; \n"),
      "store-changed",
      /^store$/,
    ],
    [
      "a file more in the store",
      async (project) =>
        await project.write(`${await storeFolder(project, "lint")}/@org/lint-workflow/more.md`, "more\n"),
      "store-changed",
      /^store$/,
    ],
    [
      "a link in the store",
      async (project) => {
        const folder = `${await storeFolder(project, "lint")}/@org/lint-workflow`;
        await project.run(["ln", "-s", "/etc/passwd", `${folder}/agents/passwd.md`]);
      },
      "store-changed",
      /^store$/,
    ],
    ["a missing store", (project) => project.remove(".opencode/.hugo/store"), "store-missing", /^store$/],
    [
      "a damaged base",
      (project) => project.write(`.opencode/.hugo/bases/${hashOf("lint\n").slice(7)}`, "lynt\n"),
      "base-missing",
      /^agents\/linter\.md$/,
    ],
    [
      "a moved pin",
      (project) => project.write("opencode.json", { $schema: "x", plugin: ["@org/review@1.0.1"] }),
      "entry-changed",
      /^opencode\.json$/,
    ],
    [
      "another file in OpenCode's cache",
      async (project) => {
        await project.write("opencode.json", byName);
        await project.write(`${cache}/index.js`, "evil();\n");
      },
      "cache-changed",
      /@org\/review@1\.0\.0\/node_modules\/@org\/review\/index\.js$/,
    ],
    [
      "a file more in OpenCode's cache",
      async (project) => {
        await project.write("opencode.json", byName);
        await project.write(`${cache}/evil.js`, "evil();\n");
      },
      "cache-changed",
      /\/evil\.js$/,
    ],
  ];

  test.each(changes)("finds %s, names it and says what to do", async (_, change, kind, at) => {
    await using project = await tmpProject();
    await installBoth(project);
    await change(project);
    const result = await verify.run(contextOf(project), { ...input, name: undefined });
    const differences = result.workflows.flatMap((workflow) => workflow.differences);
    const difference = differences.find((each) => each.kind === kind);
    expect(difference?.at).toMatch(at);
    expect(verify.report.exitCode(result)).toBe(1);
    expect(verify.report.text(result, page)).toMatch(/ differs? from hugo\.json/);
    expect(verify.report.notes(result, page)).toStartWith("Warning: Next for ");
    if (kind === "entry-changed") expect(difference?.next).toStartWith("`hugo install --force @org/review`, ");
    expect(verify.report.json(result)).toMatchObject({
      workflows: expect.arrayContaining([expect.objectContaining({ verified: false })]),
    });
  });

  test("does not accept an entry for which OpenCode fetches the package by itself", async () => {
    await using project = await tmpProject();
    await installBoth(project);
    await project.write("opencode.json", byName);
    const result = await verify.run(contextOf(project), { ...input, name: "review" });
    expect(result.workflows).toMatchObject([{ differences: [{ kind: "entry-changed", next: "hugo ci" }] }]);
    expect(verify.report.exitCode(result)).toBe(1);
  });

  test("looks for a plugin from a repository in the store, however its path is written", async () => {
    await using project = await tmpProject();
    const tree = await store(project, "review", "@org/review", packaged);
    const plugin = `${project.dir}/${await storeFolder(project, "review")}/@org/review`;
    await project.write("opencode.json", { $schema: "x", plugin: [plugin] });
    const version = "a".repeat(40);
    await install(project, { review: pluginWorkflow("review", { tree, version, source: "github:org/review" }) });
    const result = await verify.run(contextOf(project), { ...input, name: undefined });
    expect(result.workflows).toMatchObject([{ name: "review", differences: [] }]);
  });
});
