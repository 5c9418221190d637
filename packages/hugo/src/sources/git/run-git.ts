import { devNull } from "node:os";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import { fetchTimeout, SLOW_NETWORK } from "../limits.ts";
import { gitEnvironment } from "../program/environment.ts";
import { findProgram } from "../program/find-program.ts";
import { type ProgramEnd, type ProgramToRun, runProgram } from "../program/run-program.ts";

/** Nothing that a repository, a template or the user's configuration names is run on the way. */
const SAFE = [
  "protocol.ext.allow=never",
  `core.hooksPath=${devNull}`,
  "core.fsmonitor=false",
  "core.askPass=",
  "credential.interactive=false",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "advice.detachedHead=false",
].flatMap((setting) => ["-c", setting]);

export interface GitRun extends Partial<Pick<ProgramToRun, "guard" | "input" | "onOutput">> {
  readonly context: Context;
  /** A repository of our own. Without one git runs outside of all repositories, so that none has a say. */
  readonly repository?: string;
}

export async function runGit(args: readonly string[], run: GitRun): Promise<ProgramEnd> {
  const { context, repository, guard, input, onOutput } = run;
  const file = findProgram("git", context);
  if (file === undefined) {
    throw new HugoError("program-failed", {
      message: "git is needed for this package, and it is not on the PATH outside of this project",
      hint: "Install git, then try again.",
    });
  }
  return await runProgram({
    file,
    args: [...SAFE, ...args],
    cwd: repository ?? "/",
    env: { ...gitEnvironment(context), ...(repository === undefined ? {} : { GIT_DIR: repository }) },
    timeout: fetchTimeout(context.env),
    whenSlow: SLOW_NETWORK,
    signal: context.signal,
    ...(guard === undefined ? {} : { guard }),
    ...(input === undefined ? {} : { input }),
    ...(onOutput === undefined ? {} : { onOutput }),
  });
}
