import { expect, test } from "bun:test";
import { chmod, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type Project, tmpProject } from "@atomic/testing/project";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { gitFingerprint } from "../../src/tasks/git-fingerprint.ts";

const git = async (project: Project, ...args: string[]): Promise<void> => {
  const { code, stderr } = await project.run(["git", ...args]);
  expect(code, stderr).toBe(0);
};

test("content counts, but not whether it is staged or committed, or when it was written", async () => {
  await using project = await tmpProject({ files: { "a.ts": "1", "b.ts": "1" } });
  const now = (): Promise<string | undefined> => gitFingerprint(project.dir);
  const before = await now();
  expect(before).toBeString();

  await project.write("a.ts", "2");
  await project.write("new.ts", "n");
  const changed = await now();
  expect(changed).not.toBe(before);
  await git(project, "add", "-A");
  expect(await now()).toBe(changed);
  await git(project, "commit", "-qm", "x");
  expect(await now()).toBe(changed);
  await project.write("a.ts", "2");
  expect(await now()).toBe(changed);

  await project.write("a.ts", "1");
  await rm(join(project.dir, "new.ts"));
  expect(await now()).toBe(before);
});

test("every kind of change counts: a new file, its content, its mode, a link, a removal", async () => {
  await using project = await tmpProject({ files: { "a.ts": "1" } });
  const seen = [await gitFingerprint(project.dir)];
  const look = async (): Promise<void> => void seen.push(await gitFingerprint(project.dir));
  await project.write("new.ts", "n");
  await look();
  await project.write("new.ts", "m");
  await look();
  await chmod(join(project.dir, "new.ts"), 0o755);
  await look();
  await symlink("a.ts", join(project.dir, "link"));
  await look();
  await rm(join(project.dir, "a.ts"));
  await look();
  expect(new Set(seen).size).toBe(seen.length);
});

test("Atomic's own files, and what git ignores, do not count", async () => {
  await using project = await tmpProject({ files: { "a.ts": "1", ".gitignore": "out/\n" } });
  const before = await gitFingerprint(project.dir);
  await project.write(".atomic/runs/r1/journal.jsonl", "{}");
  await project.write("out/log", "x");
  expect(await gitFingerprint(project.dir)).toBe(before);
});

test("no program that the repository's own settings name is run", async () => {
  await using project = await tmpProject({
    files: { "a.ts": "1", "b.txt": "1", ".gitattributes": "*.txt filter=clean\n" },
  });
  await project.write(".git/info/attributes", "*.ts filter=process\n");
  await project.write(".git/more", '[filter "clean"]\n\tclean = touch ran-clean; cat\n\trequired = true\n');
  const settings = [
    ...["[include]", "\tpath = more", '[filter "process"]', "\tprocess = touch ran-process", "\trequired = true"],
    ...["[core]", '\tfsmonitor = "touch ran-fsmonitor; echo"', "\thooksPath = .hooks"],
  ];
  await project.write(".git/config", `${await project.read(".git/config")}${settings.join("\n")}\n`);
  // As long as before: git has to compare the content.
  for (const path of ["a.ts", "b.txt"]) await project.write(path, "2");
  expect(await gitFingerprint(project.dir)).toBeString();
  expect((await project.tree()).filter((path) => path.startsWith("ran"))).toEqual([]);
});

test("no fingerprint without a repository, or without git", async () => {
  await using folder = await temporaryFolder();
  expect(await gitFingerprint(folder.path)).toBeUndefined();
  expect(await gitFingerprint(join(folder.path, "missing"))).toBeUndefined();
});

test("a run that ends does not wait for the fingerprint", async () => {
  await using project = await tmpProject();
  await expect(gitFingerprint(project.dir, AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
});
