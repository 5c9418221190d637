// Atomic as its users run it, in a project of a test: the program, and the registry in a program of their own.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import type { Project } from "@atomic/testing/project";

const packages = join(import.meta.dirname, "../../packages");

/** Brings what `bin/atomic.js` runs up to date. */
export async function buildAtomic(): Promise<void> {
  await bundlePackages("@atomic/cli");
  const tsc = join(packages, "../node_modules/.bin/tsc");
  const child = Bun.spawn([tsc, "-b", join(packages, "atomic")], { stdout: "inherit", stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error("atomic does not compile.");
}

export interface AtomicRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `atomic …` to its end, on Node. A failing one is a result. */
export async function atomic(project: Project, ...args: string[]): Promise<AtomicRun> {
  const { code, stdout, stderr } = await project.run(["node", join(packages, "atomic/bin/atomic.js"), ...args]);
  return { code, stdout, stderr };
}

export interface Registered {
  /** With its origin: `hugo:project/reviewer`. */
  readonly name: string;
  readonly type: string;
  readonly prompt: string;
}

/** What a program of the user's finds in the registry, builtins aside. */
export async function registered(project: Project): Promise<{ entities: Registered[]; problems: string[] }> {
  const { stdout, stderr, code } = await project.run(["node", "--input-type=module", "--eval", program]);
  if (code !== 0) throw new Error(`The registry cannot be listed:\n${stderr}`);
  return JSON.parse(stdout);
}

const program = `
import { initializeWorkflowsSDK } from ${JSON.stringify(pathToFileURL(join(packages, "workflows/dist/entities.js")))};
const registry = await initializeWorkflowsSDK();
const own = registry.entries().filter(({ source }) => source.location !== "builtin");
console.log(JSON.stringify({
  entities: own.map((entity) => ({ name: registry.qualifiedName(entity), type: entity.type, prompt: entity.prompt })),
  problems: registry.diagnostics().map(({ code, hint }) => code + ": " + hint),
}));
`;
