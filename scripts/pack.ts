// `npm run pack`: builds the tarball of every published package into a folder and checks each as strangers will get it.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { isTarballOf, packPackages, tableOf } from "./release/pack-packages.ts";
import { publicPackages } from "./release/packages.ts";
import { placeholderProblem, repositoryAddress } from "./release/repository.ts";

const root = join(import.meta.dirname, "..");

const usage = `npm run pack              writes the tarballs into .build/tarballs and checks them
npm run pack -- <folder>  the same with another folder, which may contain only our tarballs
`;

async function pack(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    process.stdout.write(usage);
    return 0;
  }
  const flag = args.find((arg) => arg.startsWith("-"));
  if (flag !== undefined || args.length > 1) {
    process.stderr.write(`Unexpected argument ${JSON.stringify(flag ?? args[1])}.\n\n${usage}`);
    return 2;
  }
  const to = resolve(args[0] ?? join(root, ".build/tarballs"));
  const others = otherFilesIn(to);
  if (others.length > 0) {
    const some = others.slice(0, 3).join(", ") + (others.length > 3 ? ", …" : "");
    process.stderr.write(
      `${to} contains files other than our tarballs (${some}), which packing would delete. Choose another folder; nothing was packed.\n`,
    );
    return 1;
  }
  const repository = repositoryAddress(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
  const versions = new Set(publicPackages(root).map(({ manifest }) => manifest.version));
  const [version = ""] = versions;
  if (versions.size > 1) throw new Error(`The packages have different versions: ${[...versions].join(", ")}.`);
  const { tarballs, problems } = await packPackages({ root, version, repository, to });
  process.stdout.write(tableOf(tarballs));
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length > 0) return 1;
  process.stdout.write(
    `\nWrote ${tarballs.length} tarballs to ${relative(process.cwd(), to) || "."}. Every check passed.\n`,
  );
  if (repository.isPlaceholder) process.stdout.write(`Before a release: ${placeholderProblem}\n`);
  return 0;
}

/** What was not written by an earlier run. */
function otherFilesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  if (!statSync(folder).isDirectory()) return [folder];
  const names = publicPackages(root).map(({ name }) => name);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isFile() || !names.some((name) => isTarballOf(name, entry.name)))
    .map(({ name }) => name);
}

try {
  process.exitCode = await pack(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
