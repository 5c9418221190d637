// Takes the files of a commit out of the object store, byte for byte: a checkout would run filters and hooks.
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import type { PackageWriter } from "../package-writer.ts";
import { ByteReader } from "../tarball/byte-reader.ts";
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
  if (blobs.length === 0) return;
  const pieces = new Pieces();
  const { repository } = fetched;
  const input = blobs.map(({ id }) => `${id}\n`).join("");
  const run = runGit(["cat-file", "--batch", "--buffer"], {
    ...where,
    repository,
    input,
    onOutput: (chunk) => pieces.add(chunk),
  });
  // Whoever fails first ends the other: a reader that stops does not read, and a git that stops gives nothing.
  const ended = run.finally(() => pieces.end());
  await Promise.all([writeBlobs(blobs, pieces, writer), ended]);
}

async function listBlobs({ repository, commit }: FetchedCommit, writer: PackageWriter, where: Where): Promise<Blob[]> {
  const args = ["ls-tree", "-r", "-z", "-l", "--full-tree", commit];
  const listing = new Pieces();
  const run = runGit(args, { ...where, repository, onOutput: (chunk) => listing.add(chunk) });
  const { code, stderr } = await run;
  if (code !== 0) throw gitFailure(repository, stderr);
  const blobs: Blob[] = [];
  for (const line of listing.text().split("\0")) {
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

/** Each comes as `<id> blob <size>`, a line break, the bytes, and a line break. */
async function writeBlobs(blobs: readonly Blob[], pieces: Pieces, writer: PackageWriter): Promise<void> {
  const reader = new ByteReader(pieces);
  for (const { id, path, executable, size } of blobs) {
    const header = `${id} blob ${size}\n`;
    const found = (await reader.take(header.length)).toString("latin1");
    const content = await reader.take(size + 1);
    if (found !== header || content.length !== size + 1) throw broken(path);
    writer.write(path, content.subarray(0, size), executable);
  }
}

function broken(path: string): HugoError {
  return new HugoError("program-failed", {
    message: `git did not give the content of ${path}`,
    hint: "Nothing was installed. Try again.",
  });
}

/** Output of a program, to be read while it comes. */
class Pieces implements AsyncIterable<Buffer> {
  readonly #waiting: Buffer[] = [];
  #ended = false;
  #wake: () => void = () => undefined;

  add(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  text(): string {
    return Buffer.concat(this.#waiting).toString("utf8");
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (;;) {
      const chunk = this.#waiting.shift();
      if (chunk !== undefined) yield chunk;
      else if (this.#ended) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
