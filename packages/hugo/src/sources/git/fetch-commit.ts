import { mkdirSync } from "node:fs";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import { gitFailure, refNotFound } from "./git-failure.ts";
import type { ResolvedRef } from "./resolve-ref.ts";
import { type GitRun, runGit } from "./run-git.ts";

export interface FetchedCommit {
  /** A bare repository of our own. */
  readonly repository: string;
  readonly commit: string;
}

type Where = Pick<GitRun, "guard"> & { readonly context: Context; readonly repository: string };

/** Brings one commit into a new repository: alone if the host gives it alone, else with all branches and tags. */
export async function fetchCommit(resolved: ResolvedRef, where: Where): Promise<FetchedCommit> {
  const { repository } = where;
  const { url } = resolved;
  mkdirSync(repository, { recursive: true });
  await mustRun(url, ["init", "--quiet", "--bare", "--template="], where);
  if (resolved.kind === "commit") {
    const wanted = resolved.ref ?? resolved.commit;
    const { code, stderr } = await runGit([...FETCH, "--depth=1", "--", url, wanted], where);
    if (code === 0) return { repository, commit: await commitOf("FETCH_HEAD", url, where) };
    if (!/not our ref|unadvertised object|couldn't find remote ref|does not support shallow/i.test(stderr)) {
      throw gitFailure(url, stderr);
    }
  }
  const everything = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
  await mustRun(url, [...FETCH, "--", url, ...everything], where);
  const name = resolved.kind === "commit" ? resolved.commit : resolved.start;
  return { repository, commit: await commitOf(name, url, where) };
}

const FETCH = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance"];

async function commitOf(name: string, url: string, where: Where): Promise<string> {
  const { code, stdout } = await runGit(["rev-parse", "--verify", "--quiet", `${name}^{commit}`], where);
  if (code !== 0) throw refNotFound(url, name);
  return stdout.trim();
}

async function mustRun(url: string, args: readonly string[], where: Where): Promise<void> {
  const { code, stderr } = await runGit(args, where);
  if (code !== 0) throw gitFailure(url, stderr);
}

/** After a lock has named a commit, nothing else will do. */
export function refuseOtherCommit(url: string, wanted: string, found: string): void {
  if (wanted === found) return;
  throw new HugoError("integrity-mismatch", {
    message: `${url} gave the commit ${found}, but the lock holds ${wanted}`,
    hint: "Nothing was installed. Try again, and if it stays, do not trust that host.",
  });
}
