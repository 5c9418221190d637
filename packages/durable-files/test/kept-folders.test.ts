// A folder that cannot be removed must not leave a change unfinished forever.
import { afterAll, describe, expect } from "bun:test";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { recover } from "@atomic/durable-files/transaction/recover";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { interrupt } from "./scenario/interrupted.ts";
import { rootTest, withoutPrivileges } from "./scenario/privileges.ts";
import { stateDir } from "./scenario/project-files.ts";
import { bundleScenarios, type Runtime, runtimes } from "./scenario/runtimes.ts";
import { tinyDisk, tinyDiskTest } from "./scenario/tiny-disk.ts";

const scenarios = await bundleScenarios("remove-one", "recover");
afterAll(() => scenarios[Symbol.asyncDispose]());

function run(runtime: Runtime, name: string, ...args: string[]): Record<string, unknown> {
  const command = [...withoutPrivileges, ...scenarios.run(runtime, name, ...args)];
  const { stdout, stderr } = Bun.spawnSync(command, { env: { ...process.env, ...runtime.env } });
  expect(stderr.toString()).toBe("");
  return JSON.parse(stdout.toString()) as Record<string, unknown>;
}

/** Runs `body` while nothing may be added to or removed from `folder` itself. */
function whileProtected<T>(folder: string, body: () => T): T {
  fs.chmodSync(folder, 0o555);
  try {
    return body();
  } finally {
    fs.chmodSync(folder, 0o755);
  }
}

for (const runtime of runtimes) {
  describe(`on ${runtime.name}`, () => {
    rootTest("an emptied folder in a folder that may not be changed stays, and the result says so", async () => {
      await using folder = await temporaryFolder();
      const inner = join(folder.path, "protected/inner");
      fs.mkdirSync(inner, { recursive: true });
      for (const name of ["one.md", "two.md"]) fs.writeFileSync(join(inner, name), "");
      const remove = (name: string): unknown =>
        whileProtected(dirname(inner), () =>
          run(runtime, "remove-one", join(folder.path, ".state"), join(inner, name), folder.path),
        );
      const deleted = (name: string) => ({ files: [{ path: join(inner, name), did: "deleted" }] });
      // Still in use: nothing to report.
      expect(remove("one.md")).toEqual(deleted("one.md"));
      expect(remove("two.md")).toEqual({ ...deleted("two.md"), keptFolders: [inner] });
      expect(fs.readdirSync(join(folder.path, ".state"))).toEqual(["lock"]);
    });

    rootTest("a created folder that may not be removed stays when the change is undone or put back", async () => {
      for (const [applied, outcome] of [
        ["prepared", "undone"],
        [3, "put-back"],
      ] as const) {
        await using folder = await temporaryFolder();
        const project = join(folder.path, "project");
        const entries = await interrupt(project, applied);
        if (outcome === "put-back") fs.writeFileSync(entries[3]!.target, "edited");
        const skills = join(project, ".opencode/skills");
        const report = whileProtected(skills, () => run(runtime, "recover", project));
        expect(report).toMatchObject({ outcome, keptFolders: [join(skills, "review")] });
        expect(report.message).toContain(`Could not remove the folder ${join(skills, "review")}`);
        expect(await recover(stateDir(project))).toBeUndefined();
      }
    });
  });
}

tinyDiskTest("an emptied folder that is a mount point stays, and the result says so", async () => {
  await using disk = await tinyDisk();
  const file = join(disk.path, "one.md");
  fs.writeFileSync(file, "");
  await using folder = await temporaryFolder();
  const state = join(folder.path, ".state");
  const result = await transaction(state, [{ path: file, delete: true }], { pruneEmptyUpTo: dirname(disk.path) });
  expect(result.keptFolders).toEqual([fs.realpathSync(disk.path)]);
  expect(await recover(state)).toBeUndefined();
});
