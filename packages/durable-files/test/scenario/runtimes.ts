// The three runtimes that the product code supports. Scenarios are bundled from source, so Node runs the same code.
import { join } from "node:path";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { temporaryFolder } from "@atomic/testing/temporary-folder";

export type Runtime = { name: string; command: readonly string[]; env: Record<string, string> };

export const runtimes: readonly Runtime[] = [
  { name: "Node", command: ["node"], env: {} },
  { name: "Bun", command: [process.execPath], env: {} },
  { name: "the Bun inside OpenCode", command: [opencodeBinary], env: { BUN_BE_BUN: "1" } },
];

/** All of them in a full sweep; an everyday run uses only the fastest. */
export const sampledRuntimes: readonly Runtime[] = process.env.SWEEP === "full" ? runtimes : runtimes.slice(1, 2);

export type Scenarios = AsyncDisposable & { run(runtime: Runtime, name: string, ...args: string[]): string[] };

/** Bundles the named scenarios; `run` returns the command line that runs one of them. */
export async function bundleScenarios(...names: string[]): Promise<Scenarios> {
  const folder = await temporaryFolder("scenarios-");
  const entrypoints = names.map((name) => join(import.meta.dirname, `${name}.ts`));
  await Bun.build({ entrypoints, outdir: folder.path, target: "node", conditions: ["bun"], naming: "[name].mjs" });
  return {
    run: ({ command }, name, ...args) => [...command, join(folder.path, `${name}.mjs`), ...args],
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
