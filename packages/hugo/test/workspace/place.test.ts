import { describe, expect, test } from "bun:test";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { debugConfig } from "@atomic/testing/opencode";
import { type FileContent, type Project, tmpProject } from "@atomic/testing/project";
import { configFiles } from "../../src/opencode/config-files.ts";
import { absolutePath, folderLabel, placeFor, portablePath, type WorkspacePlace } from "../../src/workspace/place.ts";

type Env = Readonly<Record<string, string>>;

function placeIn(project: Project, cwd = ".", env: Env = {}, global = false): WorkspacePlace {
  return placeFor({ cwd: project.path(cwd), home: project.home, env }, { global });
}

describe("the project", () => {
  test("is the root of the git worktree, seen from any folder in it", async () => {
    await using project = await tmpProject({ files: { "a/b/c.txt": "" } });
    const place = placeIn(project, "a/b");
    expect(place).toMatchObject({
      scope: "project",
      root: project.dir,
      folder: project.path(".opencode"),
      lockFile: project.path(".opencode/hugo.json"),
      stateFolder: project.path(".opencode/.hugo"),
    });
  });

  test("is the nearest folder with a hugo.json, if there is one on the way up", async () => {
    await using project = await tmpProject({ files: { "a/.opencode/hugo.json": "{}", "a/b/c.txt": "" } });
    expect(placeIn(project, "a/b").root).toBe(project.path("a"));
    expect(placeIn(project, "a/b").configs.projectFolder).toBe(project.path("a"));
    expect(placeIn(project).root).toBe(project.dir);
  });

  test("is not looked for above the worktree", async () => {
    await using project = await tmpProject({ files: { "../.opencode/hugo.json": "{}" } });
    expect(placeIn(project).root).toBe(project.dir);
  });

  test("of a linked worktree, which has a file called .git, is that worktree", async () => {
    await using project = await tmpProject({ files: { "trees/x/.git": "gitdir: elsewhere", "trees/x/y/z.txt": "" } });
    expect(placeIn(project, "trees/x/y").root).toBe(project.path("trees/x"));
  });

  test("outside git is the folder itself, or a parent that has a hugo.json", async () => {
    await using project = await tmpProject({ git: false, files: { "a/b/c.txt": "" } });
    expect(placeIn(project, "a/b").root).toBe(project.path("a/b"));
    await project.write("a/.opencode/hugo.json", "{}");
    expect(placeIn(project, "a/b").root).toBe(project.path("a"));
  });

  test("outside git is the home folder only if the user is in it", async () => {
    await using project = await tmpProject({
      git: false,
      files: { "~/.opencode/hugo.json": "{}", "~/notes/today.txt": "" },
    });
    expect(placeIn(project, "~/notes").root).toBe(project.path("~/notes"));
    expect(placeIn(project, "~").root).toBe(project.home);
  });
});

describe("the user's own OpenCode", () => {
  test("is in ~/.config/opencode", async () => {
    await using project = await tmpProject();
    const folder = project.path("~/.config/opencode");
    expect(placeIn(project, ".", {}, true)).toMatchObject({
      scope: "global",
      root: folder,
      folder,
      lockFile: join(folder, "hugo.json"),
      stateFolder: join(folder, ".hugo"),
    });
  });

  test("follows XDG_CONFIG_HOME, unless that is empty", async () => {
    await using project = await tmpProject();
    expect(placeIn(project, ".", { XDG_CONFIG_HOME: "/x" }, true).folder).toBe("/x/opencode");
    expect(placeIn(project, ".", { XDG_CONFIG_HOME: "" }, true).folder).toBe(project.path("~/.config/opencode"));
  });
});

describe("a path in hugo.json", () => {
  const place = placeFor({ cwd: "/r/p/sub", home: "/h/me", env: {} }, { global: false });
  const nested: WorkspacePlace = {
    ...place,
    root: "/r/p/sub",
    configs: { ...place.configs, projectFolders: ["/r/p", "/r/p/sub"] },
  };

  test.each([
    ["/r/p/sub/opencode.json", "opencode.json"],
    ["/r/p/sub/.opencode/opencode.jsonc", ".opencode/opencode.jsonc"],
    ["/r/p/opencode.json", "../opencode.json"],
    ["/r/p/.opencode/opencode.json", "../.opencode/opencode.json"],
    ["/h/me/.config/opencode/opencode.json", "~/.config/opencode/opencode.json"],
    ["/etc/opencode.json", "/etc/opencode.json"],
  ])("%s is written as %s, and read back as the same file", (path, written) => {
    expect(portablePath(nested, path)).toBe(written);
    expect(absolutePath(nested, written)).toBe(path);
  });

  test("in the user's own OpenCode is relative to its folder", () => {
    const own = placeFor({ cwd: "/r/p", home: "/h/me", env: {} }, { global: true });
    expect(portablePath(own, "/h/me/.config/opencode/opencode.jsonc")).toBe("opencode.jsonc");
    expect(portablePath(own, "/h/me/.opencode/opencode.json")).toBe("~/.opencode/opencode.json");
  });
});

describe("the config files of a place are those that the real OpenCode reads, in its order", () => {
  const config = (name: string): FileContent => ({
    $schema: "https://opencode.ai/config.json",
    username: name,
    command: { [name]: { template: "x" } },
  });
  const everywhere = [
    "../opencode.json",
    "opencode.json",
    "opencode.jsonc",
    ".opencode/opencode.json",
    "a/opencode.jsonc",
    "a/.opencode/opencode.jsonc",
    "a/b/opencode.json",
    "a/b/.opencode/opencode.json",
    "beside/opencode.json",
    "custom.json",
    "further/opencode.json",
    "further/.opencode/opencode.json",
    "~/opencode.json",
    "~/.opencode/opencode.json",
    "~/.config/opencode/config.json",
    "~/.config/opencode/opencode.json",
    "~/.config/opencode/opencode.jsonc",
    "~/.config/opencode/.opencode/opencode.json",
    "~/xdg/opencode/opencode.json",
  ];

  test.each<[string, { git: boolean; cwd: string; env?: Env }]>([
    ["in the root of a repository", { git: true, cwd: "." }],
    ["in a folder of a repository", { git: true, cwd: "a/b" }],
    ["outside of git", { git: false, cwd: "a/b" }],
    ["with OPENCODE_CONFIG", { git: true, cwd: ".", env: { OPENCODE_CONFIG: "custom.json" } }],
    ["with OPENCODE_CONFIG_DIR", { git: true, cwd: "a", env: { OPENCODE_CONFIG_DIR: "further" } }],
    ["with XDG_CONFIG_HOME", { git: true, cwd: ".", env: { XDG_CONFIG_HOME: "~/xdg" } }],
  ])(
    "%s",
    async (_, { git, cwd, env: paths = {} }) => {
      const files = Object.fromEntries(everywhere.map((path) => [path, config(path)]));
      await using project = await tmpProject({ git, files });
      const env = Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, project.path(path)]));
      const seen = await debugConfig(project, { cwd, env });
      const byPath = new Map(everywhere.map((path) => [project.path(path), path]));
      const expected = configFiles(placeIn(project, cwd, env).configs).flatMap(({ path }) => byPath.get(path) ?? []);
      expect(expected.length).toBeGreaterThan(3);
      expect(Object.keys(seen.command ?? {})).toEqual(expected);
      expect(seen.username).toBe(expected.at(-1) ?? "");
    },
    60_000,
  );
});

test("a folder reached through a link keeps its name", async () => {
  await using project = await tmpProject({ files: { "real/.git/HEAD": "" } });
  await mkdir(project.path("real/sub"));
  await symlink(project.path("real"), project.path("linked"));
  expect(placeIn(project, "linked/sub").root).toBe(project.path("linked"));
});

test("the folder is named as people write it, wherever the global one was moved", async () => {
  await using project = await tmpProject();
  const labelOf = (env: Env, global = true): string => folderLabel(placeIn(project, ".", env, global));
  expect([labelOf({}), labelOf({}, false)]).toEqual(["~/.config/opencode", ".opencode"]);
  expect(labelOf({ XDG_CONFIG_HOME: project.path("~/dot/config") })).toBe("~/dot/config/opencode");
  expect(labelOf({ XDG_CONFIG_HOME: "/elsewhere" })).toBe("/elsewhere/opencode");
});
