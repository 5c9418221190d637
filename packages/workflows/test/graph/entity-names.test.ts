import { expect, setDefaultTimeout, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { createEntityRegistry } from "../../src/entities/registry.ts";
import { entityNamesFile } from "../../src/graph/entity-names-file.ts";
import { entity } from "../entities.ts";
import { registryWith } from "./run-graph.ts";

setDefaultTimeout(180_000);

const own = join(import.meta.dirname, "../..");
const repository = join(own, "../..");

const registry = registryWith({
  agent: ["debugger"],
  more: [
    entity("Commit", "claude:project", { type: "skill", aliases: ["ci"] }),
    entity("commit", "claude:user", { type: "skill" }),
    entity('odd "name"\u2028', "claude:project", { type: "skill" }),
  ],
});

test("the file lists names and aliases of each type, sorted", () => {
  expect(entityNamesFile(registry)).toBe(`// Generated: names of the entities of this project.
import "@atomic/workflows/entity-names";

declare module "@atomic/workflows/entity-names" {
  interface KnownEntities {
    readonly agent:
      | "debugger";
    readonly command: never;
    readonly skill:
      | "Commit"
      | "ci"
      | "commit"
      | "odd \\"name\\"\u2028";
    readonly workflow: never;
  }
}
`);
});

test("with the file an unknown name is a type error, without it any name is accepted", async () => {
  await using folder = await temporaryFolder();
  const scope = join(folder.path, "node_modules/@atomic");
  await mkdir(scope, { recursive: true });
  symlinkSync(own, join(scope, "workflows"));
  await Bun.write(
    join(folder.path, "workflow.ts"),
    `import { agentNode, skillNode, subgraphNode } from "@atomic/workflows";
skillNode({ skill: "commit" });
skillNode({ skill: "ci" });
skillNode({ skill: "claude:user/commit" });
agentNode({ agent: "debugger", prompt: "Hi" });
agentNode({ prompt: "Hi" });
skillNode({ skill: "comit" }); // line 9
agentNode({ agent: "debuger" }); // line 10
subgraphNode({ graph: "nothing" }); // line 11
`,
  );
  await Bun.write(
    join(folder.path, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        module: "nodenext",
        target: "es2022",
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        types: [],
        customConditions: ["bun"],
        allowImportingTsExtensions: true,
        lib: ["es2023", "esnext.disposable", "dom"],
      },
      include: ["*.ts"],
    }),
  );
  const check = (): string => {
    const tsc = join(repository, "node_modules/.bin/tsc");
    return Bun.spawnSync([tsc, "-p", folder.path, "--pretty", "false"], { cwd: folder.path }).stdout.toString();
  };
  expect(errorsIn(check())).toEqual([]);
  await Bun.write(join(folder.path, "names.d.ts"), entityNamesFile(registry));
  expect(errorsIn(check())).toEqual(["workflow.ts(7", "workflow.ts(8", "workflow.ts(9"]);
});

test("a project without entities also gets a file", () => {
  expect(entityNamesFile(createEntityRegistry())).toContain("readonly agent: never;");
});

/** Only those of the project: the types of Node are not there. */
function errorsIn(output: string): string[] {
  return output.split("\n").flatMap((line) => /^workflow\.ts\(\d+/.exec(line)?.[0] ?? []);
}
