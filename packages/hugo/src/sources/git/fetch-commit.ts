import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import type { GitSource } from "../package-source.ts";
import { removeTree } from "../remove-tree.ts";
import type { GithubPage } from "../spec.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type GitRun, gitFailure, refNotFound, runGit } from "./run-git.ts";

/** The commit that a git source currently points to. A source that names a commit always points to it. */
export async function latestCommit(source: GitSource, context: Context): Promise<string> {
  if (source.ref !== undefined && COMMIT.test(source.ref)) return source.ref;
  context.user.progress(`Asking ${source.url} for its newest commit`);
  const resolved = await resolveRef(source, context);
  if (resolved.kind === "commit") return resolved.commit;
  const folder = temporaryFolder();
  try {
    return await fetchCommit(resolved, { context, repository: join(folder, "repository") });
  } finally {
    removeTree(folder);
  }
}

/** Whether a source's folder is the same in two commits: then the newer one changes nothing for users of the folder. */
export async function isFolderSame(
  source: GitSource & { readonly folder: string },
  commits: readonly [before: string, after: string],
  context: Context,
): Promise<boolean> {
  const into = temporaryFolder();
  try {
    const trees: string[] = [];
    for (const commit of commits) {
      const repository = join(into, commit);
      await fetchCommit(await resolveRef(source, context, commit), { context, repository });
      const name = `${commit}:${source.folder}`;
      const { code, stdout } = await runGit(["rev-parse", "--verify", "--quiet", name], { context, repository });
      trees.push(code === 0 ? stdout.trim() : commit);
    }
    return trees[0] === trees[1];
  } catch (error) {
    // A commit that is no longer there cannot be compared.
    if (error instanceof HugoError && error.code === "version-not-found") return false;
    throw error;
  } finally {
    removeTree(into);
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
  return await atHost(source.url, (url) => resolveAt(url, commit ?? source.ref, context));
}

/** @param ask Called with an address that git understands. */
async function atHost<T>(source: string, ask: (url: string) => Promise<T>): Promise<T> {
  const [, repository] = /^github:(.+)$/.exec(source) ?? [];
  if (repository === undefined) return await ask(source.replace(/^git\+/, ""));
  try {
    return await ask(`https://github.com/${repository}.git`);
  } catch (error) {
    if (!(error instanceof HugoError) || !["access-denied", "package-not-found"].includes(error.code)) throw error;
    // GitHub hides private repositories behind a password prompt, but many users have an SSH key there.
    return await ask(`ssh://git@github.com/${repository}.git`).catch((second: unknown) => {
      // The first error says more.
      throw second instanceof HugoError ? error : second;
    });
  }
}

/**
 * Splits what follows `/tree/` in the address of a page on GitHub: a branch may have slashes in its name, so only the
 * repository knows where its name ends.
 */
export async function sourceOfPage({ url, tree = [] }: GithubPage, context: Context): Promise<GitSource> {
  const lengths = tree.map((_, i) => tree.length - i);
  const split = (length: number): GitSource => {
    const [ref, folder] = [tree.slice(0, length).join("/"), tree.slice(length).join("/")];
    return { kind: "git", url, ...(ref !== "" && { ref }), ...(folder !== "" && { folder }) };
  };
  const [first = ""] = tree;
  if (tree.length < 2) return split(tree.length);
  if (COMMIT.test(first)) return split(1);
  context.user.progress(`Asking ${url} for its branches`);
  const known = await atHost(url, (remote) => {
    const names = lengths.map((length) => split(length).ref ?? "");
    return refsAt(
      remote,
      names.flatMap((ref) => [`refs/heads/${ref}`, `refs/tags/${ref}`]),
      context,
    );
  });
  const isKnown = (ref = ""): boolean => known.has(`refs/heads/${ref}`) || known.has(`refs/tags/${ref}`);
  const length = lengths.find((each) => isKnown(split(each).ref));
  if (length !== undefined) return split(length);
  if (first === "HEAD" || /^[0-9a-f]{7,39}$/.test(first)) return split(1);
  throw refNotFound(url, first);
}

async function resolveAt(url: string, ref: string | undefined, context: Context): Promise<ResolvedRef> {
  // A commit is never a branch or a tag of that name. The host is only asked whether it has the repository.
  if (ref !== undefined && COMMIT.test(ref)) {
    await refsAt(url, ["HEAD"], context);
    return { kind: "commit", url, commit: ref };
  }
  // For an annotated tag, the commit it points to. A tag wins over a branch, as everywhere in git.
  let names = [`refs/tags/${ref}^{}`, `refs/tags/${ref}`, `refs/heads/${ref}`];
  if (ref === undefined || ref === "HEAD") names = ["HEAD"];
  else if (ref.startsWith("refs/")) names = [`${ref}^{}`, ref];
  const refs = await refsAt(url, names, context);
  const name = names.find((candidate) => refs.has(candidate));
  if (name !== undefined) return { kind: "commit", url, commit: refs.get(name) ?? "", ref: name.replace("^{}", "") };
  if (ref !== undefined && /^[0-9a-f]{7,39}$/.test(ref)) return { kind: "abbreviated", url, start: ref };
  throw refNotFound(url, ref ?? "HEAD");
}

/** Which of these the host has, with their commits. */
async function refsAt(url: string, names: readonly string[], context: Context): Promise<Map<string, string>> {
  const { code, stdout, stderr } = await runGit(["ls-remote", "--quiet", "--", url, ...names], { context });
  if (code !== 0) throw gitFailure(url, stderr);
  const refs = new Map<string, string>();
  for (const [commit = "", name] of stdout.split("\n").map((line) => line.split("\t"))) {
    if (name !== undefined && COMMIT.test(commit)) refs.set(name, commit);
  }
  return refs;
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
    if (code === 0) {
      const commit = await commitOf("FETCH_HEAD");
      if (resolved.ref !== undefined || commit === resolved.commit) return commit;
      // The name of a tag object, for example.
      throw refNotFound(url, resolved.commit);
    }
    if (!/not our ref|unadvertised object|couldn't find remote ref|does not support shallow/i.test(stderr)) {
      throw gitFailure(url, stderr);
    }
  }
  await mustRun([...FETCH, "--", url, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]);
  return await commitOf(resolved.kind === "commit" ? resolved.commit : resolved.start);
}
