// The `atomic` command beside the library, as npm installs both globally, in folders with awkward names.
import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { npmRegistry, type PackageToPublish } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";

setDefaultTimeout(120_000);

const repository = join(import.meta.dirname, "../..");

const tidy = `import { defineGraph } from "@atomic/workflows/graph/define-graph";
import { toolNode } from "@atomic/workflows/graph/nodes/tool";
const word: string = "tidied";
export default defineGraph({ name: "tidy" }, (graph) => graph.start(toolNode({ id: "sweep", run: (): string => word })));
`;

/** The package as it lies here, and everything that it needs. */
function installed(name: string, found = new Map<string, PackageToPublish>()): Map<string, PackageToPublish> {
  const folder = join(repository, "node_modules", name);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name).slice(folder.length + 1))
    .filter((path) => !/^(?:node_modules|test|src)\/|\.(?:map|tsbuildinfo)$/.test(path));
  const files = Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path))]));
  found.set(name, { name, version: manifest.version, manifest, files });
  for (const needed of Object.keys(manifest.dependencies ?? {})) if (!found.has(needed)) installed(needed, found);
  return found;
}

// npm puts the library beside the command then, so it finds only what it names as its own dependency.
test("a TypeScript workflow runs where the command and the library are both installed globally", async () => {
  await using registry = await npmRegistry();
  for (const release of installed("@atomic/cli").values()) registry.publish(release);
  await using project = await tmpProject({ registry, files: { "späce #1/.atomic/workflows/tidy.ts": tidy } });
  const global = project.path("~/glöbal 100%41");
  const argv = ["npm", "install", "--global", "--prefix", global, "@atomic/cli", "@atomic/workflows"];
  expect(await project.run(argv, { timeout: 100_000 })).toMatchObject({ code: 0 });
  const ran = await project.run(["node", join(global, "bin/atomic"), "run", "tidy"], { cwd: project.path("späce #1") });
  expect(ran).toMatchObject({ stdout: "tidied\n", code: 0 });
});
