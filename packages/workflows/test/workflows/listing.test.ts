// Which workflow a name means, among those of the project, the user and the package.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { getCommandHint } from "../../src/entities/hints.ts";
import { initializeWorkflowsSDK, registerBuiltins } from "../../src/entities/initialize.ts";
import { createEntityRegistry, type EntityRegistry } from "../../src/entities/registry.ts";
import { loadWorkflow } from "../../src/graph/load-workflow.ts";

const mine = (whose: string): string => `import { graph, waitNode } from "@atomic/workflows";
export default graph({ name: "ralph", description: "Of the ${whose}" }).start(waitNode({ prompt: "?" }));\n`;

interface Place extends AsyncDisposable {
  readonly path: string;
  readonly registry: EntityRegistry;
}

async function ralphsOf(...owners: readonly ("project" | "user")[]): Promise<Place> {
  const folder = await temporaryFolder();
  for (const owner of ["project", "user"] as const) {
    const text = owners.includes(owner) ? mine(owner) : "";
    await Bun.write(join(folder.path, owner, ".atomic/workflows", text === "" ? "README.md" : "ralph.ts"), text);
  }
  const bases = { projectPath: join(folder.path, "project"), userPath: join(folder.path, "user") };
  const registry = await initializeWorkflowsSDK(bases);
  return { path: folder.path, registry, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

describe("of workflows with one name", () => {
  test.each([
    ["the project's", ["project", "user"], "project"],
    ["the user's, where the project has none,", ["user"], "user"],
    ["the package's, where neither has one,", [], "builtin"],
  ] as const)("%s is run", async (_whose, owners, location) => {
    await using place = await ralphsOf(...owners);
    const entity = place.registry.require("workflow", "ralph");
    expect(entity.source.location).toBe(location);
    const { description } = await loadWorkflow(entity);
    expect(description).toBe(location === "builtin" ? entity.description : `Of the ${location}`);
    expect(entity.description).toBe(description ?? "");
  });

  test("the others are shadowed, but still available by their qualified names", async () => {
    await using place = await ralphsOf("project", "user");
    const { registry } = place;
    const [shadowed, ...more] = registry.shadowed().filter(({ entity }) => entity.type === "workflow");
    expect([shadowed, ...more].map((each) => each?.entity.source.location).sort()).toEqual(["builtin", "user"]);
    expect(registry.getWorkflow("atomic:builtin/ralph")?.source.location).toBe("builtin");
    expect(registry.getWorkflow("atomic:user/ralph")?.source.location).toBe("user");
  });
});

describe("the hint of a workflow that was never run", () => {
  test("is what `atomic run` accepts after its name", async () => {
    await using folder = await temporaryFolder();
    const project = join(folder.path, "project");
    const written = {
      release: 'arguments: { version: { type: "rest", required: true }, dryRun: { type: "boolean" } },',
      tidy: 'arguments: { maxFiles: { type: "number", value: "count", default: 10, min: 1 } },',
      explain: 'argumentHint: "<topic>",',
      plain: "",
    };
    for (const [name, more] of Object.entries(written)) {
      const text = `import { graph, waitNode } from "@atomic/workflows";
export default graph({ name: "${name}", ${more} }).start(waitNode({ prompt: "$1?" }));\n`;
      await Bun.write(join(project, `.atomic/workflows/${name}.ts`), text);
    }
    const registry = await initializeWorkflowsSDK({ projectPath: project, userPath: join(folder.path, "user") });
    const hints = Object.keys(written).map((name) => [name, getCommandHint(name, registry)]);
    expect(Object.fromEntries(hints)).toEqual({
      release: "<version> | --dry-run",
      tidy: "[--max-files <count>]",
      explain: "<topic>",
      plain: undefined,
    });
    for (const [name, hint] of [...hints, ["ralph", getCommandHint("ralph")]]) {
      const graph = await loadWorkflow(registry.require("workflow", name ?? ""));
      expect(graph.argumentHint).toBe(hint!);
    }
  });
});

test("a package whose files were left behind says so", () => {
  const registry = createEntityRegistry();
  registerBuiltins(registry);
  expect(registry.diagnostics()).toEqual([]);
  expect(registry.all("workflow").map(({ name }) => name)).toEqual(["ralph"]);
});
