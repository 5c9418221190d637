import { expect, test } from "bun:test";
import { existsSync, realpathSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { tmpProject } from "@atomic/testing/project";

test("a project is a git repository with its files committed", async () => {
  await using project = await tmpProject({ files: { "src/a.ts": "export {};\n" } });
  const { code, stdout } = await project.run(["git", "log", "--format=%an %s", "--name-only"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Test Start\n\nsrc/a.ts\n" });
  expect((await project.run(["git", "status", "--short"])).stdout).toBe("");
  expect((await project.run(["git", "branch", "--show-current"])).stdout).toBe("main\n");
});

test("a project without git is a plain folder", async () => {
  await using project = await tmpProject({ git: false });
  expect(await project.exists(".git")).toBe(false);
  expect((await project.run(["git", "status"])).code).toBe(128);
});

test("its folder has no symlink in its path", async () => {
  await using project = await tmpProject();
  expect(realpathSync(project.dir)).toBe(project.dir);
});

test("everything is gone when the project is disposed", async () => {
  const project = await tmpProject();
  await project.write("~/notes", "mine");
  await project[Symbol.asyncDispose]();
  expect(existsSync(project.dir)).toBe(false);
  expect(existsSync(dirname(project.dir))).toBe(false);
});

test("a project that cannot be set up leaves nothing behind", async () => {
  await using outer = await tmpProject({ git: false });
  const { TMPDIR } = process.env;
  process.env.TMPDIR = outer.dir;
  try {
    await expect(tmpProject({ files: { "dir/file": "", "dir/file/below": "" } })).rejects.toThrow("dir/file");
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
  expect(await outer.tree()).toEqual([]);
});

test("files are written, read, listed and removed by their path in the project", async () => {
  await using project = await tmpProject({ files: { "a.json": { b: [1] }, "~/.npmrc": "audit=false\n" } });
  await project.write("deep/er/file.txt", "text");
  await project.write("bytes.bin", new Uint8Array([0, 255]));
  expect(await project.json("a.json")).toEqual({ b: [1] });
  expect(await project.read("a.json")).toBe('{\n  "b": [\n    1\n  ]\n}\n');
  expect(await project.read("~/.npmrc")).toBe("audit=false\n");
  expect((await stat(project.path("bytes.bin"))).size).toBe(2);
  expect(await project.tree()).toEqual(["a.json", "bytes.bin", "deep/er/file.txt"]);
  expect(await project.tree("deep")).toEqual(["er/file.txt"]);
  expect(await project.exists("deep/er")).toBe(true);
  await project.remove("deep/er");
  expect(await project.exists("deep/er/file.txt")).toBe(false);
  expect(await project.tree()).toEqual(["a.json", "bytes.bin", "deep/"]);
});

test("nothing but PATH is inherited", async () => {
  process.env.ATOMIC_TEST_LEAK = "leaked";
  try {
    await using project = await tmpProject({ env: { EXTRA: "given" } });
    const { stdout } = await project.run(["env"], { env: { MORE: "now" } });
    const names = stdout.split("\n").flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
    const ours = ["BUN_JSC_useDFGJIT"];
    expect(names.filter((name) => /LEAK|^CI$|CLAUDE|npm_lifecycle|BUN_/.test(name))).toEqual(ours);
    expect(stdout).toContain("EXTRA=given\n");
    expect(stdout).toContain("MORE=now\n");
    expect(stdout).toContain(`HOME=${project.home}\n`);
    expect(stdout).toContain(`XDG_CONFIG_HOME=${project.home}/.config\n`);
    expect(stdout).toContain("OPENCODE_DISABLE_AUTOUPDATE=1\n");
  } finally {
    delete process.env.ATOMIC_TEST_LEAK;
  }
});

test("PWD is the folder that a program runs in", async () => {
  await using project = await tmpProject({ files: { "sub/x": "" } });
  expect((await project.run(["sh", "-c", 'echo "$PWD"'])).stdout).toBe(`${project.dir}\n`);
  expect((await project.run(["printenv", "PWD"], { cwd: "sub" })).stdout).toBe(`${project.dir}/sub\n`);
});

test("installs fail at once unless a registry is given", async () => {
  await using offline = await tmpProject();
  expect(offline.env.npm_config_registry).toBe("http://127.0.0.1:9/");
  const registry = { env: { npm_config_registry: "http://127.0.0.1:1234/" } };
  await using online = await tmpProject({ registry });
  expect(online.env.npm_config_registry).toBe("http://127.0.0.1:1234/");
});

test("the tools that the workspace installed are on the path", async () => {
  await using project = await tmpProject();
  expect((await project.run(["bun", "--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test("a command's output, exit code and signal are its result", async () => {
  await using project = await tmpProject({ git: false });
  expect(await project.run(["sh", "-c", "echo out; echo err >&2; exit 3"])).toEqual({
    ...{ code: 3, signal: null, stdout: "out\n", stderr: "err\n" },
  });
  expect(await project.run(["sh", "-c", "kill -TERM $$"])).toMatchObject({ code: null, signal: "SIGTERM" });
  expect((await project.run(["cat"], { stdin: "given" })).stdout).toBe("given");
  expect((await project.run(["true"], { stdin: "x".repeat(1_000_000) })).code).toBe(0);
});

test("a command that does not exist is an error that names it", async () => {
  await using project = await tmpProject({ git: false });
  await expect(project.run(["no-such-program", "x"])).rejects.toThrow("Cannot start no-such-program x in");
});

test("a command that takes too long is killed with all it started, and its output is shown", async () => {
  await using project = await tmpProject({ git: false });
  const hanging = await project.start(["sh", "-c", "sh -c 'echo $$; exec sleep 1000' & wait"]);
  await hanging.printed(/\d+/, 5_000);
  // The grandchild shares stdout: were it alive, the wait for the end of the output would never end.
  await expect(hanging.end(1)).rejects.toThrow(/did not end within 1 ms and was killed\.\nstdout: \d+/);
  await expect(project.run(["sleep", "1000"], { timeout: 1 })).rejects.toThrow("sleep 1000 did not end within 1 ms");
});

test("programs still running are ended with the project", async () => {
  const project = await tmpProject({ git: false });
  const server = await project.start(["sh", "-c", "echo up; sleep 1000"]);
  await server.printed(/up/, 5_000);
  await project[Symbol.asyncDispose]();
  expect(await server.exited).toEqual({ code: null, signal: "SIGKILL" });
});

test("a program that ends before it printed the awaited line is reported with its output", async () => {
  await using project = await tmpProject({ git: false });
  const server = await project.start(["sh", "-c", "echo no luck >&2; exit 4"]);
  await expect(server.printed(/ready/, 5_000)).rejects.toThrow(
    /ended with 4 before it printed \/ready\/[\s\S]*no luck/,
  );
});

test("a program can end with the process that started it, even if that one is killed", async () => {
  await using project = await tmpProject({ git: false });
  await project.write(
    "owner.ts",
    `import { OwnedProcess } from ${JSON.stringify(require.resolve("@atomic/testing/owned-process"))};
     const owned = await OwnedProcess.start(["sh", "-c", "exec 9>alive; echo up; sleep 1000"], {
       cwd: process.cwd(), env: { PATH: process.env.PATH ?? "" }, leash: true });
     await owned.printed(/up/, 5000);
     process.kill(process.pid, "SIGKILL");`,
  );
  await project.run(["mkfifo", "alive"]);
  const endOfLife = project.run(["cat", "alive"], { timeout: 5_000 });
  expect((await project.run(["bun", "owner.ts"])).signal).toBe("SIGKILL");
  expect((await endOfLife).code).toBe(0);
});

test("OpenCode finds nothing to install, in every config folder there is", async () => {
  await using project = await tmpProject({
    files: { ".opencode/package.json": { dependencies: { "left-pad": "1.0.0" } } },
  });
  const locked = async (path: string) =>
    ((await project.json(path)) as { packages: { "": { dependencies: object } } }).packages[""].dependencies;
  expect(await locked("~/.config/opencode/package-lock.json")).toEqual({ "@opencode-ai/plugin": "*" });
  expect(await locked(".opencode/package-lock.json")).toEqual({ "left-pad": "1.0.0", "@opencode-ai/plugin": "*" });
  expect(await project.exists(".opencode/node_modules")).toBe(true);
  expect(await project.tree()).toEqual([".opencode/package.json"]);
  expect((await project.run(["git", "status", "--short"])).stdout).toBe("");
});
