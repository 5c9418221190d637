// What counts as an operation, and on which path.
import { expect } from "bun:test";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { type FileOperation, listOperations, runTraced } from "@atomic/testing/faults/run-traced";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { runOddCall } from "./faults-support.ts";

function brief(operations: readonly FileOperation[], folder: string): string[] {
  return operations.map(({ call, path }) => `${call} ${path.replace(folder, "~")}`);
}

faultTest("paths are found behind descriptors, links, dots and /proc/self", async () => {
  await using folder = await temporaryFolder();
  const { operations } = await runOddCall("paths", folder.path);
  expect(brief(operations, folder.path).map((line) => line.replace(/^(mkdir|symlink|rename)at2? /, "$1 "))).toEqual([
    "mkdir ~/sub",
    "symlink ~/link",
    "mkdir ~/by-descriptor",
    "mkdir ~/sub/through-a-link",
    "mkdir ~/dotted",
    "mkdir ~/missing/child",
    "openat ~/reopened",
    "openat ~/reopened",
    "utimensat ~",
    "utimensat ~/reopened",
    "rename ~",
  ]);
});

faultTest("a file without a name is known by its last one", async () => {
  await using folder = await temporaryFolder();
  const { operations } = await runOddCall("nameless", folder.path);
  const writes = operations.filter(({ call }) => call === "write");
  expect(brief(writes, folder.path)).toEqual(["write ~/gone", "write ~/kept (deleted)"]);
});

faultTest("the folder is followed when it is renamed", async () => {
  await using folder = await temporaryFolder();
  const inner = join(folder.path, "inner");
  await mkdir(inner);
  const { operations } = await runOddCall("moved", inner);
  expect(operations.map(({ path }) => path.replace(folder.path, "~"))).toEqual([
    "~/inner.moved",
    "~/inner.moved/inside",
    "~/inner.moved/inside",
    "~/inner",
  ]);
});

faultTest("a folder that is named through a symbolic link is the same folder", async () => {
  await using folder = await temporaryFolder();
  const [real, link] = [join(folder.path, "real"), join(folder.path, "link")];
  await mkdir(real);
  await symlink(real, link);
  const command = ["mkdir", join(real, "one"), join(link, "two")];
  const operations = await listOperations({ under: link, command });
  expect(brief(operations, real)).toEqual([expect.stringMatching(/~\/one$/), expect.stringMatching(/~\/two$/)]);
});

faultTest("a folder may be created later", async () => {
  await using folder = await temporaryFolder();
  const later = join(folder.path, "later");
  const operations = await listOperations({ under: later, command: ["mkdir", "-p", join(later, "inside")] });
  expect(operations.map(({ path }) => path)).toEqual([later, join(later, "inside")]);
});

faultTest("a neighbour with the same beginning of its name does not count", async () => {
  await using folder = await temporaryFolder();
  const command = ["mkdir", join(folder.path, "a"), join(folder.path, "ab"), join(folder.path, "a/b")];
  const operations = await listOperations({ under: join(folder.path, "a"), command });
  expect(brief(operations, folder.path)).toEqual([expect.stringMatching(/~\/a$/), expect.stringMatching(/~\/a\/b$/)]);
});

faultTest("a rename counts when either side is below the folder", async () => {
  await using folder = await temporaryFolder();
  const [inside, outside] = [join(folder.path, "in"), join(folder.path, "out")];
  await Promise.all([mkdir(inside), mkdir(outside)]);
  await writeFile(join(inside, "file"), "");
  const script = `mv ${inside}/file ${outside}/file; mv ${outside}/file ${inside}/back; mv ${inside}/back ${inside}/file`;
  const operations = await listOperations({ under: inside, command: ["sh", "-c", script] });
  expect(operations.map(({ from, path }) => `${from} -> ${path}`.replaceAll(folder.path, "~"))).toEqual([
    "~/in/file -> ~/out/file",
    "~/out/file -> ~/in/back",
    "~/in/back -> ~/in/file",
  ]);
});

faultTest("several folders can be watched, and only the calls that are asked for", async () => {
  await using one = await temporaryFolder();
  await using two = await temporaryFolder();
  const script = `mkdir ${one.path}/a ${two.path}/b; rmdir ${one.path}/a; echo x > ${two.path}/c`;
  const command = ["sh", "-c", script];
  const all = await listOperations({ under: [one.path, two.path], command });
  expect(all.map(({ path }) => path)).toEqual([
    `${one.path}/a`,
    `${two.path}/b`,
    `${one.path}/a`,
    `${two.path}/c`,
    `${two.path}/c`,
  ]);
  await Bun.$`rmdir ${two.path}/b`;
  const some = await listOperations({ under: [one.path, two.path], command, only: ["rmdir", "write", "unlinkat"] });
  expect(some.map(({ path }) => path)).toEqual([`${one.path}/a`, `${two.path}/c`]);
});

faultTest("names with quotes, line ends and other alphabets arrive unharmed", async () => {
  await using folder = await temporaryFolder();
  const name = join(folder.path, 'a "b" \\ c\n\té 漢');
  const [operation] = await listOperations({ under: folder.path, command: ["mkdir", name] });
  expect(operation?.path).toBe(name);
});

faultTest(
  "a short write reaches vectors, positioned writes and copies, and leaves vector and registers whole",
  async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, "source"), "twenty bytes of text");
    const short = { kind: "short", at: 2 } as const;
    expect((await runOddCall("vector", folder.path, short)).stdout).toBe("6 of 12\n");
    expect(await readFile(join(folder.path, "vector"), "utf8")).toBe("aaaabb");
    expect((await runOddCall("positioned", folder.path, short)).stdout).toBe("5\n");
    expect((await runOddCall("copied", folder.path, short)).stdout).toBe("10\n");
    expect((await runOddCall("registers", folder.path, short)).stdout).toBe("5 of 10\n");
  },
);

faultTest("a short write does not strike where less than two bytes are written", async () => {
  await using folder = await temporaryFolder();
  const outcome = await runOddCall("nameless", folder.path, { kind: "short", at: 4 });
  expect(outcome.injected).toBe(false);
});

faultTest("each error arrives as its own", async () => {
  await using folder = await temporaryFolder();
  const command = ["mkdir", join(folder.path, "made")];
  const said = async (kind: "enospc" | "eio" | "erofs" | "eacces"): Promise<string | undefined> => {
    const { stderr } = await runTraced({ under: folder.path, command, env: { LC_ALL: "C" } }, { kind, at: 1 });
    return stderr.trim().split(": ").at(-1);
  };
  expect(await said("enospc")).toBe("No space left on device");
  expect(await said("eio")).toBe("Input/output error");
  expect(await said("erofs")).toBe("Read-only file system");
  expect(await said("eacces")).toBe("Permission denied");
});

faultTest("io_uring, which would bypass the filter, is not available to the command", async () => {
  await using folder = await temporaryFolder();
  const { stdout } = await runOddCall("uring", folder.path, undefined, { env: { LC_ALL: "C" } });
  expect(stdout).toBe("Function not implemented\n");
});
