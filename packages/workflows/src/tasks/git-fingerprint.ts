// One hash for all files of a project. The same content gives the same hash, whether it is staged, committed or neither, so
// empty commits do not look like progress.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../entities/system-error.ts";

/** Larger files are compared by size and time. */
const largestRead = 4 * 1024 * 1024;
const longestOutput = 256 * 1024 * 1024;

/** Undefined without git, or outside a git repository. Atomic's own files, such as runs, do not count. */
export async function gitFingerprint(folder: string, signal?: AbortSignal): Promise<string | undefined> {
  const ours = ["--", ".", ":(exclude).atomic"];
  const [staged, filters] = await Promise.all([
    git(folder, ["ls-files", "--stage", "-z", ...ours], signal),
    git(
      folder,
      ["config", "--local", "--includes", "--name-only", "-z", "--get-regexp", String.raw`^filter\.`],
      signal,
    ),
  ]);
  // To compare a file, git runs the filter for it. A folder that came with its own .git must not choose the program;
  // filters in the user's settings, such as LFS, still count.
  const off = (filters ?? []).flatMap((name) => ["-c", /\.required$/i.test(name) ? `${name}=false` : `${name}=`]);
  const compared = [...off, "ls-files", "--modified", "--others", "--exclude-standard", "-z", ...ours];
  const changed = staged && (await git(folder, compared, signal));
  if (staged === undefined || changed === undefined) return undefined;
  const files = new Map<string, string>();
  for (const entry of staged) {
    const [head = "", path = ""] = entry.split("\t", 2);
    files.set(path, head.replace(/ \d$/, ""));
  }
  // In the form of git's index: a mode and a blob's hash.
  for (const path of changed) {
    const file = join(folder, path);
    try {
      const stats = lstatSync(file, { bigint: true });
      const mode = (stats.mode & 0o100n) === 0n ? "100644" : "100755";
      if (stats.isSymbolicLink()) files.set(path, `120000 ${blobHash(Buffer.from(readlinkSync(file)))}`);
      else if (stats.isFile() && stats.size <= largestRead) files.set(path, `${mode} ${blobHash(readFileSync(file))}`);
      else files.set(path, `${mode} ${stats.size} ${stats.mtimeNs}`);
    } catch (error) {
      const code = systemCode(error);
      if (code === "ENOENT" || code === "ENOTDIR") files.delete(path);
      else if (code === "EACCES") files.set(path, "unreadable");
      else throw error;
    }
  }
  const hash = createHash("sha256");
  for (const path of [...files.keys()].sort()) hash.update(`${path}\0${files.get(path)}\0`);
  return hash.digest("hex");
}

function blobHash(content: Uint8Array): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

/** Git's output, entry by entry. Never waits for the index's lock: the agent may be using git itself. */
function git(folder: string, args: readonly string[], signal: AbortSignal | undefined): Promise<string[] | undefined> {
  // Nothing is fetched, so no transport of the repository's choice is started either.
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: "0", GIT_ALLOW_PROTOCOL: "none" };
  const options = { cwd: folder, env, maxBuffer: longestOutput, encoding: "utf8", ...(signal && { signal }) } as const;
  return new Promise((resolve, reject) => {
    execFile(
      "git",
      ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", ...args],
      options,
      (error, stdout) => {
        if (error === null) resolve(stdout.split("\0").filter((entry) => entry !== ""));
        else if (signal?.aborted === true) reject(signal.reason);
        // No git, no repository, another owner's, or a damaged one: the loop has other bounds.
        else resolve(undefined);
      },
    );
  });
}
