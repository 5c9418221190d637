import { expect, setDefaultTimeout, test } from "bun:test";
import { type GitRepo, gitRepo } from "@atomic/testing/git";
import { gitDaemonMissing } from "@atomic/testing/git/daemon";
import { tmpProject } from "@atomic/testing/project";
import { outdated } from "../../src/commands/outdated.ts";
import { hugoIn, refusalOf } from "./hugo-project.ts";

setDefaultTimeout(180_000);

const skill = (name: string, text: string): string => `---\nname: ${name}\ndescription: Helps\n---\n\n${text}\n`;
const files = {
  "README.md": "# Skills",
  "skills/pdf/SKILL.md": skill("pdf", "Reads PDFs."),
  "skills/pdf/scripts/read.py": "print(1)\n",
  "skills/docx/SKILL.md": skill("docx", "Reads documents."),
};
const common = { global: false, dryRun: false, yes: false };

test("one folder of a repository is installed, updated, checked and restored like a package", async () => {
  await using repo = await gitRepo({ name: "skills", files });
  const first = await repo.git("rev-parse", "main");
  await using project = await tmpProject();
  const hugo = hugoIn(project);
  const spec = `${repo.packageUrl}//skills/pdf`;
  const installed = await hugo.install(spec);
  expect(installed.workflows).toMatchObject([
    { name: "pdf", package: "pdf", source: spec, version: first, skills: ["pdf"] },
  ]);
  expect(await project.tree(".opencode/skills")).toEqual(["pdf/SKILL.md", "pdf/scripts/read.py"]);
  const lock = JSON.parse(await project.read(".opencode/hugo.json"));
  expect(lock.workflows.pdf).toMatchObject({ source: spec, version: first });

  const second = await repo.commit({ files: { "skills/pdf/SKILL.md": skill("pdf", "Reads and writes PDFs.") } });
  const known = await outdated.run(hugo.context, { ...common, name: undefined, exitCode: false });
  expect(known.workflows).toMatchObject([{ name: "pdf", installed: first, wanted: second }]);
  const { updated, failed } = await hugo.update();
  expect(failed).toEqual([]);
  expect(updated).toMatchObject([{ name: "pdf", from: first, to: second, source: spec }]);
  expect(await project.read(".opencode/skills/pdf/SKILL.md")).toContain("Reads and writes");

  await project.run(["rm", "-rf", ".opencode/skills", ".opencode/.hugo"]);
  await hugo.ci();
  expect(await project.tree(".opencode/skills")).toEqual(["pdf/SKILL.md", "pdf/scripts/read.py"]);
});

test("a commit that does not touch the folder is not an update", async () => {
  await using repo = await gitRepo({ name: "skills", files });
  const first = await repo.git("rev-parse", "main");
  await using project = await tmpProject();
  const hugo = hugoIn(project);
  await hugo.install(`${repo.packageUrl}//skills/pdf`);
  await repo.commit({ files: { "skills/docx/SKILL.md": skill("docx", "Something else.") } });
  const look = async () =>
    (await outdated.run(hugo.context, { ...common, name: undefined, exitCode: false })).workflows;
  expect(await look()).toMatchObject([{ name: "pdf", installed: first, wanted: first, latest: first }]);
  const lock = await project.read(".opencode/hugo.json");
  expect(await hugo.update()).toMatchObject({ updated: [], current: [{ name: "pdf" }] });
  expect(await project.read(".opencode/hugo.json")).toBe(lock);
  const third = await repo.commit({ files: { "skills/pdf/scripts/read.py": "print(2)\n" } });
  expect(await look()).toMatchObject([{ name: "pdf", installed: first, wanted: third, latest: third }]);
});

test("a folder that the repository does not have is named, with one that is similar", async () => {
  await using repo = await gitRepo({ files });
  await using project = await tmpProject();
  const hugo = hugoIn(project);
  const missing = await refusalOf(hugo.install(`${repo.packageUrl}//skills/pfd`));
  expect(missing).toMatchObject({ code: "package-not-found", exitCode: 1 });
  expect(missing.message).toContain('has no folder "skills/pfd" at commit');
  expect(missing.hint).toBe(`Did you mean ${repo.packageUrl}//skills/pdf?`);
  const file = await refusalOf(hugo.install(`${repo.packageUrl}//skills/pdf/SKILL.md`));
  expect(file.hint).toBe(`It is a file. Name its folder: ${repo.packageUrl}//skills/pdf`);
});

const daemonMissing = gitDaemonMissing();
if (daemonMissing !== undefined) console.warn(`skipped: ${daemonMissing}`);

/** A project whose git finds `github.com/org/<name>` in the repository. */
async function projectWithGithub(repo: GitRepo) {
  const { url } = await repo.serve();
  const base = url.slice(0, url.lastIndexOf("/") + 1);
  return await tmpProject({
    git: false,
    files: { "~/.gitconfig": `[url "${base}"]\n  insteadOf = https://github.com/org/\n` },
  });
}

test.skipIf(daemonMissing !== undefined).each([
  ["https://github.com/org/skills/tree/main/skills/pdf", "github:org/skills/skills/pdf#main"],
  ["https://github.com/org/skills/tree/feature/new/skills/pdf", "github:org/skills/skills/pdf#feature/new"],
  ["https://github.com/org/skills/tree/v1/skills/pdf", "github:org/skills/skills/pdf#v1"],
  ["https://github.com/org/skills/tree/HEAD/skills/pdf", "github:org/skills/skills/pdf#HEAD"],
  ["github:org/skills/skills/pdf", "github:org/skills/skills/pdf"],
])("%s is recorded as %s", async (pasted, recorded) => {
  await using repo = await gitRepo({ name: "skills", files, tag: "v1" });
  await repo.branch("feature/new", "main");
  await using project = await projectWithGithub(repo);
  const { workflows } = await hugoIn(project).install(pasted);
  expect(workflows).toMatchObject([{ name: "pdf", source: recorded, skills: ["pdf"] }]);
  expect((await hugoIn(project).info(pasted)).source).toBe(recorded);
});

test.skipIf(daemonMissing !== undefined)(
  "a pasted branch that is not there is named, and a commit is one",
  async () => {
    await using repo = await gitRepo({ name: "skills", files });
    await using project = await projectWithGithub(repo);
    const head = await repo.git("rev-parse", "main");
    const page = "https://github.com/org/skills/tree";
    const missing = await refusalOf(hugoIn(project).install(`${page}/nothing/skills/pdf`));
    expect(missing).toMatchObject({ code: "version-not-found" });
    expect(missing.message).toContain("has no tag, branch or commit nothing");
    const { workflows } = await hugoIn(project).install(`${page}/${head}/skills/pdf`);
    expect(workflows).toMatchObject([{ source: `github:org/skills/skills/pdf#${head}`, version: head }]);
  },
);
