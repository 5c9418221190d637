// Where other machines would get a project's files, decided before a run starts.
import { expect, test } from "bun:test";
import { gitRepo } from "@atomic/testing/git";
import { git } from "../../src/fleet/git.ts";
import { sharedFiles } from "../../src/fleet/shared-files.ts";
import { sharedProject } from "./fleet.ts";

test("a commit that only another remote has was not pushed", async () => {
  await using repo = await gitRepo();
  await using fork = await gitRepo();
  await using project = await sharedProject(repo, { "start.txt": "" });
  expect(await sharedFiles(project.dir, undefined)).toMatchObject({ repository: { url: repo.url } });
  await git(project.dir, "remote", "add", "fork", fork.url);
  await project.write("more.txt", "");
  await project.run(["git", "add", "."]);
  await project.run(["git", "commit", "--quiet", "-m", "more"]);
  await project.run(["git", "push", "--quiet", "fork", "HEAD:main"]);
  await expect(sharedFiles(project.dir, undefined)).rejects.toMatchObject({ code: "workspace-unpushed" });
  await project.run(["git", "push", "--quiet", "origin", "HEAD:main"]);
  expect(await sharedFiles(project.dir, undefined)).toMatchObject({ repository: { url: repo.url } });
});

test("a remote that is a path from the project's folder is refused", async () => {
  await using repo = await gitRepo();
  await using project = await sharedProject(repo, { "start.txt": "" });
  for (const snapshot of [undefined, "f1"]) {
    for (const url of ["../repo.git", "repo.git", "./a:b"]) {
      await git(project.dir, "remote", "set-url", "origin", url);
      await expect(sharedFiles(project.dir, snapshot)).rejects.toMatchObject({ code: "workspace-unknown" });
    }
  }
  for (const url of [repo.dir, "git@host:org/repo.git", "host:repo", "ssh://host/repo"]) {
    await git(project.dir, "remote", "set-url", "origin", url);
    expect(await sharedFiles(project.dir, undefined)).toMatchObject({ repository: { url } });
  }
});
