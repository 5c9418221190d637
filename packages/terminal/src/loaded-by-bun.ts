import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { ExplainedError } from "@atomic/durable-files/explained-error";

/** Bun runs what `bunfig.toml` preloads, and reads variables from `.env` files, before a program's first line. */
const ENV_FILES = ["", ".local", ".development", ".production", ".test"].flatMap((stage) =>
  stage === "" || stage === ".local" ? [`.env${stage}`] : [`.env${stage}`, `.env${stage}.local`],
);

/** What lets `bunfig.toml` run code, or change ours, however it is written: TOML has escapes. */
const POWERS = /preload|define|loader|macros|plugin|env|jsx|\\/i;

/**
 * Why the program must not go on: Bun has let the folder in, and then nothing that this process knows about its user is
 * certain. With `bunx --bun` and `bun run --bun`, Bun plays Node, which has no `.env` files; it respects that since 1.4.
 */
export function loadedByBun(
  program: string,
  {
    versions,
    execArgv,
    argv0,
    argv,
    platform,
  }: Pick<NodeJS.Process, "versions" | "execArgv" | "argv0" | "argv" | "platform">,
): ExplainedError | undefined {
  if (versions.bun === undefined) return undefined;
  const isGiven = (option: string): boolean => execArgv.some((word) => word.startsWith(option));
  // Relative paths, because the folder may be gone.
  const isTold = !isGiven("--config=") && existsSync("bunfig.toml") && POWERS.test(readFileSync("bunfig.toml", "utf8"));
  const [major = 0, minor = 0] = versions.bun.split(".").map(Number);
  const isNode = /^node(?:\.exe)?$/.test(basename(argv0)) && (major > 1 || minor >= 4);
  const variables = isNode || isGiven("--env-file=") || isGiven("--no-env-file") ? [] : ENV_FILES;
  const loaded = [...(isTold ? ["bunfig.toml"] : []), ...variables.filter((name) => existsSync(name))];
  if (loaded.length === 0) return undefined;
  const nothing = platform === "win32" ? "NUL" : "/dev/null";
  return new LoadedByBun(program, loaded, `bun --config=${nothing} --env-file=${nothing} ${argv[1] ?? program}`);
}

class LoadedByBun extends ExplainedError {
  override readonly name = "LoadedByBun";

  constructor(program: string, loaded: readonly string[], instead: string) {
    super("loaded-by-bun", {
      message: `Bun loaded ${loaded.join(" and ")} from this folder before ${program} started, so the folder's author may be in control`,
      hint: `Run ${program} on Node, or let Bun ignore these files: ${instead}. Nothing was changed.`,
    });
  }

  override get exitCode(): 3 {
    return 3;
  }
}
