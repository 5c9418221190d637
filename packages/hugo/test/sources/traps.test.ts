// A folder that Hugo runs in may be a stranger's: nothing in it is executed, and only its registry is listened to.
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { gitRepo } from "@atomic/testing/git";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { findProgram } from "../../src/sources/program/find-program.ts";
import { type Fetching, fetching } from "./fetching.ts";

setDefaultTimeout(180_000);

const plugin = { "w/package.json": { name: "plug", dependencies: { tool: "1" } }, "w/workflow.json": {} };

/** Whatever of the project is run leaves a mark. */
async function trapped(it: Fetching): Promise<{ marker: string; env: Record<string, string> }> {
  const { project } = it;
  const marker = project.path("marker");
  for (const folder of ["node_modules/.bin", "bin", "."]) {
    for (const name of ["bun", "npm", "git", "node", "ssh", "sh"]) {
      await project.write(`${folder}/${name}`, `#!/bin/sh\necho ${folder}/${name} >> ${marker}\nexit 1\n`);
      await chmod(project.path(`${folder}/${name}`), 0o755);
    }
  }
  await project.write("preload.ts", `require("fs").appendFileSync("${marker}", "preload")`);
  await project.write("bunfig.toml", 'preload = ["./preload.ts"]\n[install]\nregistry = "http://127.0.0.1:1/"\n');
  await project.write(".env", "npm_config_registry=http://127.0.0.1:1/\n");
  await project.write(
    ".npmrc",
    `ignore-scripts=false\nscript-shell=${project.path("sh")}\ngit=${project.path("git")}\ncache=${project.dir}\n`,
  );
  await project.write("package.json", {
    name: "x",
    trustedDependencies: ["tool"],
    scripts: { preinstall: `touch ${marker}` },
  });
  const PATH = ["node_modules/.bin", "", ".", project.path("node_modules/.bin"), project.path("bin"), project.env.PATH];
  return { marker, env: { PATH: PATH.join(":") } };
}

test("nothing of the project is run or listened to", async () => {
  await using registry = await npmRegistry();
  await using repo = await gitRepo({
    files: { "package.json": '{"name":"plug","dependencies":{"tool":"1"}}', "workflow.json": "{}" },
  });
  await using it = await fetching({ registry, git: true, files: plugin });
  const { marker, env } = await trapped(it);
  registry.publish({ name: "tool", version: "1.0.0", manifest: { scripts: { postinstall: `touch ${marker}` } } });
  const before = await it.project.tree();
  for (const spec of ["./w", repo.packageUrl, "tool"]) {
    expect((await it.withEnv(env).fetchAll(spec)).version).toBeDefined();
  }
  // Also from a folder below the root of the worktree.
  const below = { ...it.context, cwd: it.project.path("w") };
  expect(findProgram("git", { ...below, env: { ...below.env, ...env } })).not.toStartWith(it.project.dir);
  expect(await it.project.tree()).toEqual(before);
  expect(existsSync(marker)).toBe(false);
});

test("a program that only the project has is not there", async () => {
  await using it = await fetching();
  const { env } = await trapped(it);
  const onlyProject = { ...env, PATH: (env.PATH ?? "").replace(`:${it.project.env.PATH}`, "") };
  expect(await it.withEnv(onlyProject).refusal("git+file:///x/y.git")).toMatchObject({
    code: "program-failed",
    message: "this package needs git, which was not found on the PATH (folders inside this project are ignored)",
  });
});

test("a link outside the project that points into it does not bypass the check", async () => {
  await using it = await fetching();
  const { project } = it;
  await trapped(it);
  await project.run([
    "sh",
    "-c",
    `mkdir -p ~/links && ln -s ${project.path("bin/git")} ~/links/git && ln -s ${project.dir} ~/in`,
  ]);
  const world = (PATH: string) => ({ ...it.context, env: { PATH } });
  expect(findProgram("git", world(`${project.home}/links:${project.home}/in/bin`))).toBeUndefined();
});

test("programs of the home folder are found when Hugo runs in the home folder", async () => {
  await using it = await fetching({
    files: { "~/.bun/bin/bun": "#!/bin/sh\n", "~/node_modules/.bin/bun": "#!/bin/sh\n" },
  });
  const { home } = it.project;
  for (const file of [".bun/bin/bun", "node_modules/.bin/bun"]) await chmod(`${home}/${file}`, 0o755);
  const world = { cwd: home, home, env: { PATH: `${home}/node_modules/.bin:${home}/.bun/bin` } };
  expect(findProgram("bun", world)).toBe(`${home}/.bun/bin/bun`);
});

test("a file that cannot be executed, or a folder, is not a program", async () => {
  await using it = await fetching({ files: { "~/a/git": "", "~/b/git/x": "" } });
  const { home } = it.project;
  await chmod(`${home}/a/git`, 0o644);
  // Root may execute what anybody may execute, so only the missing bit counts.
  expect(findProgram("git", { ...it.context, env: { PATH: `${home}/a:${home}/b` } })).toBeUndefined();
});
