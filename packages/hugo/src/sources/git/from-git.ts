import { join } from "node:path";
import { shown } from "@atomic/durable-files/safety/names";
import { shellWord } from "@atomic/terminal/shell-words";
import { didYouMean } from "@atomic/terminal/suggest";
import { HugoError } from "../../errors.ts";
import type { Obtained, ObtainOptions } from "../fetched.ts";
import { followLinks } from "../follow-links.ts";
import type { GitSource } from "../package-source.ts";
import { PackageWriter } from "../package-writer.ts";
import { addressOf, printPackageSpec } from "../spec.ts";
import { watchingSize } from "../watch-size.ts";
import { fetchCommit, resolveRef } from "./fetch-commit.ts";
import { type GitRun, gitFailure, runGit } from "./run-git.ts";

export async function fromGit(source: GitSource, options: ObtainOptions): Promise<Obtained> {
  const { context, into, folder, limits, exactly } = options;
  const name = printPackageSpec(source);
  context.user.progress(`Fetching ${name}`);
  const resolved = await resolveRef(source, context, exactly?.version);
  const repository = join(into, "repository");
  const writer = new PackageWriter(folder, name, limits, { isRepository: true });
  const version = await watchingSize(repository, name, limits, async (guard) => {
    const commit = await fetchCommit(resolved, { context, repository, guard });
    // Once the lock names a commit, no other is accepted.
    if (exactly !== undefined && exactly.version !== commit) {
      throw new HugoError("integrity-mismatch", {
        message: `${source.url} returned commit ${commit}, but the lock has ${exactly.version}`,
        hint: "Nothing was installed. Try again; if this keeps happening, do not trust that host.",
      });
    }
    await exportCommit(commit, source, writer, { context, repository, guard });
    return commit;
  });
  return { version, notices: writer.finish() };
}

/**
 * Reads a commit's files from the object store, byte for byte: a checkout would run filters and hooks. If the source
 * names a folder, only what is in it.
 */
async function exportCommit(
  commit: string,
  { url, folder }: GitSource,
  writer: PackageWriter,
  where: GitRun & { readonly repository: string },
): Promise<void> {
  const listing = await outputOf(["ls-tree", "-r", "-z", "-l", "--full-tree", commit], where);
  const blobs: (Blob & { readonly path: string })[] = [];
  const linkBlobs: (Blob & { readonly path: string })[] = [];
  const prefix = folder === undefined ? "" : `${folder}/`;
  const paths: string[] = [];
  for (const line of listing.toString("utf8").split("\0")) {
    const [, mode, kind, id, size, whole] = /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(line) ?? [];
    if (mode === undefined || id === undefined || whole === undefined) continue;
    paths.push(whole);
    if (!whole.startsWith(prefix)) continue;
    const path = whole.slice(prefix.length);
    if (kind === "commit") writer.leaveOut(path, "submodule");
    else {
      writer.announce(Number(size));
      const list = mode === "120000" ? linkBlobs : blobs;
      list.push({ id, path, executable: mode === "100755", size: Number(size) });
    }
  }
  if (folder !== undefined && !paths.some((path) => path.startsWith(prefix)))
    throw noFolder(url, folder, commit, paths);
  const links = new Map<string, string>();
  await readBlobs(linkBlobs, where, ({ path }, target) => links.set(path, target.toString("utf8")));
  const files = new Map<string, Blob>(blobs.map((blob) => [blob.path, blob]));
  const { copies, followed } = followLinks(files, links, (file) => writer.announce(file?.size ?? 0));
  writer.follow(followed);
  for (const link of links.keys()) if (!followed.has(link)) writer.leaveOut(link, "link");
  blobs.push(...copies.map(([path, blob]) => ({ ...blob, path })));
  await readBlobs(blobs, where, ({ path, executable }, bytes) => writer.write(path, bytes, executable));
}

interface Blob {
  readonly id: string;
  readonly executable: boolean;
  readonly size: number;
}

async function readBlobs<Each extends Blob & { readonly path: string }>(
  blobs: readonly Each[],
  where: GitRun & { readonly repository: string },
  use: (blob: Each, bytes: Buffer) => void,
): Promise<void> {
  if (blobs.length === 0) return;
  const input = blobs.map(({ id }) => `${id}\n`).join("");
  const output = await outputOf(["cat-file", "--batch", "--buffer"], { ...where, input });
  let at = 0;
  // Each comes as `<id> blob <size>`, a line break, the bytes, and a line break.
  for (const blob of blobs) {
    const { id, path, size } = blob;
    const header = `${id} blob ${size}\n`;
    const start = at + header.length;
    if (output.toString("latin1", at, start) !== header || output.length < start + size) {
      const message = `git did not return the content of ${path}`;
      throw new HugoError("program-failed", { message, hint: "Nothing was installed. Try again." });
    }
    use(blob, output.subarray(start, start + size));
    at = start + size + 1;
  }
}

function noFolder(url: string, folder: string, commit: string, paths: readonly string[]): HugoError {
  const folders = new Set(
    paths.flatMap((path) =>
      path
        .split("/")
        .slice(0, -1)
        .map((_, i, parts) => parts.slice(0, i + 1).join("/")),
    ),
  );
  const [similar] = didYouMean(folder, folders);
  const outer = folder.includes("/") ? folder.slice(0, folder.lastIndexOf("/")) : undefined;
  let hint =
    similar === undefined
      ? `See what is there: \`hugo info ${shellWord(url)}\``
      : `Did you mean ${addressOf({ url, folder: similar })}?`;
  if (paths.includes(folder)) hint = `It is a file. Name its folder: ${addressOf({ url, folder: outer })}`;
  const message = `${url} has no folder ${shown(folder)} at commit ${commit.slice(0, 10)}`;
  return new HugoError("package-not-found", { message, at: addressOf({ url, folder }), hint });
}

async function outputOf(args: readonly string[], run: GitRun & { readonly repository: string }): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const { code, stderr } = await runGit(args, { ...run, onOutput: (chunk) => chunks.push(chunk) });
  if (code !== 0) throw gitFailure(run.repository, stderr);
  return Buffer.concat(chunks);
}
