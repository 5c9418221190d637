// `hugo-pm setup`, with the published package in a folder of global programs of its own.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { bundlePackages } from "@atomic/testing/bundle-packages";
import { type Project, tmpProject } from "@atomic/testing/project";

setDefaultTimeout(180_000);
beforeAll(() => bundlePackages("hugo-pm"));

const source = join(import.meta.dirname, "../..");

/** Without those of a clone, which has a `hugo` of its own. */
const systemFolders = (process.env.PATH ?? "").split(":").filter((folder) => !folder.includes("node_modules"));

/** A user whose `npm install -g` goes to `~/global`, and who may have another program called hugo there. */
async function userWith(
  other: "nothing" | "hugo",
): Promise<{ project: Project; run: (...argv: string[]) => ReturnType<Project["run"]> }> {
  const project = await tmpProject({ git: false });
  const env = {
    PATH: [project.path("~/global/bin"), ...systemFolders].join(":"),
    npm_config_prefix: project.path("~/global"),
  };
  const run = (...argv: string[]): ReturnType<Project["run"]> => project.run(argv, { env });
  if (other === "hugo") {
    await project.write("~/global/bin/hugo", "#!/bin/sh\necho hugo v0.165.0\n");
    chmodSync(project.path("~/global/bin/hugo"), 0o755);
  }
  const packed = await project.run(["npm", "pack", "--json", "--pack-destination", project.dir], { cwd: source });
  const [{ filename }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf("[\n")));
  expect(
    await run("npm", "install", "-g", "--offline", "--no-audit", "--no-fund", project.path(filename)),
  ).toMatchObject({ code: 0 });
  return { project, run };
}

describe("without a program called hugo", () => {
  test("it adds hugo, says so, and removes it again", async () => {
    const { project, run } = await userWith("nothing");
    await using _project = project;
    const link = project.path("~/global/bin/hugo");
    expect(await run("hugo-pm", "setup", "--dry-run")).toMatchObject({ code: 0, stdout: `Would add ${link}\n` });
    expect(lstatSync(link, { throwIfNoEntry: false })).toBeUndefined();
    expect((await run("hugo-pm", "list")).stdout).toContain("`hugo-pm install <package>`");
    expect(await run("hugo-pm", "setup")).toMatchObject({ code: 0, stdout: `Added ${link}\n` });
    expect((await run("hugo-pm", "list")).stdout).toContain("`hugo install <package>`");
    expect((await run("hugo", "list")).stdout).toContain("`hugo install <package>`");
    expect(await run("hugo", "--version")).toMatchObject({
      code: 0,
      stdout: (await run("hugo-pm", "--version")).stdout,
    });
    expect(await run("hugo", "setup")).toMatchObject({ code: 0, stdout: "Nothing to do.\n" });
    expect(await run("hugo", "setup", "--remove", "--json")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"did": "removed"'),
    });
    expect(lstatSync(link, { throwIfNoEntry: false })).toBeUndefined();
  });
});

/** A folder that nobody may write to, the superuser included. */
const readOnly = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"';
const mayMount = spawnSync("unshare", ["-m", "true"]).status === 0;
if (!mayMount) console.warn("skipped: a read-only folder of programs: this user may not mount file systems");

test.skipIf(!mayMount)(
  "a dry run says that the folder of programs may not be changed, as the real run does",
  async () => {
    const { project, run } = await userWith("nothing");
    await using _project = project;
    const bin = project.path("~/global/bin");
    const refused = { code: 3, stdout: "", stderr: expect.stringContaining("you may not change ~/global/bin (EROFS)") };
    const inReadOnly = async (...argv: string[]) =>
      await run("unshare", "-m", "sh", "-c", readOnly, "sh", bin, ...argv);
    for (const flags of [["--dry-run"], []])
      expect(await inReadOnly("hugo-pm", "setup", ...flags)).toMatchObject(refused);
    expect(await run("hugo-pm", "setup")).toMatchObject({ code: 0 });
    for (const flags of [["--dry-run"], []])
      expect(await inReadOnly("hugo-pm", "setup", "--remove", ...flags)).toMatchObject(refused);
  },
);

test("a folder called hugo is not a program", async () => {
  const { project, run } = await userWith("nothing");
  await using _project = project;
  await project.write("~/sites/hugo/index.md", "");
  const path = [project.path("~/sites"), project.path("~/global/bin"), ...systemFolders].join(":");
  expect(await run("env", `PATH=${path}`, "hugo-pm", "setup")).toMatchObject({ code: 0 });
});

test("npx has no lasting folder to add hugo to", async () => {
  const { project, run } = await userWith("nothing");
  await using _project = project;
  await run("mkdir", "-p", project.path("~/.npm/_npx/1/node_modules"));
  await run("mv", project.path("~/global/bin"), project.path("~/.npm/_npx/1/node_modules/.bin"));
  await run("mv", project.path("~/global/lib"), project.path("~/.npm/_npx/1/lib"));
  const bin = project.path("~/.npm/_npx/1/node_modules/.bin");
  const refused = await run(
    "env",
    `PATH=${[bin, ...systemFolders].join(":")}`,
    "node",
    `${project.path("~/.npm/_npx/1/lib/node_modules/hugo-pm/bin/hugo.js")}`,
    "setup",
  );
  expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining("hugo-pm is not installed globally") });
  expect(lstatSync(join(bin, "hugo"), { throwIfNoEntry: false })).toBeUndefined();
});

describe("with the site generator installed", () => {
  test("our package installs beside it, and its command stays", async () => {
    const { project, run } = await userWith("hugo");
    await using _project = project;
    const refused = await run("hugo-pm", "setup");
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    expect(refused.stderr).toContain("another program is already named hugo: ~/global/bin/hugo");
    expect(refused.stderr).toContain("Type `hugo-pm` instead of `hugo`");
    expect((await run("hugo-pm", "list")).stdout).toContain("`hugo-pm install <package>`");
    expect(await run("hugo-pm", "setup", "--remove")).toMatchObject({ code: 0, stdout: "Nothing to do.\n" });
    expect(await run("hugo")).toMatchObject({ code: 0, stdout: "hugo v0.165.0\n" });
  });
});
