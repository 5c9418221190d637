// What `--snapshot` sends of a project, and what it refuses to send.
import { expect, test } from "bun:test";
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { type GitRepo, gitRepo } from "@atomic/testing/git";
import type { Project } from "@atomic/testing/project";
import { git } from "../../src/fleet/git.ts";
import { sharedFiles } from "../../src/fleet/shared-files.ts";
import { sharedProject } from "./fleet.ts";

const files = { "a.txt": "a\n", "sub/b.txt": "b\n", ".gitignore": "made/\n" };

/** The snapshot's files as `mode name`, after checking that the project itself is as it was. */
async function snapshotOf(repo: GitRepo, project: Project, folder = project.dir): Promise<string[]> {
  const before = await git(project.dir, "status", "--porcelain", "-z");
  const shared = await sharedFiles(folder, "f1");
  expect(await shared?.push?.("run")).toBe(true);
  expect(await git(project.dir, "status", "--porcelain", "-z")).toBe(before);
  const listed = await repo.git("ls-tree", "-r", "-z", "refs/atomic/run");
  return listed.split("\0").flatMap((line) => (line === "" ? [] : line.replace(/ blob \S+\t/, " ")));
}

async function commit(project: Project): Promise<void> {
  await git(project.dir, "add", "--all");
  await git(project.dir, "-c", "user.name=a", "-c", "user.email=a@b.test", "commit", "--quiet", "-m", "not pushed");
}

test("links, modes, deleted files and odd names arrive as they are", async () => {
  await using repo = await gitRepo();
  await using project = await sharedProject(repo, files);
  await symlink("a.txt", project.path("link"));
  await symlink("/nowhere", project.path("dangling"));
  await writeFile(project.path("run.sh"), "#!/bin/sh\n");
  await chmod(project.path("run.sh"), 0o755);
  await rm(project.path("sub/b.txt"));
  for (const name of ["two\nlines", " space ", "-dash", 'quo"te']) await writeFile(project.path(name), "x");
  await writeFile(Buffer.concat([Buffer.from(`${project.dir}/`), Buffer.from([0x62, 0xff])]), "x");
  const sent = await snapshotOf(repo, project);
  expect(sent).toEqual(
    expect.arrayContaining([
      ...["120000 link", "120000 dangling", "100755 run.sh"],
      ...["two\nlines", " space ", "-dash", 'quo"te', "b\ufffd"].map((name) => `100644 ${name}`),
    ]),
  );
  expect(sent).not.toContain("100644 sub/b.txt");
});

test("a file that git ignores is sent if it was added, and what a sparse checkout leaves out is not deleted", async () => {
  await using repo = await gitRepo();
  await using project = await sharedProject(repo, files);
  await mkdir(project.path("made"));
  await writeFile(project.path("made/added.txt"), "x");
  await writeFile(project.path("made/ignored.txt"), "x");
  await git(project.dir, "add", "--force", "made/added.txt");
  await git(project.dir, "sparse-checkout", "set", "--no-cone", "/a.txt", "/made/");
  await writeFile(project.path("new.txt"), "outside of what is checked out");
  const sent = await snapshotOf(repo, project);
  expect(sent).toEqual(expect.arrayContaining(["100644 made/added.txt", "100644 sub/b.txt", "100644 new.txt"]));
  expect(sent).not.toContain("100644 made/ignored.txt");
});

test("a file that git was told to leave alone is sent as it was committed", async () => {
  await using repo = await gitRepo();
  await using project = await sharedProject(repo, files);
  await git(project.dir, "update-index", "--skip-worktree", "a.txt");
  await writeFile(project.path("a.txt"), "only for this machine");
  await writeFile(project.path("new.txt"), "");
  await snapshotOf(repo, project);
  expect(await repo.git("show", "refs/atomic/run:a.txt")).toBe("a");
});

test("a new file that Git LFS would upload is sent with its content", async () => {
  await using repo = await gitRepo();
  await using project = await sharedProject(repo, files);
  await git(project.dir, "config", "filter.lfs.clean", "echo pointer");
  await writeFile(project.path(".gitattributes"), "*.big filter=lfs\n");
  await writeFile(project.path("film.big"), "every frame\n");
  await snapshotOf(repo, project, project.path("sub"));
  expect(await repo.git("show", "refs/atomic/run:film.big")).toBe("every frame");
});

test.each<[string, (project: Project) => Promise<void>, { code: string; message: string }]>([
  [
    "a secret in a commit that was not pushed",
    async (project) => {
      await writeFile(project.path(".env"), "KEY=1");
      await commit(project);
      await git(project.dir, "rm", "--quiet", ".env");
      await commit(project);
    },
    {
      code: "workspace-secret",
      message: "--snapshot would push commits that contain .env, which may be secret",
    },
  ],
  [
    "a large file in a commit that was not pushed",
    async (project) => {
      await writeFile(project.path(".gitattributes"), "*.big filter=lfs\n");
      await writeFile(project.path("sub/film.big"), "");
      await commit(project);
    },
    {
      code: "workspace-unpushed",
      message: "sub/film.big is in Git LFS and in a commit that was not pushed, and --snapshot does not upload it",
    },
  ],
  [
    "changes in a submodule",
    async (project) => {
      const allowed = ["-c", "protocol.file.allow=always"];
      await git(project.dir, ...allowed, "submodule", "--quiet", "add", project.dir, "module");
      await commit(project);
      await writeFile(project.path("module/a.txt"), "changed");
    },
    { code: "workspace-nested", message: "The submodule module has changes, which --snapshot would not send" },
  ],
])("%s is refused, also from a folder inside", async (_what, change, expected) => {
  await using repo = await gitRepo();
  await using project = await sharedProject(repo, files);
  await change(project);
  await mkdir(project.path("sub"), { recursive: true });
  for (const folder of [project.dir, project.path("sub")]) {
    await expect(sharedFiles(folder, "f1")).rejects.toMatchObject(expected);
  }
  expect(await repo.git("for-each-ref", "refs/atomic")).toBe("");
});
