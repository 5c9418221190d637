// Every package of a release becomes a tarball in one folder, and each tarball is checked as strangers will get it.
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPackage, unpackedPackage } from "./check-package.ts";
import { command, npm } from "./commands.ts";
import { publicPackages } from "./packages.ts";
import type { RepositoryAddress } from "./repository.ts";
import { stagePackage } from "./stage-package.ts";

export interface Tarball {
  readonly name: string;
  readonly version: string;
  readonly file: string;
  readonly fileCount: number;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
}

export interface Packed {
  /** In publishing order. */
  readonly tarballs: readonly Tarball[];
  readonly problems: readonly string[];
}

interface Packing {
  readonly root: string;
  readonly version: string;
  readonly repository: RepositoryAddress;
  /** Emptied first. */
  readonly to: string;
  /** Only writes the tarballs, for tests that install them. */
  readonly isUnchecked?: boolean;
}

export async function packPackages(packing: Packing): Promise<Packed> {
  const unpacked = await mkdtemp(join(tmpdir(), "pack-"));
  try {
    return await packFrom(unpacked, packing);
  } finally {
    await rm(unpacked, { recursive: true });
  }
}

/** @param unpacked The folder in which the packages are put together. */
async function packFrom(
  unpacked: string,
  { root, version, repository, to, isUnchecked = false }: Packing,
): Promise<Packed> {
  const packages = publicPackages(root);
  const names = packages.map(({ name }) => name);
  const tarballs: Tarball[] = [];
  const problems: string[] = [];
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true });
  for (const pkg of packages) {
    const staged = join(unpacked, pkg.source);
    const dead = await stagePackage(pkg, staged, { root, repository, version, names });
    const [packed] = JSON.parse(
      await npm(["pack", "--json", "--ignore-scripts", "--pack-destination", to], { cwd: staged }),
    );
    const file = join(to, packed.filename);
    const { entryCount, size, unpackedSize } = packed;
    const sizes = { fileCount: entryCount, packedBytes: size, unpackedBytes: unpackedSize };
    tarballs.push({ name: pkg.name, version, file, ...sizes });
    if (isUnchecked) continue;
    // npm decides what is in a tarball: from here on, only its bytes count.
    await rm(staged, { recursive: true });
    await mkdir(staged, { recursive: true });
    await command("tar", ["-xzf", file, "--strip-components=1", "-C", staged], { cwd: to });
    const found = await checkPackage(await unpackedPackage(staged, await readFile(file)), root);
    const links = dead.map((link) => `README.md: ${link} leads nowhere`);
    problems.push(...[...links, ...found].map((problem) => `${pkg.name}: ${problem}`));
  }
  return { tarballs, problems };
}

/** Whether it is what npm calls a tarball of this package, of any version. */
export function isTarballOf(packageName: string, file: string): boolean {
  const start = `${packageName.replace("@", "").replace("/", "-")}-`;
  return file.startsWith(start) && /^\d+\.\d+\.\d+.*\.tgz$/.test(file.slice(start.length));
}

export function tableOf(tarballs: readonly Tarball[]): string {
  const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1000).toLocaleString("en")} kB`;
  const rows = tarballs.map(({ name, version, fileCount, packedBytes, unpackedBytes }) => [
    name,
    version,
    String(fileCount),
    kilobytes(packedBytes),
    kilobytes(unpackedBytes),
  ]);
  const all = [["package", "version", "files", "packed", "unpacked"], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row.map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  ");
  return all.map((row) => `${line(row)}\n`).join("");
}
