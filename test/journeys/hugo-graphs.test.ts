// A package with a graph is installed by Hugo and loaded by Atomic, on Node, in a project that has nothing else installed.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Project, tmpProject } from "@atomic/testing/project";
import { buildAtomic } from "./atomic.ts";
import { bundleHugo, hugo } from "./hugo.ts";

setDefaultTimeout(180_000);

const root = join(import.meta.dirname, "../..");
const compiled = (module: string): string => pathToFileURL(join(root, "packages/workflows/dist", module)).href;

beforeAll(async () => {
  await buildAtomic();
  await bundleHugo();
});

const program = `
const { compileGraph } = await import(${JSON.stringify(compiled("graph/compile.js"))});
const { loadWorkflowWithParts } = await import(${JSON.stringify(compiled("graph/load-workflow.js"))});
const { initializeWorkflowsSDK } = await import(${JSON.stringify(compiled("entities/initialize.js"))});
const registry = await initializeWorkflowsSDK();
try {
  const { entity, graph, workflows } = await loadWorkflowWithParts(registry, "changelog");
  const { json, functions } = compileGraph(graph, registry, { workflows });
  const state = { input: { since: "v1.0.0" }, remarks: "none" };
  const prompt = functions.get("write:prompt")(state);
  console.log(JSON.stringify({ source: entity.source, hint: graph.argumentHint, entities: json.entities, prompt }));
} catch (error) {
  console.log(JSON.stringify({ problem: error.message }));
}`;

interface Found {
  readonly source?: { readonly provider: string; readonly workflow: string; readonly path: string };
  readonly hint?: string;
  readonly entities?: Readonly<Record<string, string>>;
  readonly prompt?: string;
  readonly problem?: string;
}

async function changelogIn(project: Project): Promise<Found> {
  const { stdout, stderr, code } = await project.run(["node", "--input-type=module", "--eval", program]);
  if (code !== 0 || stderr !== "") throw new Error(stderr);
  return JSON.parse(stdout);
}

/** The example, in a folder of the project; as it is, or with an entry for OpenCode. */
async function packageIn(project: Project, delivery: "copy" | "plugin"): Promise<void> {
  await cp(join(root, "examples/changelog"), project.path("changelog"), { recursive: true });
  if (delivery === "copy") return;
  const manifest = JSON.parse(await project.read("changelog/package.json"));
  await project.write("changelog/package.json", JSON.stringify({ ...manifest, main: "plugin.js", files: undefined }));
  await project.write("changelog/plugin.js", 'export default { id: "changelog", server: async () => ({}) };\n');
}

test.each([
  ["copied", "copy", /\.opencode\/workflows\/changelog\.ts$/, "opencode:project/"],
  [
    "loaded as a plugin",
    "plugin",
    /\.hugo\/store\/.*\/node_modules\/@example\/changelog\/workflows\//,
    "hugo:project/",
  ],
] as const)("a graph of a package that is %s is found, loaded and compiled", async (_how, delivery, path, origin) => {
  await using project = await tmpProject();
  await packageIn(project, delivery);
  expect((await changelogIn(project)).problem).toContain('Workflow not found: "changelog"');

  await hugo(project, "install", "./changelog", "--yes");
  const found = await changelogIn(project);
  expect(found.problem).toBeUndefined();
  expect(found.source).toMatchObject({ provider: "hugo", workflow: "changelog" });
  expect(found.source?.path).toMatch(path);
  expect(found.hint).toBe("<since> | --max-iterations <n>");
  expect(found.entities).toEqual({
    "agent:changelog-checker": `${origin}changelog-checker`,
    "agent:changelog-writer": `${origin}changelog-writer`,
  });
  expect(found.prompt).toStartWith("Write the entry for everything that changed since v1.0.0");

  await hugo(project, "disable", "changelog");
  expect((await changelogIn(project)).problem).toContain('Workflow not found: "changelog"');
  await hugo(project, "enable", "changelog");
  expect((await changelogIn(project)).source?.path).toMatch(path);
  await hugo(project, "remove", "changelog", "--yes");
  expect((await changelogIn(project)).problem).toContain('Workflow not found: "changelog"');
});
