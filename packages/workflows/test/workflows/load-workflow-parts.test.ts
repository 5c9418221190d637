import { describe, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import { initializeWorkflowsSDK } from "../../src/entities/initialize.ts";
import type { EntityRegistry } from "../../src/entities/registry.ts";
import { compileGraph } from "../../src/graph/compile.ts";
import { loadWorkflow, loadWorkflowWithParts } from "../../src/graph/load-workflow.ts";

function running(name: string, ...others: readonly string[]): string {
  const nodes = others.map((other) => `.then(subgraphNode({ graph: "${other}" }))`).join("");
  return `import { defineGraph, subgraphNode, toolNode } from "@atomic/workflows";
export default defineGraph({ name: "${name}" }, (g) => g.start(toolNode({ run: () => "${name}" }))${nodes});\n`;
}

interface Place extends AsyncDisposable {
  readonly path: string;
  readonly registry: EntityRegistry;
}

async function projectWith(workflows: Readonly<Record<string, string>>): Promise<Place> {
  const folder: TemporaryFolder = await temporaryFolder();
  for (const [path, text] of Object.entries(workflows)) {
    const file = join(folder.path, path);
    await mkdir(dirname(file), { recursive: true });
    await Bun.write(file, text);
  }
  const bases = { projectPath: join(folder.path, "project"), userPath: join(folder.path, "home") };
  await Promise.all(Object.values(bases).map((base) => mkdir(base, { recursive: true })));
  const registry = await initializeWorkflowsSDK(bases);
  return { path: folder.path, registry, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const ours = "project/.atomic/workflows";

describe("a workflow by its name", () => {
  test("comes with all workflows that it runs by name, wherever they are", async () => {
    await using place = await projectWith({
      [`${ours}/release.ts`]: running("release", "Check", "notes"),
      [`${ours}/check.ts`]: running("check", "notes"),
      "home/.atomic/workflows/notes.js": running("notes"),
      [`${ours}/unused.ts`]: "throw new Error('nobody runs this');\n",
    });
    const { entity, graph, workflows } = await loadWorkflowWithParts(place.registry, "Release");
    expect(entity.source.path).toBe(join(place.path, ours, "release.ts"));
    expect(Object.keys(workflows).sort()).toEqual(["Check", "notes"]);
    const { json } = compileGraph(graph, place.registry, { workflows });
    expect(JSON.stringify(json.nodes)).toContain('"name":"notes"');
  });

  test("that is unknown is reported when the graph is compiled, with suggestions", async () => {
    await using place = await projectWith({
      [`${ours}/release.ts`]: running("release", "chekc", "nots"),
      [`${ours}/check.ts`]: running("check"),
    });
    const { graph, workflows } = await loadWorkflowWithParts(place.registry, "release");
    expect(workflows).toEqual({});
    expect(() => compileGraph(graph, place.registry, { workflows })).toThrow(
      /Workflow not found: "chekc" \(did you mean "check"\?\)[\s\S]*Workflow not found: "nots"/,
    );
  });

  test("that contains itself is refused when it is compiled, not loaded forever", async () => {
    await using place = await projectWith({
      [`${ours}/one.ts`]: running("one", "two"),
      [`${ours}/two.ts`]: running("two", "one"),
    });
    const { graph, workflows } = await loadWorkflowWithParts(place.registry, "one");
    expect(() => compileGraph(graph, place.registry, { workflows })).toThrow(
      'The workflow "one" would contain itself.',
    );
  });

  test("of another type, or unknown, is refused with a suggestion", async () => {
    await using place = await projectWith({ [`${ours}/check.ts`]: running("check") });
    expect(loadWorkflowWithParts(place.registry, "chek")).rejects.toThrow('did you mean "check"');
    expect(loadWorkflow(place.registry.require("skill", "commit"))).rejects.toMatchObject({ code: "not-a-workflow" });
  });

  test("whose file is gone is refused", async () => {
    await using place = await projectWith({ [`${ours}/check.ts`]: running("check") });
    await Bun.file(join(place.path, ours, "check.ts")).delete();
    expect(loadWorkflowWithParts(place.registry, "check")).rejects.toMatchObject({
      code: "file-missing",
      hint: "Reload the entities.",
    });
  });
});
