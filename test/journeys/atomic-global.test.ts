// The `atomic` command beside the library, as npm installs both globally, in folders with awkward names.
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { publishFolder } from "@atomic/testing/publish-folder";

setDefaultTimeout(120_000);

const repository = join(import.meta.dirname, "../..");

const tidy = `import { defineGraph, toolNode } from "@atomic/workflows";
const word: string = "tidied";
export default defineGraph({ name: "tidy" }, (graph) => graph.start(toolNode({ id: "sweep", run: (): string => word })));
`;

/** As they are published, and what they need. */
const published = [
  ...["packages/atomic", ".build/packages/workflows"],
  ...["node_modules/yaml", "node_modules/@swc/wasm-typescript"],
];

// npm puts the library beside the command then, so it finds only what it names as its own dependency.
test("a TypeScript workflow runs where the command and the library are both installed globally", async () => {
  await using registry = await npmRegistry();
  await using project = await tmpProject({ registry, files: { "späce #1/.atomic/workflows/tidy.ts": tidy } });
  for (const folder of published) await publishFolder(registry, project, join(repository, folder));
  const global = project.path("~/glöbal 100%41");
  const argv = ["npm", "install", "--global", "--prefix", global, "@atomic/cli", "@atomic/workflows"];
  expect(await project.run(argv, { timeout: 100_000 })).toMatchObject({ code: 0 });
  const ran = await project.run(["node", join(global, "bin/atomic"), "run", "tidy"], { cwd: project.path("späce #1") });
  expect(ran).toMatchObject({ stdout: "tidied\n", code: 0 });
});
