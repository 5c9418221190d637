import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { userName } from "../../src/run/user-name.ts";

test("a decision is recorded under the name that the system knows, whatever $USER says", async () => {
  await using project = await tmpProject({ git: false });
  const passwd = project.path("passwd");
  writeFileSync(passwd, `root2:x:99999:0::/:/bin/sh\nanna:x:${process.getuid!()}:0:Anna,,,:/home/anna:/bin/sh\n`);
  const before = process.env.USER;
  process.env.USER = "somebody-else";
  try {
    expect(userName(passwd)).toBe("anna");
  } finally {
    if (before === undefined) delete process.env.USER;
    else process.env.USER = before;
  }
});

test("where that list does not have the user, the runtime is asked", async () => {
  await using project = await tmpProject({ git: false });
  expect(userName(project.path("none"))).toBe(userInfo().username);
});

const strangers = Bun.which("setpriv") === null || process.getuid?.() !== 0 ? "it needs root and setpriv" : undefined;
if (strangers) console.warn(`skipped: the name of a user whom the system does not know: ${strangers}`);

// As in a container that is started for a user id.
test.skipIf(strangers !== undefined).each(["node", process.execPath])(
  "%s names a user whom nobody knows by the id",
  async (runtime) => {
    const built = await Bun.build({
      entrypoints: [join(import.meta.dirname, "../../src/run/user-name.ts")],
      target: "node",
    });
    await using folder = await temporaryFolder("user-name-");
    await chmod(folder.path, 0o755);
    const script = join(folder.path, "name.mjs");
    await writeFile(script, `${await built.outputs[0]?.text()}\nconsole.log(userName());`);
    const as = ["setpriv", "--reuid=31337", "--clear-groups", "env", "-u", "HOME", "-u", "USER", "-u", "LOGNAME"];
    const { stdout, stderr } = Bun.spawnSync([...as, runtime, script], { cwd: folder.path });
    expect(`${stdout}${stderr}`).toBe("uid 31337\n");
  },
);
