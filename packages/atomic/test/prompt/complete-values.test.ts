// The values that Tab looks up: real files, and the nodes of real runs.
import { expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { toolNode } from "@atomic/workflows/internal/graph/action-nodes";
import { type ValueSources, valuesFrom } from "../../src/prompt/complete-values.ts";
import { contextIn } from "../atomic.ts";
import { begin, newGraph } from "../runs/begun.ts";

function knowing(runs: readonly string[]): ValueSources {
  const none = (): readonly string[] => [];
  return { openRuns: none, runs: async () => runs, workflows: none, models: async () => [], names: none };
}

test("files include those with spaces", async () => {
  const files = { "my file.txt": "", "myother.txt": "", "my folder/a b.txt": "", ".hidden": "" };
  await using project = await tmpProject({ git: false, files });
  const { context } = contextIn(project);
  const filesFor = async (word: string): Promise<readonly string[]> =>
    (await valuesFrom(["file"], word, context, knowing([]))).filter((name) => /my|hidden/.test(name));
  expect(await filesFor("my")).toEqual(["my file.txt", "my folder/", "myother.txt"]);
  expect(await filesFor("my folder/")).toEqual(["my folder/a b.txt"]);
  expect(await filesFor("@my folder/a")).toEqual(["@my folder/a b.txt"]);
  // A sentence that begins with a quote.
  expect(await filesFor("look at my folder/a")).toEqual([]);
  expect(await filesFor('see "my')).toContain("my file.txt");
  expect(await filesFor("look in/src and my")).toContain("myother.txt");
});

test("of very many files, those that fit are not cut off", async () => {
  const files = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`many/a${n}.txt`, ""]));
  await using project = await tmpProject({ git: false, files: { ...files, "many/z one": "", "many/z two": "" } });
  const { context } = contextIn(project);
  const found = await valuesFrom(["file"], "many/z", context, knowing([]));
  expect(found.filter((name) => name.startsWith("many/z"))).toEqual(["many/z one", "many/z two"]);
});

test("nodes are those of the run, by its id or a prefix that only it has", async () => {
  await using project = await tmpProject({ git: false });
  const graph = newGraph()
    .start(toolNode({ id: "build", run: () => 1 }))
    .then(toolNode({ id: "tell", run: () => 2 }));
  await begin(project, graph);
  const { context } = contextIn(project);
  const nodesOf = async (run: string, ...others: readonly string[]): Promise<readonly string[]> =>
    await valuesFrom([`node of ${run}`], "", context, knowing(["calm-otter", ...others]));
  expect(await nodesOf("calm-otter")).toEqual(["build", "tell"]);
  expect(await nodesOf("calm")).toEqual(["build", "tell"]);
  expect(await nodesOf("calm", "calm-ivy")).toEqual([]);
  expect(await nodesOf("wide-raven")).toEqual([]);
});
