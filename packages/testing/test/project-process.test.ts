import { describe, expect, test } from "bun:test";
import { existsSync, watch } from "node:fs";
import { longRunningCommand } from "@atomic/testing/long-running-command";
import { tmpProject } from "@atomic/testing/project";

const isLinux = process.platform === "linux";
if (!isLinux) console.warn("skipped: tests of processes that flee: they are found through /proc, which only Linux has");

test("a line is found whether it was printed before, in pieces, or later", async () => {
  await using project = await tmpProject({ git: false });
  const talking = await project.start(["sh", "-c", "printf 'rea'; read go; printf 'dy on port 42\\n'; cat"], {
    stdin: "go\nand the rest",
  });
  const [, port] = await talking.printed(/ready on port (\d+)\n/, 5_000);
  expect(port).toBe("42");
  expect((await talking.printed(/^ready/, 5_000))[0]).toBe("ready");
  expect(await talking.end(5_000)).toEqual({ code: 0, signal: null });
  expect((await talking.printed(/rest$/, 5_000))[0]).toBe("rest");
});

test("a line that does not come ends the wait with the output so far", async () => {
  await using project = await tmpProject({ git: false });
  const silent = await project.start(["sh", "-c", "echo other; sleep 1000"]);
  await silent.printed(/other/, 5_000);
  await expect(silent.printed(/ready/, 1)).rejects.toThrow(
    /did not print \/ready\/ within 1 ms and was killed\.\nstdout: other/,
  );
  expect(await silent.exited).toMatchObject({ signal: "SIGKILL" });
});

test("a program can be asked to end before it is made to", async () => {
  await using project = await tmpProject({ git: false });
  const polite = await project.start([
    "sh",
    "-c",
    "trap 'echo bye; exit 7' TERM; echo up; while :; do read x; done <&1",
  ]);
  await polite.printed(/up/, 5_000);
  polite.kill("SIGTERM");
  expect(await polite.end(5_000)).toEqual({ code: 7, signal: null });
  expect(polite.stdout).toBe("up\nbye\n");
});

test("stopping twice, or what has ended by itself, does no harm", async () => {
  await using project = await tmpProject({ git: false });
  const short = await project.start(["true"]);
  expect(await short.end(5_000)).toEqual({ code: 0, signal: null });
  await short.stop();
  const long = await project.start(["sleep", "1000"]);
  await Promise.all([long.stop(), long.stop()]);
  expect((await long.exited).signal).toBe("SIGKILL");
});

test("a program that ends with its starter keeps its exit code, and stopping it stops everything it started", async () => {
  await using project = await tmpProject({ git: false });
  const failing = await project.start(["sh", "-c", "echo $0 $1; exit 9", "with space", "$HOME"], { leash: true });
  expect(await failing.end(5_000)).toMatchObject({ code: 9 });
  expect(failing.stdout).toBe("with space $HOME\n");
  const server = await project.start(["sh", "-c", "sleep 1000 & echo up; wait"], { leash: true });
  await server.printed(/up/, 5_000);
  // Ends only when the last holder of the output is gone: the grandchild included.
  await server.stop();
  expect(await server.exited).toMatchObject({ signal: "SIGKILL" });
});

test.skipIf(!isLinux)("a process in a separate session ends with the program that is stopped", async () => {
  await using project = await tmpProject({ git: false });
  await using running = await longRunningCommand();
  const fleeing = await project.start(["sh", "-c", 'setsid bash -c "$1" & echo gone', "sh", running.command]);
  await running.started;
  await fleeing.stop();
  await running.ended;
});

test.skipIf(!isLinux)(
  "a process in a separate session ends with the project, even if its program ended long before",
  async () => {
    await using running = await longRunningCommand();
    {
      await using project = await tmpProject({ git: false });
      const flee = ["sh", "-c", 'setsid bash -c "$1" >/dev/null 2>&1 &', "sh", running.command];
      expect(await project.run(flee)).toMatchObject({ code: 0 });
      await running.started;
    }
    await running.ended;
  },
);

test.skipIf(!isLinux)("a started program ends when the process that started it is killed", async () => {
  await using outer = await tmpProject({ git: false });
  await using running = await longRunningCommand();
  await outer.write(
    "starts.ts",
    `import { tmpProject } from ${JSON.stringify(require.resolve("@atomic/testing/project"))};
     const project = await tmpProject();
     await project.start(["bash", "-c", ${JSON.stringify(running.command)}]);
     setInterval(() => undefined, 1000);`,
  );
  const starting = await outer.start(["bun", "starts.ts"]);
  await running.started;
  process.kill(starting.pid, "SIGKILL");
  await running.ended;
});

test("a timeout is reported even if an unknown process holds the output open", async () => {
  await using project = await tmpProject({ git: false });
  // Without its environment it has no mark, in its own session it has no group.
  const flee = ["sh", "-c", 'setsid env -i bash -c "echo \\$\\$; exec sleep 1000" & echo done'];
  const run = project.run(flee, { timeout: 1000 });
  const complaint = await run.then(
    () => "",
    (error: Error) => error.message,
  );
  expect(complaint).toMatch(/did not end within 1000 ms and was killed\.\nstdout: [\s\S]*done\n/);
  process.kill(Number(/^\d+$/m.exec(complaint)?.[0]), "SIGKILL");
});

test("output of many megabytes is kept whole, on both streams", async () => {
  await using project = await tmpProject({ git: false });
  const script = "head -c 3000000 /dev/zero | tr '\\0' e >&2; head -c 3000000 /dev/zero | tr '\\0' o";
  const { code, stdout, stderr } = await project.run(["sh", "-c", script]);
  expect(code).toBe(0);
  expect([stdout.length, stderr.length]).toEqual([3_000_000, 3_000_000]);
});

test("projects created at the same time are independent", async () => {
  const projects = await Promise.all([1, 2, 3, 4].map((n) => tmpProject({ files: { name: `${n}` } })));
  try {
    expect(new Set(projects.map((project) => project.dir)).size).toBe(4);
    expect(await Promise.all(projects.map((project) => project.read("name")))).toEqual(["1", "2", "3", "4"]);
  } finally {
    await Promise.all(projects.map((project) => project[Symbol.asyncDispose]()));
  }
});

describe("a project is removed even if", () => {
  const source = `
    import { test } from "bun:test";
    import { tmpProject } from ${JSON.stringify(require.resolve("@atomic/testing/project"))};
    test("hangs", async () => {
      await using project = await tmpProject();
      console.log(project.dir);
      if (process.env.KILL) process.kill(process.pid, "SIGKILL");
      await project.run(["sleep", "1000"]);
    }, 1500);`;

  test.each([
    ["the process that made it is killed", { KILL: "1" }, { code: null, signal: "SIGKILL" }],
    ["its test times out", {}, { code: 1, signal: null }],
  ])("%s", async (_, env: Record<string, string>, exit) => {
    await using outer = await tmpProject({ git: false, files: { "made/nothing": "", "hangs.test.ts": source } });
    await outer.remove("made/nothing");
    const removed = new Promise<void>((resolve) => {
      const watcher = watch(outer.path("made"), (_event, name) => {
        if (existsSync(outer.path(`made/${name}`))) return; // it was the making
        watcher.close();
        resolve();
      });
    });
    const result = await outer.run(["bun", "test", "hangs.test.ts"], { env: { ...env, TMPDIR: outer.path("made") } });
    expect(result).toMatchObject(exit);
    expect(result.stdout).toContain(outer.path("made/atomic-"));
    await removed;
    expect(await outer.tree("made")).toEqual([]);
  });
});

test("a project can be disposed twice", async () => {
  const project = await tmpProject({ git: false });
  await project[Symbol.asyncDispose]();
  await project[Symbol.asyncDispose]();
});

test.each([
  [".", ""],
  ["a/b", "/a/b"],
  ["../up", "/../up"],
])("the path %p is of the project", async (path, inside) => {
  await using project = await tmpProject({ git: false });
  expect(project.path(path)).toBe(`${project.dir}${inside}`.replace(/\/project\/\.\./, ""));
});

test("absolute paths and paths of the home are what they say", async () => {
  await using project = await tmpProject({ git: false });
  expect(project.path("/etc/hosts")).toBe("/etc/hosts");
  expect(project.path("~")).toBe(project.home);
  expect(project.path("~/.npmrc")).toBe(`${project.home}/.npmrc`);
  expect(project.path("~other")).toBe(`${project.dir}/~other`);
});
