// `npm run pack`: builds the tarball of every published package into a folder and checks each as strangers will get it.
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { packPackages, tableOf } from "./release/pack-packages.ts";
import { publicPackages } from "./release/packages.ts";
import { placeholderProblem, repositoryAddress } from "./release/repository.ts";

const root = join(import.meta.dirname, "..");

const usage = `npm run pack              writes the tarballs into .build/tarballs and checks them
npm run pack -- <folder>  the same with another folder, which is emptied first
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

process.exitCode = await pack(process.argv.slice(2));
