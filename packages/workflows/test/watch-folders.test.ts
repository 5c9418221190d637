import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { type Folders, FolderWatch, foldersToWatch, MOST_FOLDERS } from "../src/entities/watch/folders.ts";

/** Paths from `root`, each with the names that matter. */
function shown(folders: Folders, root: string): Record<string, string[] | "everything"> {
  return Object.fromEntries(
    [...folders].map(([path, names]) => [
      path.replace(root, "") || "/",
      names === "everything" ? names : [...names].sort(),
    ]),
  );
}

describe("the folders to watch are", () => {
  test("those above a target, for the next step only, and everything in it", async () => {
    await using folder = await temporaryFolder();
    const base = join(folder.path, "base");
    mkdirSync(join(base, ".config/opencode/agent/sub"), { recursive: true });
    mkdirSync(join(base, "src/deep"), { recursive: true });
    const folders = foldersToWatch([
      { base, path: ".config/opencode/agent", deep: true },
      { base, path: ".config/opencode/skill", deep: true },
      { base, path: "opencode.json", deep: false },
    ]);
    expect(shown(folders, folder.path)).toEqual({
      "/": ["base"],
      "/base": [".config", "opencode.json"],
      "/base/.config": ["opencode"],
      "/base/.config/opencode": ["agent", "skill"],
      "/base/.config/opencode/agent": "everything",
      "/base/.config/opencode/agent/sub": "everything",
    });
  });

  test("the nearest one that exists, if the base does not", async () => {
    await using folder = await temporaryFolder();
    const folders = foldersToWatch([{ base: join(folder.path, "a/b/c"), path: ".claude/agents", deep: true }]);
    expect(shown(folders, folder.path)).toEqual({ "/": ["a"] });
  });

  test("only the target itself, if it is not deep", async () => {
    await using folder = await temporaryFolder();
    mkdirSync(join(folder.path, "flat/sub"), { recursive: true });
    const folders = foldersToWatch([{ base: folder.path, path: "flat", deep: false }]);
    expect(folders.has(join(folder.path, "flat"))).toBe(true);
    expect(folders.has(join(folder.path, "flat/sub"))).toBe(false);
  });

  test("not skipped folders, and not a circular link twice", async () => {
    await using folder = await temporaryFolder();
    mkdirSync(join(folder.path, "skills/a/node_modules/huge"), { recursive: true });
    mkdirSync(join(folder.path, "skills/a/.git"));
    symlinkSync("..", join(folder.path, "skills/a/up"));
    const folders = foldersToWatch([{ base: folder.path, path: "skills", deep: true }]);
    const below = [...folders.keys()].filter((path) => path.startsWith(join(folder.path, "skills")));
    expect(below).toEqual([join(folder.path, "skills"), join(folder.path, "skills/a")]);
  });

  test("the targets of links, step by step, even if they do not exist", async () => {
    await using folder = await temporaryFolder();
    for (const path of ["base", "shared", "far"]) mkdirSync(join(folder.path, path));
    symlinkSync(join(folder.path, "shared/link"), join(folder.path, "base/target"));
    symlinkSync(join(folder.path, "far/gone/away"), join(folder.path, "shared/link"));
    const folders = foldersToWatch([{ base: join(folder.path, "base"), path: "target", deep: true }]);
    expect(shown(folders, folder.path)).toEqual({
      "/": ["base"],
      "/base": ["target"],
      "/shared": ["link"],
      "/far": ["gone"],
    });
  });
});

describe("a folder watch", () => {
  const silent = { keepAlive: false, onEvent: () => undefined };

  test("reports when it opened a new folder, so the caller looks again", async () => {
    await using folder = await temporaryFolder();
    const watch = new FolderWatch(silent);
    try {
      const folders: Folders = new Map([[folder.path, "everything"]]);
      expect([watch.follow(folders), watch.follow(folders)]).toEqual([true, false]);
      expect(watch.follow(new Map([[join(folder.path, "missing"), "everything"]]))).toBe(false);
      expect(watch.problems()).toEqual([]);
    } finally {
      watch.close();
    }
  });

  test("reports which folder it cannot watch, and what to do instead", () => {
    const watch = new FolderWatch(silent);
    const path = `/${"x".repeat(300)}`;
    expect(watch.follow(new Map([[path, "everything"]]))).toBe(false);
    expect(watch.problems()).toMatchObject([{ code: "watch-failed", path, hint: expect.stringContaining("pollMs") }]);
  });

  test("reports when there are more folders than it watches", () => {
    const watch = new FolderWatch(silent);
    const folders: Folders = new Map(Array.from({ length: MOST_FOLDERS }, (_, at) => [`/missing/${at}`, "everything"]));
    watch.follow(folders);
    expect(watch.problems()).toMatchObject([{ code: "watch-limit", hint: expect.stringContaining("pollMs") }]);
  });

  test("reports only the names that matter", async () => {
    await using folder = await temporaryFolder();
    const heard = Promise.withResolvers<void>();
    let events = 0;
    const watch = new FolderWatch({
      keepAlive: false,
      onEvent: () => {
        events += 1;
        heard.resolve();
      },
    });
    try {
      watch.follow(new Map([[folder.path, new Set(["wanted"])]]));
      for (let at = 0; at < 20; at += 1) writeFileSync(join(folder.path, `other-${at}`), "");
      mkdirSync(join(folder.path, "wanted"));
      await heard.promise;
      expect(events).toBe(1);
    } finally {
      watch.close();
    }
  });
});
