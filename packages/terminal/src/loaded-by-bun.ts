import { existsSync, readFileSync } from "node:fs";
import { ExplainedError } from "@atomic/durable-files/explained-error";

/** Bun runs what `bunfig.toml` preloads, and reads variables from `.env` files, before a program's first line. */
const ENV_FILES = ["", ".local", ".development", ".production", ".test"].flatMap((stage) =>
  stage === "" || stage === ".local" ? [`.env${stage}`] : [`.env${stage}`, `.env${stage}.local`],
);

/**
 * Why the program must not go on. Its own file starts Bun so that it ignores the folder; `bun` with the path of that file
 * does not, and then nothing that this process knows about its user is certain.
 */
export function loadedByBun(
  program: string,
  { versions, execArgv }: Pick<NodeJS.Process, "versions" | "execArgv">,
): ExplainedError | undefined {
  if (versions.bun === undefined || execArgv.some((word) => word.startsWith("--config="))) return undefined;
  // Relative paths, because the folder may be gone.
  const preloads = existsSync("bunfig.toml") && /^\s*preload\b/m.test(readFileSync("bunfig.toml", "utf8"));
  const loaded = [...(preloads ? ["bunfig.toml"] : []), ...ENV_FILES.filter((name) => existsSync(name))];
  return loaded.length === 0 ? undefined : new LoadedByBun(program, loaded);
}

class LoadedByBun extends ExplainedError {
  override readonly name = "LoadedByBun";

  constructor(program: string, loaded: readonly string[]) {
    super("loaded-by-bun", {
      message: `Bun loaded ${loaded.join(" and ")} from this folder before ${program} started, so the folder's author may be in control`,
      hint: `Run ${program} by its name, or with bunx, and it ignores these files. Nothing was changed.`,
    });
  }

  override get exitCode(): 3 {
    return 3;
  }
}
