// The program as a shell starts it.
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { userName } from "@atomic/workflows/internal/run/user-name";
import { first, ProjectWithRuns } from "./project-with-runs.ts";

const program = join(import.meta.dirname, "../../bin/magnus-opus.js");

beforeAll(() => bundlePackages("magnus-opus"));

async function shell(project: ProjectWithRuns, command: string): Promise<{ code: number; out: string; err: string }> {
  const magnus = `"${process.execPath}" "${program}"`;
  const child = Bun.spawn(["sh", "-c", command.replaceAll("magnus-opus", () => magnus)], {
    cwd: project.dir,
    env: process.env,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, err };
}

test("a script decides under its user's name, and reads the exit codes", async () => {
  await using project = await ProjectWithRuns.make();
  await project.leftRun();
  expect(await shell(project, `magnus-opus approve ${first} --json </dev/null`)).toMatchObject({ code: 0, err: "" });
  expect(project.state().approvals[0]!.by).toEqual({ kind: "person", how: "shell", name: userName() });
  expect(await shell(project, `magnus-opus approve ${first}`)).toMatchObject({ code: 1, out: "" });
  expect((await shell(project, "magnus-opus approve")).code).toBe(2);
});

test("reading only the first line causes no error", async () => {
  await using project = await ProjectWithRuns.make();
  await project.leftRun();
  const { out, err } = await shell(project, "magnus-opus timeline --html - | head -c 15");
  expect([out, err]).toEqual(["<!doctype html>", ""]);
});
