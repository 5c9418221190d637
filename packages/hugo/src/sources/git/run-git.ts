import { devNull } from "node:os";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import { fetchTimeout, SLOW_NETWORK } from "../limits.ts";
import { gitEnvironment } from "../program/environment.ts";
import { findProgram } from "../program/find-program.ts";
import { type ProgramEnd, type ProgramToRun, runProgram } from "../program/run-program.ts";
import { redact } from "../redact.ts";

/** Keeps git from running anything that a repository, a template or the user's configuration names. */
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
  /** A repository's own folder, or the file of a linked worktree that names it. Without one, git runs outside all repositories, so none affects it. */
  readonly repository?: string;
  /** Where it runs; by default in the repository. */
  readonly cwd?: string;
}

export async function runGit(args: readonly string[], run: GitRun): Promise<ProgramEnd> {
  const { context, repository, cwd = repository ?? "/", guard, input, onOutput } = run;
  const file = findProgram("git", context);
  if (file === undefined) {
    throw new HugoError("program-failed", {
      message: "this package needs git, which was not found on the PATH (folders inside this project are ignored)",
      hint: "Install git, then try again.",
    });
  }
  return await runProgram({
    file,
    args: [...SAFE, ...args],
    cwd,
    env: { ...gitEnvironment(context), ...(repository === undefined ? {} : { GIT_DIR: repository }) },
    timeout: fetchTimeout(context.env),
    whenSlow: SLOW_NETWORK,
    signal: context.signal,
    guard,
    input,
    onOutput,
  });
}

const LAST_LINES = 3;

const UNREACHABLE =
  /could not resolve|couldn't resolve|connection (?:refused|timed out|reset)|network is unreachable|unable to connect|failed to connect|no route to host|operation timed out|early eof|unexpected disconnect|the remote end hung up/i;
const DAMAGED =
  /missing blob|bad object|is corrupt|loose object|unable to read (?:tree|sha1 file|[0-9a-f]{40})|invalid sha1 pointer/i;
const DENIED =
  /could not read (?:username|password)|authentication failed|permission denied|terminal prompts disabled|host key verification failed|returned error: 40[13]|access denied(?! or repository)|invalid credentials/i;
const NOT_FOUND =
  /not found|does not exist|does not appear to be a git repository|repository not exported|no such file or directory|not a git repository/i;

/** Why git failed, with a hint that helps. */
export function gitFailure(url: string, stderr: string): HugoError {
  const at = redact(url);
  const lines = redact(stderr)
    .split(/\r?\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^(?:hint|warning):/.test(line));
  const said = lines.slice(-LAST_LINES).join(" / ") || "it gave no reason";
  if (DENIED.test(stderr)) {
    const isUnknownHost = /host key verification failed/i.test(stderr);
    return new HugoError("access-denied", {
      message: `${at} does not exist, or you do not have access to it: ${said}`,
      at,
      hint: isUnknownHost
        ? "Connect to the host once with ssh to confirm its key."
        : "Check the spelling. A private repository needs a git credential helper or an SSH key; Hugo never asks for a password.",
    });
  }
  if (NOT_FOUND.test(stderr) && !/could not resolve/i.test(stderr)) {
    return new HugoError("package-not-found", {
      message: `No repository at ${at}: ${said}`,
      at,
      hint: "Check the spelling. Some hosts also report this for private repositories.",
    });
  }
  if (DAMAGED.test(stderr)) {
    return new HugoError("program-failed", {
      message: `The repository at ${at} is damaged: ${said}`,
      at,
      hint: "Its owner can look for the damage with `git fsck`.",
    });
  }
  if (UNREACHABLE.test(stderr)) {
    return new HugoError("network-failed", {
      message: `The host of ${at} cannot be reached: ${said}`,
      at,
      hint: "Check your connection and your proxy, then try again.",
    });
  }
  return new HugoError("program-failed", {
    message: `git could not read ${at}: ${said}`,
    at,
    hint: "Try it with `git clone`, which shows more details.",
  });
}

export function refNotFound(url: string, ref: string): HugoError {
  const at = redact(url);
  return new HugoError("version-not-found", {
    message: `${at} has no tag, branch or commit ${ref}`,
    at,
    hint: `To list them: \`git ls-remote ${at}\`.`,
  });
}
