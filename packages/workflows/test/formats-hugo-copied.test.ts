// Graphs among the files that Hugo copied beside OpenCode's.
import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import { initializeWorkflowsSDK } from "../src/entities/initialize.ts";
import type { EntityRegistry } from "../src/entities/registry.ts";

const file = { source: "x", base: `sha256:${"a".repeat(64)}` };
const copied = {
  package: "@org/notes",
  source: "@org/notes",
  version: "1.0.0",
  delivery: "copy",
  agents: ["writer"],
  commands: [],
  skills: [],
  files: { "agents/writer.md": file, "workflows/notes.ts": file, "workflows/notes/ask.md": file },
};
const graph = 'export default defineGraph({ name: "notes", description: "Writes notes" });\n';
const files = {
  ".opencode/agents/writer.md": "---\ndescription: Writes\n---\n",
  ".opencode/workflows/notes.ts": graph,
  ".opencode/workflows/notes/ask.md": "Ask.",
  ".opencode/workflows/other.ts": "export default {};\n",
};

interface Place extends AsyncDisposable {
  readonly path: string;
  load(): Promise<EntityRegistry>;
}

async function projectWith(workflow: object, more: Readonly<Record<string, string>> = files): Promise<Place> {
  const folder: TemporaryFolder = await temporaryFolder();
  const lock = JSON.stringify({ version: 1, workflows: { notes: workflow } });
  for (const [path, text] of Object.entries({ ...more, ".opencode/hugo.json": lock })) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  }
  mkdirSync(join(folder.path, "home"));
  const load = () => initializeWorkflowsSDK({ projectPath: folder.path, userPath: join(folder.path, "home") });
  return { path: folder.path, load, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const workflowsOf = (registry: EntityRegistry): string[] =>
  registry.all("workflow").flatMap(({ name, source }) => (source.location === "builtin" ? [] : [name]));

describe("a workflow that Hugo copied", () => {
  test("is listed by its graph, without the other files there", async () => {
    await using place = await projectWith(copied);
    const registry = await place.load();
    expect(workflowsOf(registry)).toEqual(["notes"]);
    expect(registry.getWorkflow("notes")).toMatchObject({
      description: "Writes notes",
      source: {
        provider: "hugo",
        location: "project",
        workflow: "notes",
        place: ".opencode/workflows/notes.ts",
        path: join(place.path, ".opencode/workflows/notes.ts"),
      },
    });
    expect(registry.getAgent("writer")?.source.provider).toBe("opencode");
    expect(registry.diagnostics()).toEqual([]);
  });

  test.each([
    ["is disabled", { ...copied, parked: true }, files],
    ["has lost its file", copied, { ".opencode/agents/writer.md": "x" }],
    ["says nothing of files", { ...copied, files: null }, files],
    ["names files elsewhere", { ...copied, files: { "workflows/../../x.ts": file, "workflows/a/b.ts": file } }, files],
  ])("is not listed when it %s", async (_why, workflow, there) => {
    await using place = await projectWith(workflow, there);
    expect(workflowsOf(await place.load())).toEqual([]);
  });

  test("is not read through a link that leads elsewhere", async () => {
    await using place = await projectWith(copied, { "outside.ts": graph, ".opencode/workflows/x": "" });
    symlinkSync(join(place.path, "outside.ts"), join(place.path, ".opencode/workflows/notes.ts"));
    const registry = await place.load();
    expect(workflowsOf(registry)).toEqual([]);
    expect(registry.diagnostics().map(({ code }) => code)).toEqual(["hugo-link-outside"]);
  });

  test("loses to a workflow of the project", async () => {
    await using place = await projectWith(copied, { ...files, ".atomic/workflows/notes.ts": graph });
    expect((await place.load()).getWorkflow("notes")?.source.provider).toBe("atomic");
  });
});
