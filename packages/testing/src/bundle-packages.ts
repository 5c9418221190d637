import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");

type PackageName = "hugo-pm" | "magnus-opus" | "@atomic/cli" | "@atomic/workflows";

/** Brings the bundles of packages of this repository up to date, as `npm run setup` does. Quick when nothing changed. */
export async function bundlePackages(...names: readonly PackageName[]): Promise<void> {
  const child = Bun.spawn(["node", join(root, "scripts/build.mjs"), ...names], { stdout: "inherit", stderr: "pipe" });
  const problem = await child.stderr.text();
  if ((await child.exited) !== 0) throw new Error(`${names.join(", ")} cannot be bundled:\n${problem}`);
}
