// Runs whose outputs are together larger than anything that is kept as one value.
import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { scriptedHost } from "../src/hosts/scripted.ts";
import { append, graph, parallelNode, run, type StateOf, toolNode } from "../src/index.ts";
import { projectEngine } from "../src/project-engine.ts";

const isFull = process.env.SWEEP === "full";
setDefaultTimeout(isFull ? 600_000 : 60_000);

const host = scriptedHost({ script: () => "" });

/** 20 MB in the suite, which was too much once; 1 GB in a full sweep. */
const [nodes, characters] = isFull ? [100, 10_000_000] : [40, 500_000];

const state = { texts: append<string>() };
type State = StateOf<typeof state>;

const textOf = (at: number): string => `${at}:`.padEnd(characters, "x");

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true });
  return files.reduce((sum, file) => sum + (file.isFile() ? statSync(join(file.parentPath, file.name)).size : 0), 0);
}

/** Every output also goes into the state, half of them from inside of branches. */
function large(after: () => void) {
  const node = (at: number) => toolNode<State>({ id: `n${at}`, run: () => textOf(at), into: "texts" });
  const from = (first: number, count: number) => Array.from({ length: count }, (_, at) => node(first + at));
  const branches = [0, 1, 2, 3, 4].map((branch) => from(nodes / 2 + (branch * nodes) / 10, nodes / 10));
  const end = toolNode<State>({
    id: "end",
    run: ({ texts }) => {
      after();
      return texts.length;
    },
  });
  let built = graph({ name: "large", state }).start(node(0));
  for (const each of from(1, nodes / 2 - 1)) built = built.then(each);
  return built
    .then(parallelNode({ id: "fan", branches }))
    .then(end)
    .end();
}

test("many large outputs are kept once each, and are whole after a restart", async () => {
  await using folder = await temporaryFolder();
  let isBroken = true;
  const built = large(() => {
    if (isBroken) throw new Error("the power is out");
  });
  const options = { host, folder: folder.path, runId: "large" };
  await expect(run(built, options)).rejects.toThrow("the power is out");
  await projectEngine(folder.path, { interpret: async () => null }).reopen("large");
  isBroken = false;
  const { outputs, state: ended } = await run(built, options);
  expect(outputs.end).toBe(nodes);
  expect((ended.texts as readonly string[]).length).toBe(nodes);
  for (let at = 0; at < nodes; at++) {
    // Compared like this because the difference would be unreadable.
    expect([at, outputs[`n${at}`] === textOf(at)]).toEqual([at, true]);
    expect([at, (ended.texts as readonly string[])[at] === textOf(at)]).toEqual([at, true]);
  }
  expect(sizeOf(folder.path) / (nodes * characters)).toBeLessThan(1.05);
});
