// A whole release without anything that leaves this machine: in a temporary clone, to a registry on loopback, installed from there.
import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { publishFolder } from "@atomic/testing/publish-folder";
import { applyPlan } from "./apply-plan.ts";
import { git } from "./commands.ts";
import { type Packed, packPackages, type Tarball, tableOf } from "./pack-packages.ts";
import { readManifest } from "./packages.ts";
import type { ReleasePlan } from "./plan-release.ts";
import { publishArguments, publishPackages } from "./publish-packages.ts";
import type { RepositoryAddress } from "./repository.ts";

interface DryRun {
  readonly root: string;
  readonly plan: ReleasePlan;
  readonly repository: RepositoryAddress;
  readonly say: (text: string) => void;
}

export async function dryRun({ root, plan, repository, say }: DryRun): Promise<boolean> {
  const { version, tag, distTag } = plan;
  say(`Release ${version}, dry run: nothing leaves this machine.\n`);
  await using registry = await npmRegistry();
  await using project = await tmpProject({ git: false, registry });

  say("\n1. Versions, changelog, commit and tag, in a temporary clone\n");
  const clone = project.path("clone");
  await git(["clone", "--quiet", "--shared", root, clone], { cwd: project.dir });
  await git(["config", "user.name", "Dry run"], { cwd: clone });
  await git(["config", "user.email", "dry-run@repository.invalid"], { cwd: clone });
  // The clone has the last commit only; the plan is made of what is in the folder.
  await applyPlan(clone, plan);
  say(indented(await git(["show", "--stat=80", "--format=%s (%D)", `${tag}^{commit}`, "--"], { cwd: clone })));

  say(`\n2. Tarballs, each checked as strangers will get it\n`);
  const { tarballs, problems }: Packed = await packPackages({
    root,
    version,
    repository,
    to: project.path("tarballs"),
  });
  say(indented(tableOf(tarballs)));
  if (problems.length > 0) {
    say(indented(problems.map((problem) => `${problem}\n`).join("")));
    return false;
  }

  say("\n3. Published in this order; here to loopback and unsigned, because only a hosted runner can sign\n");
  const env = { ...project.env, ...registry.env };
  for (const tarball of tarballs) {
    say(`   $ npm ${publishArguments(basename(tarball.file), distTag).join(" ")}\n`);
    await publishPackages([tarball], { distTag, hasProvenance: false, env, say: (line) => say(`   ${line}\n`) });
  }

  say("\n4. Installed as a stranger does\n");
  for (const dependency of foreignDependencies(root, tarballs))
    await publishFolder(registry, project, join(root, "node_modules", dependency));
  await installAll(project, tarballs, distTag, say);
  return true;
}

async function installAll(
  project: Project,
  tarballs: readonly Tarball[],
  distTag: string,
  say: (text: string) => void,
): Promise<void> {
  const prefix = project.path("~/installed");
  const specs = tarballs
    .filter(({ name }) => name !== "@atomic/workflows")
    .map(({ name }) => (distTag === "latest" ? name : `${name}@${distTag}`));
  say(`   $ npm install -g ${specs.join(" ")}\n`);
  const installed = await project.run(["npm", "install", "-g", "--prefix", prefix, ...specs], { timeout: 120_000 });
  if (installed.code !== 0) throw new Error(`npm cannot install what was published:\n${installed.stderr}`);
  for (const bin of (await readdir(join(prefix, "bin"))).toSorted()) {
    const { code, stdout, stderr } = await project.run([join(prefix, "bin", bin), "--version"]);
    if (code !== 0) throw new Error(`${bin} --version exited with ${code}:\n${stderr}`);
    say(`   ${bin} ${stdout.trim()}\n`);
  }
  const names = await readdir(prefix, { recursive: true });
  const sizes = names.map((name) => statSync(join(prefix, name))).filter((each) => each.isFile());
  const megabytes = sizes.reduce((sum, { size }) => sum + size, 0) / 1e6;
  say(`   together ${sizes.length.toLocaleString("en")} files, ${megabytes.toFixed(1)} MB\n`);
}

/** Packages of others that ours need, and that the registry on loopback therefore has to have. */
function foreignDependencies(root: string, tarballs: readonly Tarball[]): string[] {
  const ours = tarballs.map(({ name }) => name);
  const needed = ours.flatMap((name) => Object.keys(readManifest(join(root, "node_modules", name)).dependencies ?? {}));
  return [...new Set(needed)].filter((name) => !ours.includes(name));
}

function indented(text: string): string {
  return `${text.trimEnd().replace(/^(?=.)/gm, "   ")}\n`;
}
