// Every npm script begins with scripts/setup.mjs. It runs here in a small repository, where npm and the build are our own.
import { expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { tmpProject } from "@atomic/testing/project";

setDefaultTimeout(60_000);

const root = dirname(import.meta.dir);
const deadline = 20_000;

const npm = `#!/bin/sh
mkdir -p node_modules/.bin
for bin in tsc bun opencode hugo-pm; do head -c 100000 /dev/zero > node_modules/.bin/$bin; done
`;
/** It waits until the test opens the other end of the pipe. */
const build = `import { appendFileSync, readFileSync } from "node:fs";
appendFileSync("log", "in ");
process.stderr.write("building\\n");
readFileSync("gate");
appendFileSync("log", "out ");
`;

async function repository() {
  const project = await tmpProject({
    git: false,
    files: { "package.json": {}, "packages/one/package.json": {}, "bin/npm": npm, "scripts/build.mjs": build },
  });
  for (const name of ["setup.mjs", "one-at-a-time.mjs"])
    cpSync(join(root, "scripts", name), project.path(`scripts/${name}`));
  await project.run(["chmod", "+x", "bin/npm"]);
  await project.run(["mkfifo", "gate"]);
  const env = { PATH: `${project.path("bin")}:${project.env.PATH}` };
  return { project, setUp: () => project.start(["sh", "-c", "exec node scripts/setup.mjs 2>&1"], { env }) };
}

test("a clone is set up by one process at a time, and the other one says what it waits for", async () => {
  const { project, setUp } = await repository();
  await using _project = project;
  const first = await setUp();
  await first.printed(/building/, deadline);
  const second = await setUp();
  await second.printed(
    new RegExp(`^setup: busy: process ${first.pid} is setting up this clone; waiting for it to finish`, "m"),
    deadline,
  );
  expect(await project.read("log")).toBe("in ");
  await project.run(["sh", "-c", ": > gate"]);
  expect(await first.exited).toMatchObject({ code: 0 });
  await second.printed(/building/, deadline);
  await project.run(["sh", "-c", ": > gate"]);
  expect(await second.exited).toMatchObject({ code: 0 });
  expect(await project.read("log")).toBe("in out in out ");
  expect(await project.exists(".build/setup.lock")).toBe(false);
});

test.each([
  ["of a process that cannot have worked for so long", String(process.pid)],
  ["in which no process was written", ""],
])("an old lock %s keeps no process waiting", async (_, owner) => {
  const { project, setUp } = await repository();
  await using _project = project;
  await project.write(".build/setup.lock", owner);
  const anHourAgo = new Date(Date.now() - 3_600_000);
  utimesSync(project.path(".build/setup.lock"), anHourAgo, anHourAgo);
  const only = await setUp();
  await only.printed(/building/, deadline);
  await project.run(["sh", "-c", ": > gate"]);
  expect(await only.exited).toMatchObject({ code: 0 });
  expect(only.stdout).not.toContain("busy");
});

test("a process that was killed in the meantime keeps no other one waiting", async () => {
  const { project, setUp } = await repository();
  await using _project = project;
  const first = await setUp();
  await first.printed(/building/, deadline);
  first.kill();
  await first.exited;
  expect(await project.read(".build/setup.lock")).toBe(String(first.pid));
  const second = await setUp();
  await second.printed(/building/, deadline);
  await project.run(["sh", "-c", ": > gate"]);
  expect(await second.exited).toMatchObject({ code: 0 });
  expect(second.stdout).not.toContain("busy");
});

test("of many processes that find the lock of a killed one, one works at a time", async () => {
  await using project = await tmpProject({ git: false });
  const work = `
    import { appendFileSync, existsSync } from "node:fs";
    import { oneAtATime } from ${JSON.stringify(join(root, "scripts/one-at-a-time.mjs"))};
    appendFileSync("ready", ".");
    while (!existsSync("go"));
    oneAtATime("setup.lock", () => undefined, () => {
      appendFileSync("log", "in\\n");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
      appendFileSync("log", "out\\n");
    });`;
  const go = 'until [ "$(cat ready)" = "........" ]; do :; done; : > go';
  for (let round = 0; round < 5; round++) {
    // No process has this number.
    await project.write("setup.lock", String(2 ** 22 + 1));
    await project.write("ready", "");
    await project.run(["rm", "-f", "go"]);
    const all = Array.from({ length: 8 }, () => project.run(["node", "--input-type=module", "-e", work]));
    expect(await project.run(["sh", "-c", go])).toMatchObject({ code: 0 });
    expect((await Promise.all(all)).map(({ code }) => code)).toEqual(Array(8).fill(0));
  }
  expect(await project.read("log")).toBe("in\nout\n".repeat(40));
  expect(await project.exists("setup.lock")).toBe(false);
});
