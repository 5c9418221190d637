import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import type { GitSource } from "../package-source.ts";
import { type GitRun, gitFailure, refNotFound, runGit } from "./run-git.ts";

/** The commit that a git source currently points to. A source that names a commit always points to it. */
export async function latestCommit(source: GitSource, context: Context): Promise<string> {
  if (source.ref !== undefined && COMMIT.test(source.ref)) return source.ref;
  context.user.progress(`Asking ${source.url} for its newest commit`);
  const resolved = await resolveRef(source, context);
  if (resolved.kind === "commit") return resolved.commit;
  const folder = mkdtempSync(join(tmpdir(), "hugo-git-"));
  try {
    return await fetchCommit(resolved, { context, repository: join(folder, "repository") });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type ResolvedRef =
  | {
      readonly kind: "commit";
      readonly url: string;
      readonly commit: string;
      /** Its name on the host. */
      readonly ref?: string;
    }
  /** The start of a commit's name, which only the repository itself can complete. */
  | { readonly kind: "abbreviated"; readonly url: string; readonly start: string };

const COMMIT = /^[0-9a-f]{40}$/;

/**
 * Asks the host where a source currently points, or only whether it exists if the `commit` is known. The first address
 * that answers counts.
 */
export async function resolveRef(source: GitSource, context: Context, commit?: string): Promise<ResolvedRef> {
  const ref = commit ?? source.ref;
  const [, repository] = /^github:(.+)$/.exec(source.url) ?? [];
  if (repository === undefined) return await resolveAt(source.url.replace(/^git\+/, ""), ref, context);
  try {
    return await resolveAt(`https://github.com/${repository}.git`, ref, context);
  } catch (error) {
    if (!(error instanceof HugoError) || !["access-denied", "package-not-found"].includes(error.code)) throw error;
    // GitHub hides private repositories behind a password prompt, but many users have an SSH key there.
    return await resolveAt(`ssh://git@github.com/${repository}.git`, ref, context).catch((second: unknown) => {
      // The first error says more.
      throw second instanceof HugoError ? error : second;
    });
  }
}

async function resolveAt(url: string, ref: string | undefined, context: Context): Promise<ResolvedRef> {
  // For an annotated tag, the commit it points to. A tag wins over a branch, as everywhere in git.
  let names = [`refs/tags/${ref}^{}`, `refs/tags/${ref}`, `refs/heads/${ref}`];
  if (ref === undefined || ref === "HEAD") names = ["HEAD"];
  else if (ref.startsWith("refs/")) names = [`${ref}^{}`, ref];
  const { code, stdout, stderr } = await runGit(["ls-remote", "--quiet", "--", url, ...names], { context });
  if (code !== 0) throw gitFailure(url, stderr);
  const refs = new Map<string, string>();
  for (const [commit = "", name] of stdout.split("\n").map((line) => line.split("\t"))) {
    if (name !== undefined && COMMIT.test(commit)) refs.set(name, commit);
  }
  const name = names.find((candidate) => refs.has(candidate));
  if (name !== undefined) return { kind: "commit", url, commit: refs.get(name) ?? "", ref: name.replace("^{}", "") };
  if (ref !== undefined && COMMIT.test(ref)) return { kind: "commit", url, commit: ref };
  if (ref !== undefined && /^[0-9a-f]{7,39}$/.test(ref)) return { kind: "abbreviated", url, start: ref };
  throw refNotFound(url, ref ?? "HEAD");
}

const FETCH = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance"];

/**
 * Fetches one commit into a new private repository: alone if the host allows that, else with all branches and tags.
 * Returns its name.
 */
export async function fetchCommit(
  resolved: ResolvedRef,
  where: Pick<GitRun, "guard" | "context"> & { readonly repository: string },
): Promise<string> {
  const { url } = resolved;
  const mustRun = async (args: readonly string[]): Promise<void> => {
    const { code, stderr } = await runGit(args, where);
    if (code !== 0) throw gitFailure(url, stderr);
  };
  const commitOf = async (name: string): Promise<string> => {
    const { code, stdout } = await runGit(["rev-parse", "--verify", "--quiet", `${name}^{commit}`], where);
    if (code !== 0) throw refNotFound(url, name);
    return stdout.trim();
  };
  mkdirSync(where.repository, { recursive: true });
  await mustRun(["init", "--quiet", "--bare", "--template="]);
  if (resolved.kind === "commit") {
    const wanted = resolved.ref ?? resolved.commit;
    const { code, stderr } = await runGit([...FETCH, "--depth=1", "--", url, wanted], where);
    if (code === 0) return await commitOf("FETCH_HEAD");
    if (!/not our ref|unadvertised object|couldn't find remote ref|does not support shallow/i.test(stderr)) {
      throw gitFailure(url, stderr);
    }
  }
  await mustRun([...FETCH, "--", url, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]);
  return await commitOf(resolved.kind === "commit" ? resolved.commit : resolved.start);
}
