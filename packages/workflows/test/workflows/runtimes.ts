// The runtimes that people start us with, and a way to load workflows on each of them.
import { join } from "node:path";
import { opencodeBinary } from "@atomic/testing/opencode/binary";

const own = join(import.meta.dirname, "../..");

export const runtimes = [
  ["Node", ["node"]],
  ["Bun", [process.execPath]],
  ["the Bun inside OpenCode", [opencodeBinary]],
] as const;

/** What the program `load-program.mjs` prints of each workflow. */
export interface Loaded {
  readonly name?: string;
  readonly description?: string;
  readonly argumentHint?: string;
  readonly chart?: string;
  readonly error?: string;
  readonly at?: string;
  readonly message?: string;
  readonly hint?: string;
}

/** What does not compile is another check's business; what is emitted all the same is what these tests look at. */
export function build(): void {
  Bun.spawnSync([join(own, "../../node_modules/.bin/tsc"), "-b", own]);
}

export interface Loading {
  readonly results: readonly Loaded[];
  readonly stderr: string;
  /** What was asked of the registry. */
  readonly asked: readonly string[];
}

/** Loads files, one after the other, in one process; an item with a text writes it to the file before. */
export async function loadOn(
  command: readonly string[],
  loads: readonly (string | readonly [path: string, text: string])[],
  folder: { readonly dist?: string; readonly cwd: string },
): Promise<Loading> {
  const asked: string[] = [];
  const registry = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => {
      asked.push(new URL(url).pathname);
      return new Response("{}", { status: 404 });
    },
  });
  const args = loads.map((each) => (typeof each === "string" ? each : each.join("=")));
  const program = join(import.meta.dirname, "load-program.mjs");
  const { href } = registry.url;
  try {
    const child = Bun.spawn([...command, program, folder.dist ?? join(own, "dist"), ...args], {
      cwd: folder.cwd,
      env: { ...process.env, BUN_BE_BUN: "1", npm_config_registry: href, BUN_CONFIG_REGISTRY: href },
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    if (stdout === "") throw new Error(stderr);
    return { results: JSON.parse(stdout), stderr, asked };
  } finally {
    await registry.stop(true);
  }
}
