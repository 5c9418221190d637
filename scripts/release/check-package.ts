// What must be true of a package before strangers get it. Every check returns its problems as sentences.
import { readFileSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { checkPackage as checkTypes, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { type Manifest, readManifest } from "./packages.ts";
import { relativeLinks } from "./readme-links.ts";

export interface UnpackedPackage {
  /** Where the tarball is unpacked. */
  readonly folder: string;
  readonly tarball: Uint8Array;
  readonly manifest: Manifest;
  readonly files: readonly string[];
}

interface Size {
  readonly files: number;
  /** Of the tarball. */
  readonly kilobytes: number;
}

/** A quarter above what they are today: a package that grows more than that should be noticed. */
const sizeLimits: Readonly<Record<string, Size>> = {
  "@atomic/workflows": { files: 330, kilobytes: 560 },
  "@atomic/cli": { files: 135, kilobytes: 565 },
  "hugo-pm": { files: 115, kilobytes: 520 },
  "magnus-opus": { files: 235, kilobytes: 380 },
};
const otherLimit: Size = { files: 100, kilobytes: 200 };
const acceptedLicenses = ["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD"];

export async function unpackedPackage(folder: string, tarball: Uint8Array): Promise<UnpackedPackage> {
  const found = await readdir(folder, { recursive: true });
  const files = found.filter((name) => statSync(join(folder, name)).isFile()).toSorted();
  return { folder, tarball, manifest: readManifest(folder), files };
}

export async function checkPackage(pkg: UnpackedPackage, root: string): Promise<string[]> {
  return [
    ...contentProblems(pkg, root),
    ...sizeProblems(pkg),
    ...metadataProblems(pkg),
    ...licenseProblems(pkg, root),
    ...dependencyProblems(pkg),
    ...readmeProblems(pkg),
    ...(await typeProblems(pkg)),
    ...(await publintProblems(pkg)),
  ];
}

function contentProblems({ folder, files, manifest }: UnpackedPackage, root: string): string[] {
  const missing = ["LICENSE", "README.md", "THIRD-PARTY-LICENSES"].filter((name) => !files.includes(name));
  const development = files.filter((name) => /^(?:src|test)\/|\.tsbuildinfo$|\.map$|\.tmp$/.test(name));
  const machine = files.filter((name) => readFileSync(join(folder, name)).includes(`${root}/`));
  const bins = Object.values(manifest.bin ?? {}).filter((name) => {
    const isThere = files.includes(name);
    return !isThere || !readFileSync(join(folder, name), "utf8").startsWith("#!/usr/bin/env node\n");
  });
  return [
    ...missing.map((name) => `${name} is missing`),
    ...development.map((name) => `${name} is there for development only`),
    ...machine.map((name) => `${name} contains a path of this machine`),
    ...bins.map((name) => `${name} is not a program`),
  ];
}

/** Most people see it on the registry's website. */
function readmeProblems(pkg: UnpackedPackage): string[] {
  const { name } = pkg.manifest;
  const text = pkg.files.includes("README.md") ? textOf(pkg, "README.md") : "";
  const installs = [...text.matchAll(/^npm install\b(.*)$/gm)].map(([, words = ""]) => words.replace(/ #.*/, ""));
  return [
    ...relativeLinks(text).map((link) => `README.md: ${link} works only inside the repository`),
    ...(installs.some((words) => words.split(" ").includes(name))
      ? []
      : [`README.md: it does not say how to install ${name}`]),
  ];
}

function sizeProblems({ manifest: { name }, files, tarball }: UnpackedPackage): string[] {
  const limit = sizeLimits[name] ?? otherLimit;
  const kilobytes = Math.ceil(tarball.length / 1000);
  return [
    ...(files.length > limit.files ? [`it has ${files.length} files; the limit is ${limit.files}`] : []),
    ...(kilobytes > limit.kilobytes ? [`it has ${kilobytes} kB; the limit is ${limit.kilobytes} kB`] : []),
  ];
}

function metadataProblems({ manifest }: UnpackedPackage): string[] {
  const needed = [
    "description",
    "keywords",
    "author",
    "homepage",
    "repository",
    "bugs",
    "engines",
    "os",
    "publishConfig",
  ];
  const unwanted = ["scripts", "devDependencies", "private", "workspaces"];
  return [
    ...needed.filter((field) => isEmpty(manifest[field])).map((field) => `package.json: "${field}" is missing`),
    ...unwanted.filter((field) => field in manifest).map((field) => `package.json: "${field}" must not be published`),
    ...(JSON.stringify(manifest).includes('"bun":') ? ['package.json: the condition "bun" leads to sources'] : []),
  ];
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}

function licenseProblems(pkg: UnpackedPackage, root: string): string[] {
  const { manifest, files } = pkg;
  const licenses = files.includes("THIRD-PARTY-LICENSES") ? textOf(pkg, "THIRD-PARTY-LICENSES") : "";
  const bundled = [...licenses.matchAll(/^(\S+) \d+\.\d+\.\d+\S* \((.+)\)$/gm)].map(([, name, license]) => [
    name,
    license,
  ]);
  const installed = Object.keys(manifest.dependencies ?? {}).map((name) => [
    name,
    readManifest(join(root, "node_modules", name)).license,
  ]);
  const odd = [...bundled, ...installed].filter(([, license]) => !acceptedLicenses.includes(license ?? ""));
  const isOurs = files.includes("LICENSE") && textOf(pkg, "LICENSE") === readFileSync(join(root, "LICENSE"), "utf8");
  return [
    ...(isOurs && manifest.license === "MIT" ? [] : ["LICENSE is not the repository's"]),
    ...odd.map(([name, license]) => `the license of ${name} is ${license}, which is not on our list`),
  ];
}

/** The build leaves out of a bundle what is installed beside it, so a dependency that no file imports is in the bundle, or unused. */
function dependencyProblems(pkg: UnpackedPackage): string[] {
  const code = pkg.files.filter((name) => /\.[cm]?[jt]s$/.test(name) && !name.endsWith(".d.ts"));
  const text = code.map((name) => textOf(pkg, name)).join("\n") + JSON.stringify(pkg.manifest.imports ?? {});
  const names = Object.keys(pkg.manifest.dependencies ?? {});
  const unused = names.filter((name) => !['"', "'", "`"].some((quote) => text.includes(quote + name)));
  return unused.map((name) => `package.json: no file imports "${name}": it is unused, or already in the bundle`);
}

/** We publish modules for `import` only, so what resolves for `require` and for Node 10 does not count. */
async function typeProblems({ tarball, manifest }: UnpackedPackage): Promise<string[]> {
  const result = await checkTypes(createPackageFromTarballData(tarball));
  const code = Object.keys(manifest.exports ?? {}).filter((path) => !path.endsWith(".json"));
  if (!result.types) return code.map((path) => `types: "${path}" has none`);
  const problems = result.problems.filter(
    (problem) =>
      problem.kind !== "CJSResolvesToESM" && !("resolutionKind" in problem && problem.resolutionKind === "node10"),
  );
  // The same problem is found once for each way to resolve a module.
  const sentences = problems.map((problem) => {
    const file = "typesFileName" in problem ? problem.typesFileName : undefined;
    const where = "entrypoint" in problem ? `"${problem.entrypoint}"` : (file ?? "a file");
    return `types: ${where}: ${problem.kind} (arethetypeswrong)`;
  });
  return [...new Set(sentences)];
}

async function publintProblems({ folder, manifest }: UnpackedPackage): Promise<string[]> {
  const { messages } = await publint({ pkgDir: folder, strict: true });
  return messages
    .filter(({ type }) => type !== "suggestion")
    .map((each) => `publint: ${formatMessage(each, manifest)}`);
}

function textOf({ folder }: UnpackedPackage, file: string): string {
  return readFileSync(join(folder, file), "utf8");
}
