// Our programs for the reader of a guide, as npm installs them from our tarballs, outside this repository.
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { publishFolder } from "@atomic/testing/publish-folder";
import { forgetTarballs, manifestIn, tarballs } from "../journeys/stranger.ts";

const root = join(import.meta.dirname, "../..");
const bins = {
  // Added by `hugo-pm setup`.
  hugo: "bin/hugo",
  atomic: "lib/node_modules/@atomic/cli/bin/atomic.js",
  "magnus-opus": "lib/node_modules/magnus-opus/bin/magnus-opus.js",
} as const;

let installed: Promise<Project> | undefined;

/** Installs all three, once for all guides of a test file. Its `beforeAll` calls this, because it takes long. */
export async function installPrograms(): Promise<void> {
  installed ??= install();
  await installed;
}

/** After the last guide. */
export async function removePrograms(): Promise<void> {
  const project = await installed;
  installed = undefined;
  await project?.[Symbol.asyncDispose]();
  await forgetTarballs();
}

/** The file that a program starts with. */
export async function installedBin(name: keyof typeof bins): Promise<string> {
  if (installed === undefined) throw new Error("installPrograms() was not called.");
  return (await installed).path(`prefix/${bins[name]}`);
}

/** Puts a program on the PATH of a project's terminal; `options` are Node's. */
export async function offer(project: Project, name: keyof typeof bins, options = ""): Promise<void> {
  const bin = await installedBin(name);
  await project.write(`~/bin/${name}`, `#!/bin/sh\nexec node ${options} '${bin}' "$@"\n`);
  await project.run(["chmod", "+x", project.path(`~/bin/${name}`)]);
}

async function install(): Promise<Project> {
  await using registry = await npmRegistry();
  const project = await tmpProject({ git: false, registry });
  for (const { name, version, file } of await tarballs()) {
    const manifest = await manifestIn(project, file);
    registry.publishTarball({ name, version, tarball: readFileSync(file), manifest });
  }
  for (const name of ["yaml", "@swc/wasm-typescript"])
    await publishFolder(registry, project, join(root, "node_modules", name));
  await project.write("~/.npmrc", `${registry.npmrc}audit=false\nfund=false\nupdate-notifier=false\n`);
  const command = [
    "npm",
    "install",
    "--global",
    "--prefix",
    project.path("prefix"),
    "hugo-pm",
    "@atomic/cli",
    "magnus-opus",
  ];
  const { code, stderr } = await project.run(command, { timeout: 120_000 });
  if (code !== 0) throw new Error(`Our packages cannot be installed:\n${stderr}`);
  const PATH = `${project.path("prefix/bin")}${delimiter}${project.env.PATH}`;
  const setup = await project.run(["hugo-pm", "setup"], { env: { PATH } });
  if (setup.code !== 0) throw new Error(`The command hugo cannot be added:\n${setup.stderr}`);
  return project;
}
