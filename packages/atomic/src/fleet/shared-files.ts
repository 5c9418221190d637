// Where other machines get a project's files, and what they could not get.
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, isAbsolute, join, resolve } from "node:path";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { type RunRepository, refOf } from "../runs/run-setup.ts";
import { git, gitFailed, gitWith, tryGit } from "./git.ts";
import { author, messageOf, submodulesOf, withoutLfs } from "./workspace.ts";

export interface SharedFiles {
  readonly repository: RunRepository;
  /** Sends what is not there yet, once the run has an id. False if another run has used the id. */
  readonly push?: (runId: string) => Promise<boolean>;
  /** Takes back what was sent for an id that another run got. */
  readonly unpush?: (runId: string) => Promise<void>;
}

/**
 * Where other machines get this project's files; undefined if it is not in a repository that they could reach. Refuses what
 * they could not get.
 *
 * @param snapshot Takes what is here, committed or not, for this run alone: the id of the database with the runs.
 */
export async function sharedFiles(project: string, snapshot: string | undefined): Promise<SharedFiles | undefined> {
  const top = await tryGit(project, "rev-parse", "--show-prefix", "HEAD");
  const url = (await tryGit(project, "remote", "get-url", "origin")).stdout.trim();
  if (top.code !== 0 || url === "") {
    if (snapshot === undefined) return undefined;
    throw new Refusal("workspace-unknown", {
      message: `${project} is not a git repository with a commit and a remote named origin`,
      hint: "A worker on another machine needs one to get the project's files: git remote add origin <url>",
      exitCode: 3,
    });
  }
  refuseSecretUrl(url);
  refuseRelativeUrl(url);
  const [path = "", head = ""] = top.stdout.split("\n");
  const changed = changedFiles(await git(project, "status", "--porcelain", "-z", "--untracked-files=all"));
  if (snapshot !== undefined) {
    const secrets = changed.filter(isSecretName);
    if (secrets.length > 0) {
      throw new Refusal("workspace-secret", {
        message: safe`--snapshot would push ${secrets.join(", ")}, which may contain secrets`,
        hint: safe`Keep it out of git: echo ${basename(secrets[0] ?? "")} >> .gitignore`,
        exitCode: 3,
      });
    }
    const folder = await git(project, "rev-parse", "--show-toplevel");
    await refuseUnpushed(folder);
    const submodules = await submodulesOf(folder);
    const submodule = changed.find((each) => submodules.has(each));
    if (submodule !== undefined) {
      throw new Refusal("workspace-nested", {
        message: safe`The submodule ${submodule} has changes, which --snapshot would not send`,
        hint: "Commit and push them in the submodule, then commit the submodule itself.",
        exitCode: 3,
      });
    }
    // A folder, and not its files: git would record a commit that only this machine has.
    const inner = changed.find((path) => path.endsWith("/"));
    if (inner !== undefined) {
      throw new Refusal("workspace-nested", {
        message: safe`${inner} is a git repository of its own, so --snapshot would not send its files`,
        hint: safe`Keep it out of git: echo /${inner} >> .gitignore`,
        exitCode: 3,
      });
    }
    const commit = await commitOfTree(project, head, snapshot);
    const push = async (runId: string): Promise<boolean> => {
      // Never over the files of another run.
      const ref = refOf(runId);
      const args = ["push", "--quiet", `--force-with-lease=${ref}:`, "--", url, `${commit}:${ref}`];
      const pushed = await tryGit(project, ...args);
      if (pushed.code === 0) return true;
      if ((await git(project, "ls-remote", "--", url, ref)) !== "") return false;
      throw gitFailed(project, args, pushed);
    };
    const unpush = async (runId: string): Promise<void> => {
      const ref = refOf(runId);
      await git(project, "push", "--quiet", `--force-with-lease=${ref}:${commit}`, "--", url, `:${ref}`);
    };
    return { repository: { url, commit, path }, push, unpush };
  }
  if (changed.length > 0) {
    throw new Refusal("workspace-dirty", {
      message: "The project has changes that are not committed, so a worker elsewhere would not have them",
      hint: "Commit and push them, or send them along for this run: --snapshot",
      exitCode: 3,
    });
  }
  const branches = await git(project, "for-each-ref", "--contains", head, "refs/remotes/origin/");
  if (branches === "") {
    throw new Refusal("workspace-unpushed", {
      message: `The commit ${head.slice(0, 10)} was not pushed, so a worker elsewhere would not have it`,
      hint: "Push it (git push), or send it along for this run: --snapshot",
      exitCode: 3,
    });
  }
  return { repository: { url, commit: head, path } };
}

const tokens = /^(?:gh[a-z]_|github_pat_|glpat-|glptt-|ATBB|x-token-auth$)|^[A-Za-z0-9_-]{32,}$/;

/** The URL is stored with the run, and every worker and client can read it. */
function refuseSecretUrl(url: string): void {
  const [, user = "", password = ""] = /^[a-z+]+:\/\/([^/@:]*)(?::([^/@]*))?@/i.exec(url) ?? [];
  if (password === "" && !tokens.test(user)) return;
  throw new Refusal("workspace-secret", {
    message: `The URL of the remote origin contains a ${password === "" ? "token" : "password"}, which would be stored with the run`,
    hint: "Use a credential helper or SSH: git remote set-url origin <url without a password>",
    exitCode: 3,
  });
}

/** Git reads such a path from the folder that it is started in. */
function refuseRelativeUrl(url: string): void {
  if (isAbsolute(url) || /^[^/]*:/.test(url)) return;
  throw new Refusal("workspace-unknown", {
    message: safe`The URL of the remote origin, ${url}, is a path from this folder, so a worker elsewhere would not find it`,
    hint: "Use a URL or an absolute path: git remote set-url origin <url>",
    exitCode: 3,
  });
}

/** A snapshot takes along what was committed here and not pushed yet. */
async function refuseUnpushed(folder: string): Promise<void> {
  const unpushed = await git(
    folder,
    ...["log", "-c", "--name-only", "-z", "--format=", "HEAD", "--not", "--remotes=origin"],
  );
  const paths = new Set(unpushed.split("\0").filter((path) => path !== ""));
  const secrets = [...paths].filter(isSecretName);
  if (secrets.length > 0) {
    throw new Refusal("workspace-secret", {
      message: safe`--snapshot would push commits that contain ${secrets.join(", ")}, which may be secret`,
      hint: "Remove it from the commits that are not pushed yet. If it is not a secret, push them: git push",
      exitCode: 3,
    });
  }
  const large = (await git(folder, "ls-files", "-z", "--", ":(attr:filter=lfs)")).split("\0");
  const inLfs = large.find((path) => paths.has(path));
  if (inLfs !== undefined) {
    throw new Refusal("workspace-unpushed", {
      message: safe`${inLfs} is in Git LFS and in a commit that was not pushed, and --snapshot does not upload it`,
      hint: "Push it first: git push",
      exitCode: 3,
    });
  }
}

/** The paths in `git status --porcelain -z`; of a renamed file, the new one. */
function changedFiles(status: string): string[] {
  const fields = status.split("\0").filter((field) => field !== "");
  const paths: string[] = [];
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] ?? "";
    paths.push(field.slice(3));
    if (/^[RC]/.test(field)) at += 1;
  }
  return paths;
}

/** Files that programs keep passwords and keys in. A template, such as `.env.example`, has none. */
function isSecretName(path: string): boolean {
  const name = basename(path);
  if (/^\.env(\.|$)/.test(name)) return !/\.(?:example|sample|template|dist)$/.test(name);
  return /^(?:\.netrc|\.pgpass|\.npmrc|\.pypirc|id_(?:rsa|dsa|ecdsa|ed25519)|credentials\.json)$|\.(?:pem|key|p12|pfx)$/.test(
    name,
  );
}

/** A commit of everything that git would add, without touching the index or a branch. */
async function commitOfTree(project: string, parent: string, fleet: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "atomic-"));
  try {
    const index = { GIT_INDEX_FILE: join(folder, "index") };
    const own = resolve(project, await git(project, "rev-parse", "--git-path", "index"));
    // It knows what was added although git ignores it, and what a sparse checkout leaves out.
    if (existsSync(own)) copyFileSync(own, index.GIT_INDEX_FILE);
    else await gitWith(index, project, "read-tree", parent);
    const isSparse = (await tryGit(project, "config", "--bool", "core.sparseCheckout")).stdout.trim() === "true";
    await gitWith(index, project, ...withoutLfs, "add", "--all", ...(isSparse ? ["--sparse"] : []), ":/");
    const tree = await gitWith(index, project, "write-tree");
    const message = messageOf("Snapshot for a run", fleet);
    return await git(project, ...author, "commit-tree", tree, "-p", parent, "-m", message);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
