// Hugo as its users run it, in a project of a test.
import { join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import type { ProgramOptions, Project } from "@atomic/testing/project";

const packageFolder = join(import.meta.dirname, "../../packages/hugo");

/** Brings the program that `bin/hugo.js` runs up to date. */
export async function bundleHugo(): Promise<void> {
  await bundlePackages("hugo-pm");
}

export interface HugoRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `hugo …` to its end, on Node, without a terminal. A failing command is a result. */
export async function tryHugo(
  project: Project,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<HugoRun> {
  const { code, stdout, stderr } = await project.run(["node", join(packageFolder, "bin/hugo.js"), ...args], options);
  return { code, stdout, stderr };
}

/** The same, but anything except success fails the test; returns the output. */
export async function hugo(project: Project, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await tryHugo(project, args);
  if (code !== 0) throw new Error(`hugo ${args.join(" ")} ended with ${code}:\n${stderr}${stdout}`);
  return stdout;
}
