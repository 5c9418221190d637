import type { Command, Hostile } from "./hostile-package.ts";
import { type Files, folder, harmless } from "./making.ts";
import type { World } from "./world.ts";

interface HostileProject {
  readonly files?: Files;
  /** By path; they lead from the folder that they lie in. */
  readonly links?: Readonly<Record<string, string>>;
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A clone; without other words a harmless package is installed into it. */
export function cloned(world: World, { files = {}, links = {}, argv, env }: HostileProject): Command {
  const cwd = folder(world, "project", { ".git/HEAD": "ref: refs/heads/main\n", ...files }, links);
  const harmlessFolder = folder(world, "harmless", harmless);
  return { argv: argv ?? ["install", "--yes", "--force", harmlessFolder], cwd, ...(env !== undefined && { env }) };
}

export const project = (
  what: string,
  make: HostileProject | ((world: World) => HostileProject),
  expected: Hostile["expected"],
): Hostile => ({
  what,
  make: (world) => cloned(world, typeof make === "function" ? make(world) : make),
  expected,
});
