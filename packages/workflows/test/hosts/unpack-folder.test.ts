import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { unpackFolder } from "../../src/hosts/opencode/unpack-folder.ts";

test("what dead processes left behind is removed, and nothing else", async () => {
  await using parent = await temporaryFolder();
  const env = { TMPDIR: parent.path };
  const mine = unpackFolder(env);
  writeFileSync(join(mine.path, "lib.so"), "in use");
  const owner = JSON.parse(readFileSync(join(mine.path, "owner.json"), "utf8"));
  const leave = (name: string, text: string | undefined) => {
    const path = join(parent.path, name);
    mkdirSync(path);
    writeFileSync(join(path, "lib.so"), "5.5 MB");
    if (text !== undefined) writeFileSync(join(path, "owner.json"), text);
    return name;
  };
  const dead = Bun.spawn(["true"]);
  await dead.exited;
  leave("atomic-opencode-dead", JSON.stringify({ ...owner, pid: dead.pid }));
  leave("atomic-opencode-reused", JSON.stringify({ ...owner, started: "long ago" }));
  leave("atomic-opencode-rebooted", JSON.stringify({ ...owner, boot: "an earlier one" }));
  const kept = [
    leave("atomic-opencode-elsewhere", JSON.stringify({ ...owner, host: "other", boot: "theirs", pid: dead.pid })),
    leave("atomic-opencode-starting", undefined),
    leave("atomic-opencode-half-written", `{"pid":`),
    leave("other", JSON.stringify({ ...owner, pid: dead.pid })),
  ];
  symlinkSync(join(parent.path, "other"), join(parent.path, "atomic-opencode-link"));

  const next = unpackFolder(env);
  const left = [mine.path, next.path, ...kept.map((name) => join(parent.path, name))];
  expect(left.filter((path) => !existsSync(path))).toEqual([]);
  expect(readdirSync(parent.path).filter((name) => /dead|reused|rebooted/.test(name))).toEqual([]);
  expect(readFileSync(join(parent.path, "other", "lib.so"), "utf8")).toBe("5.5 MB");
  next.remove();
  expect(existsSync(next.path)).toBe(false);
  expect(readFileSync(join(mine.path, "lib.so"), "utf8")).toBe("in use");
});

test("a temporary folder that cannot be used is named, with what to do", () => {
  expect(() => unpackFolder({ TMPDIR: "/no/such/folder" })).toThrow(
    expect.objectContaining({
      code: "host-failed",
      message: expect.stringContaining("/no/such/folder cannot be used"),
      hint: "Make the temporary folder writable, or set TMPDIR to another one.",
    }),
  );
});
