// Takes the files of a commit out of the object store, byte for byte: a checkout would run filters and hooks.
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import type { PackageWriter } from "../package-writer.ts";
import type { FetchedCommit } from "./fetch-commit.ts";
import { gitFailure } from "./git-failure.ts";
import { type GitRun, runGit } from "./run-git.ts";

interface Blob {
  readonly id: string;
  readonly path: string;
  readonly executable: boolean;
  readonly size: number;
}

type Where = Pick<GitRun, "guard"> & { readonly context: Context };

export async function exportCommit(fetched: FetchedCommit, writer: PackageWriter, where: Where): Promise<void> {
  const blobs = await listBlobs(fetched, writer, where);
  const input = blobs.map(({ id }) => `${id}\n`).join("");
  const output = await outputOf(["cat-file", "--batch", "--buffer"], fetched, { ...where, input });
  let at = 0;
  // Each comes as `<id> blob <size>`, a line break, the bytes, and a line break.
  for (const { id, path, executable, size } of blobs) {
    const header = `${id} blob ${size}\n`;
    const start = at + header.length;
    if (output.toString("latin1", at, start) !== header || output.length < start + size) throw broken(path);
    writer.write(path, output.subarray(start, start + size), executable);
    at = start + size + 1;
  }
}

async function listBlobs(fetched: FetchedCommit, writer: PackageWriter, where: Where): Promise<Blob[]> {
  const listing = await outputOf(["ls-tree", "-r", "-z", "-l", "--full-tree", fetched.commit], fetched, where);
  const blobs: Blob[] = [];
  for (const line of listing.toString("utf8").split("\0")) {
    const [, mode, kind, id, size, path] = /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(line) ?? [];
    if (mode === undefined || id === undefined || path === undefined) continue;
    if (kind === "commit") writer.leaveOut(path, "submodule");
    else if (mode === "120000") writer.leaveOut(path, "link");
    else {
      writer.announce(Number(size));
      blobs.push({ id, path, executable: mode === "100755", size: Number(size) });
    }
  }
  return blobs;
}

async function outputOf(args: readonly string[], { repository }: FetchedCommit, run: GitRun): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const { code, stderr } = await runGit(args, { ...run, repository, onOutput: (chunk) => chunks.push(chunk) });
  if (code !== 0) throw gitFailure(repository, stderr);
  return Buffer.concat(chunks);
}

function broken(path: string): HugoError {
  return new HugoError("program-failed", {
    message: `git did not give the content of ${path}`,
    hint: "Nothing was installed. Try again.",
  });
}
