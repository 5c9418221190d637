import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { readForEdit } from "@atomic/durable-files/files/read-for-edit";
import { editJsonc } from "@atomic/durable-files/jsonc/edit";
import { lock } from "@atomic/durable-files/lock/lock";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { planEntries } from "../src/transaction/plan-entries.ts";
import { stage } from "../src/transaction/stage.ts";
import { refusal } from "./refusal.ts";
import { interrupt } from "./scenario/interrupted.ts";
import { after, expectedProject, readProject, stateDir } from "./scenario/project-files.ts";
import { tree } from "./scenario/tree.ts";

type Files = Record<string, string>;

/** A folder with some files, and paths in it. */
async function project(
  files: Files = {},
): Promise<AsyncDisposable & { path: string; at(path: string): string; state: string }> {
  const folder = await temporaryFolder();
  const at = (path: string): string => join(folder.path, path);
  for (const [path, content] of Object.entries(files)) {
    fs.mkdirSync(join(at(path), ".."), { recursive: true });
    fs.writeFileSync(at(path), content);
  }
  return { path: folder.path, at, state: at(".state"), [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

function linkToFifo(at: string): void {
  Bun.spawnSync(["mkfifo", `${at}.fifo`]);
  fs.symlinkSync(`${at}.fifo`, at);
}

const read = (path: string): string => fs.readFileSync(path, "utf8");

test("files are created, replaced and deleted together, and nothing else remains", async () => {
  await using p = await project({ "a.json": "old", "gone.md": "old" });
  const result = await transaction(p.state, [
    { path: p.at("a.json"), content: "new" },
    { path: p.at("deep/er/b.bin"), content: new Uint8Array([0, 255]) },
    { path: p.at("gone.md"), delete: true },
    { path: p.at("never.md"), delete: true },
  ]);
  expect(result).toEqual({
    files: [
      { path: p.at("a.json"), did: "replaced" },
      { path: p.at("deep/er/b.bin"), did: "created" },
      { path: p.at("gone.md"), did: "deleted" },
      { path: p.at("never.md"), did: "nothing" },
    ],
  });
  expect(Object.keys(tree(p.path)).sort()).toEqual([".state", "a.json", "deep", "deep/er", "deep/er/b.bin"]);
  expect(fs.readFileSync(p.at("deep/er/b.bin"))).toEqual(Buffer.from([0, 255]));
});

test("a file that already has the wanted content is not touched", async () => {
  await using p = await project({ "a.json": "same" });
  const { ino, mtimeMs } = fs.statSync(p.at("a.json"));
  const { files } = await transaction(p.state, [{ path: p.at("a.json"), content: "same" }]);
  expect(files).toEqual([{ path: p.at("a.json"), did: "nothing" }]);
  expect(fs.statSync(p.at("a.json"))).toMatchObject({ ino, mtimeMs });
});

test("a transaction replaces exactly what was read", async () => {
  await using p = await project({ "a.json": "\ufeffold\r\n" });
  const file = readForEdit(p.at("a.json"));
  expect(Buffer.from(file.bytes).toString()).toBe("\ufeffold\r\n");
  const absent = readForEdit(p.at("b.json"));
  expect(absent).toEqual({ bytes: new Uint8Array(), hash: "absent" });
  await transaction(p.state, [
    { path: p.at("a.json"), content: "1", expect: file.hash },
    { path: p.at("b.json"), content: "2", expect: absent.hash },
  ]);
  expect([read(p.at("a.json")), read(p.at("b.json"))]).toEqual(["1", "2"]);
});

for (const [what, disturb] of [
  ["changed", (path: string) => fs.writeFileSync(path, "theirs")],
  ["removed", (path: string) => fs.rmSync(path)],
] as const) {
  test(`nothing is written if a file was ${what} since it was read`, async () => {
    await using p = await project({ "a.json": "old", "b.json": "old" });
    const { hash } = readForEdit(p.at("b.json"));
    disturb(p.at("b.json"));
    const now = tree(p.path);
    const changes = [
      { path: p.at("a.json"), content: "new" },
      { path: p.at("b.json"), content: "new", expect: hash },
      { path: p.at("new/c.json"), content: "new" },
    ];
    const error = await refusal(() => transaction(p.state, changes));
    expect(error.code).toBe("changed");
    expect(error.message).toContain(`${p.at("b.json")} has been ${what} since it was read`);
    expect(tree(p.path)).toEqual({ ...now, ".state": "755 " });
  });
}

test("nothing is written if a file appeared that was absent when it was read", async () => {
  await using p = await project({ "a.json": "theirs" });
  const change = { path: p.at("a.json"), content: "new", expect: "absent" as const };
  expect((await refusal(() => transaction(p.state, [change]))).message).toContain("has been created since it was read");
  expect(read(p.at("a.json"))).toBe("theirs");
});

test("a file that is edited while the new content is prepared stops the transaction before it is decided", async () => {
  await using p = await project({ "a.json": "old" });
  const plan = planEntries(p.state, [{ path: p.at("a.json"), content: "new" }], undefined);
  fs.writeFileSync(p.at("a.json"), "edited");
  expect((await refusal(() => stage(plan))).message).toContain("was just changed by another program");
});

test("a deletion can expect content too", async () => {
  await using p = await project({ "a.json": "old" });
  const { hash } = readForEdit(p.at("a.json"));
  fs.writeFileSync(p.at("a.json"), "edited");
  const change = { path: p.at("a.json"), delete: true, expect: hash } as const;
  expect((await refusal(() => transaction(p.state, [change]))).code).toBe("changed");
  expect(read(p.at("a.json"))).toBe("edited");
});

test("a symbolic link is written through and stays a link", async () => {
  await using p = await project({ "dotfiles/real.json": "old" });
  fs.symlinkSync("dotfiles", p.at("folder-link"));
  fs.symlinkSync("folder-link/real.json", p.at("link.json"));
  await transaction(p.state, [
    { path: p.at("link.json"), content: "new" },
    { path: p.at("folder-link/fresh/x.json"), content: "x" },
  ]);
  expect(fs.readlinkSync(p.at("link.json"))).toBe("folder-link/real.json");
  expect(read(p.at("dotfiles/real.json"))).toBe("new");
  expect(read(p.at("dotfiles/fresh/x.json"))).toBe("x");
  expect(fs.readdirSync(p.at("dotfiles")).sort()).toEqual(["fresh", "real.json"]);
});

test("deleting a symbolic link leaves the file behind it alone", async () => {
  await using p = await project({ "real.json": "mine" });
  fs.symlinkSync("real.json", p.at("link.json"));
  const { hash } = readForEdit(p.at("link.json"));
  await transaction(p.state, [{ path: p.at("link.json"), delete: true, expect: hash }]);
  expect(fs.readdirSync(p.path).sort()).toEqual([".state", "real.json"]);
  expect(read(p.at("real.json"))).toBe("mine");
});

test("a state folder behind a symbolic link works", async () => {
  await using p = await project({ "elsewhere/x": "", "a.json": "old" });
  fs.symlinkSync("elsewhere", p.at(".state"));
  await transaction(p.state, [{ path: p.at("a.json"), content: "new" }]);
  expect(read(p.at("a.json"))).toBe("new");
});

for (const [what, path, make] of [
  ["a link to nothing", "x.json", (at: string) => fs.symlinkSync("missing", at)],
  ["a link that leads back to itself", "x.json", (at: string) => fs.symlinkSync("x.json", at)],
  ["a FIFO", "x.json", (at: string) => Bun.spawnSync(["mkfifo", at])],
  ["a FIFO behind a link", "x.json", linkToFifo],
  ["a device", "x.json", (at: string) => fs.symlinkSync("/dev/null", at)],
  ["a folder", "x.json", (at: string) => fs.mkdirSync(at)],
  ["below a file", "x.json/y.json", (at: string) => fs.writeFileSync(at, "a file")],
  ["below a link to nothing", "x.json/y.json", (at: string) => fs.symlinkSync("missing", at)],
  ["read-only", "x.json", (at: string) => fs.writeFileSync(at, "do not touch", { mode: 0o444 })],
] as const) {
  test(`a file that is ${what} is refused and nothing is written`, async () => {
    await using p = await project({ "a.json": "old" });
    make(p.at("x.json"));
    const change = { path: p.at("a.json"), content: "new" };
    const error = await refusal(() => transaction(p.state, [change, { path: p.at(path), content: "new" }]));
    expect(error.code).toBe("unsafe-file");
    expect(error.hint).toBeString();
    expect(read(p.at("a.json"))).toBe("old");
    expect(fs.readdirSync(p.path).filter((name) => name.startsWith(".durable"))).toEqual([]);
  });
}

test("a FIFO, folder or device is refused for reading without waiting", async () => {
  await using p = await project();
  Bun.spawnSync(["mkfifo", p.at("fifo")]);
  for (const path of [p.at("fifo"), p.path, "/dev/zero"]) {
    expect((await refusal(() => readForEdit(path))).code).toBe("unsafe-file");
  }
  expect((await refusal(() => readForEdit("a\0b"))).code).toBe("unsafe-path");
});

test("a file too large to be a config is refused for reading", async () => {
  await using p = await project();
  fs.closeSync(fs.openSync(p.at("huge"), "w"));
  fs.truncateSync(p.at("huge"), 2 ** 31);
  expect((await refusal(() => readForEdit(p.at("huge")))).message).toContain("too large");
});

for (const [what, paths] of [
  ["the same path twice", ["a.json", "./x/../a.json"]],
  ["a link and its file", ["a.json", "link.json"]],
  ["a file that another path needs as a folder", ["new", "new/b.json"]],
] as const) {
  test(`${what} in one transaction is refused`, async () => {
    await using p = await project({ "a.json": "old" });
    fs.symlinkSync("a.json", p.at("link.json"));
    const changes = paths.map((path) => ({ path: p.at(path), content: path }));
    expect((await refusal(() => transaction(p.state, changes))).code).toBe("unsafe-path");
    expect(read(p.at("a.json"))).toBe("old");
  });
}

test("impossible paths are refused", async () => {
  await using p = await project();
  for (const path of ["", "a\0b", `${p.path}/newdir/`, `${p.path}/newdir/.`, `${p.path}/newdir/..`]) {
    expect((await refusal(() => transaction(p.state, [{ path, content: "" }]))).code).toBe("unsafe-path");
  }
  expect((await refusal(() => transaction(p.state, [{ path: "/", content: "" }]))).code).toBe("unsafe-file");
});

test("the mode of a replaced file is kept and that of a new one can be chosen", async () => {
  await using p = await project({ "secret.json": "old", "tool.sh": "old" });
  fs.chmodSync(p.at("secret.json"), 0o600);
  fs.chmodSync(p.at("tool.sh"), 0o750);
  await transaction(p.state, [
    { path: p.at("secret.json"), content: "new" },
    { path: p.at("tool.sh"), content: "old", mode: 0o755 },
    { path: p.at("key"), content: "k", mode: 0o400 },
    { path: p.at("plain"), content: "k" },
  ]);
  const modes = ["secret.json", "tool.sh", "key", "plain"].map((path) => fs.statSync(p.at(path)).mode & 0o7777);
  expect(modes).toEqual([0o600, 0o755, 0o400, 0o666 & ~process.umask()]);
});

test("folders that deletions leave empty are removed up to a limit", async () => {
  await using p = await project({
    "root/a/b/1.md": "1",
    "root/a/2.md": "2",
    "root/c/d/3.md": "3",
    "root/c/mine.md": "mine",
  });
  await transaction(
    p.state,
    ["root/a/b/1.md", "root/a/2.md", "root/c/d/3.md"].map((path) => ({ path: p.at(path), delete: true })),
    { pruneEmptyUpTo: p.at("root") },
  );
  expect(Object.keys(tree(p.at("root"))).sort()).toEqual(["c", "c/mine.md"]);
  await transaction(p.state, [{ path: p.at("root/c/mine.md"), delete: true }], { pruneEmptyUpTo: p.at("root") });
  expect(fs.readdirSync(p.at("root"))).toEqual([]);
});

test("a folder that a link leads to stays when it is empty, and folders in it go", async () => {
  await using p = await project({
    "root/real/1.md": "1",
    "root/deep/real/sub/2.md": "2",
    "root/skills/3.md": "3",
    "root/nested/4.md": "4",
  });
  fs.symlinkSync("real", p.at("root/plugins"));
  fs.symlinkSync("deep/real", p.at("root/agents"));
  fs.symlinkSync("skills", p.at("root/skill"));
  fs.mkdirSync(p.at("root/inner"));
  fs.symlinkSync("../nested", p.at("root/inner/link"));
  fs.symlinkSync("nowhere", p.at("root/broken"));
  const paths = ["plugins/1.md", "agents/sub/2.md", "skills/3.md", "inner/link/4.md"];
  await transaction(
    p.state,
    paths.map((path) => ({ path: p.at(`root/${path}`), delete: true })),
    { pruneEmptyUpTo: p.at("root") },
  );
  const left = fs.readdirSync(p.at("root"), { recursive: true }) as string[];
  expect(left.filter((path) => !/^(?:agents|plugins|skill|inner\/link)\//.test(path)).sort()).toEqual([
    "agents",
    "broken",
    "deep",
    "deep/real",
    "inner",
    "inner/link",
    "nested",
    "plugins",
    "real",
    "skill",
    "skills",
  ]);
});

test("a lock that the caller holds is used and kept", async () => {
  await using p = await project();
  await using held = await lock(p.state);
  await transaction(p.state, [{ path: p.at("a"), content: "1" }], { lock: held });
  await transaction(p.state, [{ path: p.at("a"), content: "2" }], { lock: held });
  held.assertHeld();
  expect(read(p.at("a"))).toBe("2");
});

test("the lock of another folder is refused", async () => {
  await using p = await project({ "other/x": "", ".state/x": "" });
  await using held = await lock(p.at("other"));
  const changes = [{ path: p.at("a"), content: "1" }];
  const error = await refusal(() => transaction(p.state, changes, { lock: held }));
  expect(error).toMatchObject({ code: "unsafe-path", message: expect.stringContaining("does not protect") });
  const missing = await refusal(() => transaction(p.at("missing"), changes, { lock: held }));
  expect(missing).toMatchObject({ code: "io", at: p.at("missing"), hint: expect.any(String) });
});

test("a writer that lost the lock writes nothing", async () => {
  await using p = await project({ "a.json": "old" });
  const held = await lock(p.state);
  fs.rmSync(join(p.state, "lock"), { recursive: true });
  const error = await refusal(() => transaction(p.state, [{ path: p.at("a.json"), content: "new" }], { lock: held }));
  expect(error.code).toBe("fenced");
  expect(tree(p.path)).toMatchObject({ "a.json": expect.stringMatching(/old$/) });
  held.release();
});

test("an earlier interrupted transaction is finished first, and the result says so", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "project");
  await interrupt(path, 2);
  const result = await transaction(stateDir(path), [{ path: join(path, "more.md"), content: "more" }]);
  expect(result.recovered).toMatchObject({
    outcome: "finished",
    message: "An interrupted change to 4 files was finished.",
  });
  expect(readProject(path)).toEqual({ ...expectedProject(after), "more.md": "more" });
});

test("an error after a recovery still reports the recovery", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "project");
  await interrupt(path, 0);
  const config = join(path, "opencode.json");
  const { hash } = readForEdit(config); // too early: recovery is about to change it
  const error = await refusal(() => transaction(stateDir(path), [{ path: config, content: "", expect: hash }]));
  expect(error.code).toBe("changed");
  expect(error.completed?.recovered).toMatchObject({ outcome: "finished" });
  expect(error.hint).toBe(
    "Before that: An interrupted change to 4 files was finished. Run the command again; it will use the file's current content.",
  );
});

test("a text that UTF-8 cannot hold is refused instead of being changed", async () => {
  await using p = await project({ "a.json": "old" });
  for (const content of ["\ud800", "ab\udc00c"]) {
    const error = await refusal(() => transaction(p.state, [{ path: p.at("a.json"), content }]));
    expect(error).toMatchObject({ code: "syntax", at: p.at("a.json"), hint: expect.any(String) });
  }
  await transaction(p.state, [{ path: p.at("a.json"), content: "\u{1f600}" }]);
  expect(read(p.at("a.json"))).toBe("\u{1f600}");
});

test("names are shown without control characters, and `at` is exact", async () => {
  const name = "a\n\u001b[2J\u0085\u202eb";
  await using p = await project({ [name]: "old", "folder/x": "" });
  fs.mkdirSync(p.at(`${name}d`));
  const [path, folder] = [p.at(name), p.at(`${name}d`)];
  const errors = [
    await refusal(() => transaction(p.state, [{ path, content: "new", expect: "absent" }])),
    await refusal(() => transaction(p.state, [{ path: folder, content: "new" }])),
    await refusal(() => transaction(p.state, [{ path: join(path, "below"), content: "new" }])),
    await refusal(() => editJsonc("{", [], { file: path })),
    await refusal(() => readForEdit(folder)),
    await refusal(() => lock(join(path, "below"))),
  ];
  for (const error of errors) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
    expect(`${error.message}${error.hint}`).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(error.message).toContain("a\\u{a}\\u{1b}[2J\\u{85}\\u{202e}b");
  }
  expect(errors.slice(0, 2).map(({ at }) => at)).toEqual([path, folder]);
});

test("transactions under one shared lock happen one after the other", async () => {
  await using folder = await temporaryFolder();
  const state = join(folder.path, ".state");
  await using held = await lock(state);
  const changes = (name: string) =>
    Array.from({ length: 3 }, (_, at) => ({ path: join(folder.path, name, `${at}.md`), content: name }));
  const results = await Promise.all(["a", "b", "c"].map((name) => transaction(state, changes(name), { lock: held })));
  expect(results.map(({ recovered }) => recovered)).toEqual([undefined, undefined, undefined]);
  for (const name of ["a", "b", "c"]) expect(fs.readFileSync(join(folder.path, name, "2.md"), "utf8")).toBe(name);
});
