// The program as people run it: `bin/atomic.js` on the built package.
import { join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { opencodeBinary } from "@atomic/testing/opencode/binary";

const packageFolder = join(import.meta.dirname, "..");
const script = join(packageFolder, "bin/atomic.js");

export const runtimes: readonly Runtime[] = [
  { name: "Node", command: ["node", script], env: {} },
  { name: "Bun", command: [process.execPath, script], env: {} },
  { name: "the Bun inside OpenCode", command: [opencodeBinary, script], env: { BUN_BE_BUN: "1" } },
];

export interface Runtime {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Brings `dist` up to date; `npm test` has done so, and then this is quick. */
export async function build(): Promise<void> {
  await bundlePackages("@atomic/cli");
  const tsc = join(packageFolder, "../../node_modules/.bin/tsc");
  const child = Bun.spawn([tsc, "-b", packageFolder], { stdout: "pipe", stderr: "inherit" });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`The package does not compile:\n${output}`);
}
