// What only a real process can show: the bin, its streams, pipes that close, and the same words on every runtime.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadedAtOnce } from "@atomic/testing/loaded-at-once";
import { type Project, tmpProject } from "@atomic/testing/project";
import { commands } from "../../src/commands.ts";
import { hugo } from "./hugo.ts";
import { bundleHugo, bundleSampleProgram, hugoBin, type Runtime, runtimes, type SampleProgram } from "./programs.ts";
import { longAnswer } from "./sample-commands.ts";

setDefaultTimeout(180_000);

let sample: SampleProgram;
beforeAll(async () => {
  await bundleHugo();
  sample = await bundleSampleProgram();
});
afterAll(() => sample[Symbol.asyncDispose]());

async function run(project: Project, runtime: Runtime, argv: readonly string[]) {
  const { code, stdout, stderr } = await project.run([...runtime.command, hugoBin, ...argv], { env: runtime.env });
  return { code, stdout, stderr };
}

describe.each([...runtimes])("on $name", (runtime) => {
  test.each([
    [["--help"], 0],
    [["help", "completion"], 0],
    [["completion", "zsh"], 0],
    [["--json", "completion", "fish"], 0],
    [["list"], 0],
    [["completion", "tcsh"], 2],
    [["lsit"], 2],
    [["--json", "lsit"], 2],
    [[], 2],
  ])("%j says what it says here and ends with %i", async (argv, code) => {
    await using project = await tmpProject();
    const here = await hugo(argv, { table: commands, cwd: project.dir, home: project.home, env: project.env });
    expect(await run(project, runtime, argv)).toEqual({ ...here, code });
  });

  test("a reader that has seen enough ends it quietly", async () => {
    await using project = await tmpProject({ git: false });
    const script = '{ "$@" long; echo "ended with $?" >&2; } | :';
    const command = [...runtime.command, sample.script];
    const { stderr } = await project.run(["bash", "-c", script, "bash", ...command], { env: runtime.env });
    expect(stderr).toBe("ended with 0\n");
  });

  test("a long answer is written completely, even through a pipe that does not wait", async () => {
    await using project = await tmpProject({ git: false });
    // A socket never waits, and a pipe stays as the last one left it, who has no time here to undo it.
    const starter = `new (require("node:net").Socket)({ fd: 1, readable: false }); process.kill(process.pid, "SIGKILL")`;
    const script = `{ node -e '${starter}'; "$@" long >&1; } | { head -c 1; cat; } | wc -c`;
    const command = [...runtime.command, sample.script];
    const { stdout, stderr } = await project.run(["sh", "-c", script, "sh", ...command], { env: runtime.env });
    expect({ length: Number(stdout), stderr }).toEqual({ length: longAnswer.length, stderr: "Killed\n" });
  });

  test("an output that was closed does not matter", async () => {
    await using project = await tmpProject({ git: false });
    const command = [...runtime.command, hugoBin];
    const { code, stderr } = await project.run(["sh", "-c", '"$@" --version >&-', "sh", ...command], {
      env: runtime.env,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});

const hasFullDevice = existsSync("/dev/full");
if (!hasFullDevice) console.warn("skipped: there is no /dev/full to refuse what is written");

test.skipIf(!hasFullDevice)("output that could not be written is reported", async () => {
  await using project = await tmpProject({ git: false });
  const script = '"$@" --help >/dev/full';
  const { code, stderr } = await project.run(["sh", "-c", script, "sh", "node", hugoBin]);
  expect(stderr).toStartWith("hugo: ENOSPC: no space left on device, write\n");
  expect(code).toBe(3);
});

// The Bun inside OpenCode says so itself, before it starts anything.
test.each(runtimes.slice(0, 2))("on $name, a removed current folder is reported", async (runtime) => {
  await using project = await tmpProject({ git: false });
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@" list';
  const command = [...runtime.command, hugoBin];
  const { code, stderr } = await project.run(["sh", "-c", script, "sh", ...command], { env: runtime.env });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "hugo: the current folder no longer exists\nChange to a folder that exists.\n",
  });
});

test.each(runtimes.slice(0, 2))("on $name, a home folder that nobody can find is reported", async (runtime) => {
  await using project = await tmpProject({ git: false });
  const command = [...runtime.command, hugoBin, "list"];
  const { code, stderr } = await project.run(command, { env: { ...runtime.env, HOME: "below" }, timeout: 20_000 });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      'hugo: your home folder is unknown, because HOME is not an absolute path: "below"\nSet HOME to an absolute path.\n',
  });
});

test("shared modules do not include what only some commands need", async () => {
  const folder = join(dirname(hugoBin), "../dist/bundle");
  const needed = ["function readSnapshot", "function fetchPackage", "function parseFrontmatter", "Composer = class"];
  const loaded = [...loadedAtOnce(join(folder, "main.js")).values()].join("\n");
  expect(needed.filter((code) => loaded.includes(code))).toEqual([]);
  const rest = await Promise.all(readdirSync(folder).map((name) => Bun.file(join(folder, name)).text()));
  expect(needed.filter((code) => !rest.some((text) => text.includes(code)))).toEqual([]);
});
