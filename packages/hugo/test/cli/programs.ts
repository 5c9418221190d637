// Programs as people run them: `bin/hugo.js`, and the same command line over the sample commands.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";

const packageFolder = join(import.meta.dirname, "../..");
export const hugoBin: string = join(packageFolder, "bin/hugo.js");

export interface Runtime {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export const runtimes: readonly Runtime[] = [
  { name: "Node", command: ["node"], env: {} },
  { name: "Bun", command: [process.execPath], env: {} },
  { name: "the Bun inside OpenCode", command: [opencodeBinary], env: { BUN_BE_BUN: "1" } },
];

/** Brings the bundle that the bin runs up to date. */
export async function bundleHugo(): Promise<void> {
  await bundlePackages("hugo-pm");
}

export interface SampleProgram extends AsyncDisposable {
  readonly script: string;
}

/** In a form that Node runs, too. */
export async function bundleSampleProgram(): Promise<SampleProgram> {
  const folder: TemporaryFolder = await temporaryFolder("sample-program-");
  await Bun.build({
    entrypoints: [fileURLToPath(import.meta.resolve("./sample-program.ts"))],
    outdir: folder.path,
    naming: "[name].mjs",
    target: "node",
    conditions: ["bun"],
  });
  return {
    script: join(folder.path, "sample-program.mjs"),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
