// A repository can bring links, and a user can have some. Hugo follows those that stay inside.
import { describe, expect, test } from "bun:test";
import { mkdir, rm, symlink } from "node:fs/promises";
import { dirname } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import { change } from "../../src/workspace/change.ts";
import { readSnapshot } from "../../src/workspace/snapshot.ts";
import { undo } from "../../src/workspace/undo.ts";
import { installCopy, installPlugin, placeIn, refusalOf } from "./support.ts";
import { treeOf } from "./tree.ts";

const files = { "agents/reader.md": "Reads.\n" };

test("a file in place of .opencode is refused with its name, and nothing is changed", async () => {
  await using project = await tmpProject();
  await rm(project.path(".opencode"), { recursive: true, force: true });
  await project.write(".opencode", "x");
  const place = placeIn(project);
  const said = `${project.path(".opencode")} is not a folder, and Hugo needs a folder of this name`;
  expect(await refusalOf(readSnapshot(place))).toMatchObject({ code: "place-unsafe", message: said });
  const changing = await refusalOf(change(place, "hugo install", async () => ({ result: 0 })));
  expect(changing).toMatchObject({ code: "place-unsafe", message: said });
  expect(await project.read(".opencode")).toBe("x");
});

describe("a .opencode that is a link", () => {
  test("is followed as long as it stays in the project", async () => {
    await using project = await tmpProject({ files: { "shared/opencode/agents/own.md": "Mine.\n" } });
    await symlink("shared/opencode", project.path(".opencode"));
    const before = treeOf(project.dir);
    const place = placeIn(project);
    await change(place, "hugo install", async (workspace) => ({
      changes: installCopy(workspace, "docs", files),
      result: 0,
    }));
    expect(await project.read("shared/opencode/agents/reader.md")).toBe("Reads.\n");
    expect((await readSnapshot(place)).isEnabled("docs")).toBe(true);
    await undo(place, { dryRun: false });
    expect(treeOf(project.dir)).toEqual(before);
  });

  test.each(["..", "../home", "/"])("to %s is refused: a clone does not decide where Hugo writes", async (target) => {
    await using project = await tmpProject();
    await symlink(target, project.path(".opencode"));
    const looking = await refusalOf(readSnapshot(placeIn(project)));
    expect(looking.code).toBe("place-unsafe");
    const changing = await refusalOf(change(placeIn(project), "hugo install", async () => ({ result: 0 })));
    expect(changing.message).toContain("points outside the project");
  });

  test("outside git must stay in the project's own folder", async () => {
    await using project = await tmpProject({ git: false, files: { "../beside/opencode/agents/own.md": "Mine.\n" } });
    await symlink("../beside/opencode", project.path(".opencode"));
    expect((await refusalOf(readSnapshot(placeIn(project)))).code).toBe("place-unsafe");
  });

  test.each(["nowhere", ".opencode"])("to %s is refused with its name", async (target) => {
    await using project = await tmpProject();
    await symlink(target, project.path(".opencode"));
    const error = await refusalOf(change(placeIn(project), "hugo install", async () => ({ result: 0 })));
    expect(error.message).toContain(`${project.path(".opencode")} is a broken link`);
  });

  test("may lead anywhere in the user's own OpenCode", async () => {
    await using project = await tmpProject({ files: { "~/dotfiles/opencode/opencode.json": "{}\n" } });
    await project.remove("~/.config/opencode");
    await symlink("../dotfiles/opencode", project.path("~/.config/opencode"));
    const place = placeIn(project, true);
    await change(place, "hugo install", async (workspace) => ({
      changes: installCopy(workspace, "docs", files),
      result: 0,
    }));
    expect(await project.read("~/dotfiles/opencode/agents/reader.md")).toBe("Reads.\n");
  });
});

describe("a link inside .opencode", () => {
  test.each(["agents", ".hugo", "hugo.json"])("that leads out of it at %s is refused", async (name) => {
    await using project = await tmpProject({ files: { "elsewhere/own.md": "Mine.\n" } });
    await mkdir(project.path(".opencode"));
    await symlink("../elsewhere", project.path(`.opencode/${name}`));
    const before = treeOf(project.dir);
    const error = await refusalOf(
      change(placeIn(project), "hugo install", async (workspace) => ({
        changes: installCopy(workspace, "docs", files),
        result: 0,
      })),
    );
    expect(error.code).toBe("place-unsafe");
    expect(error.message).toContain("symbolic link");
    const itself = name === "agents" ? "a folder" : "the file or folder itself";
    expect(error.hint).toContain(`Replace the link with ${itself}, or remove it.`);
    expect(await project.tree("elsewhere")).toEqual(["own.md"]);
    if (name !== "hugo.json") expect(treeOf(project.dir)).toEqual(before);
  });

  test.each([
    [
      "agents/reader.md",
      "../../elsewhere/own.md",
      "is a symbolic link to",
      "Replace the link with a file, or remove it.",
    ],
    ["agents/reader.md", "reader.md", "is a broken link", "Repair or remove the link."],
    ["agents", "agents", "is a broken link", "Repair or remove the link."],
  ])("at %s to %s is refused for what it is", async (name, target, message, hint) => {
    await using project = await tmpProject({ files: { "elsewhere/own.md": "Mine.\n" } });
    await mkdir(project.path(`.opencode/${dirname(name)}`), { recursive: true });
    await symlink(target, project.path(`.opencode/${name}`));
    const error = await refusalOf(
      change(placeIn(project), "hugo install", async (workspace) => ({
        changes: installCopy(workspace, "docs", files),
        result: 0,
      })),
    );
    expect(error).toMatchObject({ code: "place-unsafe", message: expect.stringContaining(message) });
    expect(error.hint).toBe(`${hint} Nothing was changed.`);
  });

  test("is followed if it stays inside", async () => {
    await using project = await tmpProject({ files: { ".opencode/mine/own.md": "Mine.\n" } });
    await symlink("mine", project.path(".opencode/agents"));
    const place = placeIn(project);
    await change(place, "hugo install", async (workspace) => ({
      changes: installCopy(workspace, "docs", files),
      result: 0,
    }));
    expect(await project.tree(".opencode/mine")).toEqual(["own.md", "reader.md"]);
  });
});

test("a folder in place of a file is refused with its name", async () => {
  await using project = await tmpProject({ files: { ".opencode/agents/reader.md/x": "" } });
  const snapshot = await readSnapshot(placeIn(project));
  expect(() => snapshot.disk(["agents/reader.md"])).toThrow("is a folder, not a regular file");
});

describe("a config file that is a link", () => {
  test("is edited where it leads to, and stays a link", async () => {
    await using project = await tmpProject({ files: { "config/opencode.json": "{}\n" } });
    await symlink("config/opencode.json", project.path("opencode.json"));
    const place = placeIn(project);
    await change(place, "hugo install", async (workspace) => ({
      changes: installPlugin(workspace, "review"),
      result: 0,
    }));
    expect(await project.read("config/opencode.json")).toContain("@org/review@1.0.0");
    expect(treeOf(project.dir)["opencode.json"]).toContain("-> ");
    await undo(place, { dryRun: false });
    expect(await project.read("config/opencode.json")).toBe("{}\n");
  });

  test("out of the project is read, but never changed", async () => {
    await using project = await tmpProject({ files: { "~/mine/opencode.json": '{ "plugin": ["theirs"] }\n' } });
    await symlink(project.path("~/mine/opencode.json"), project.path("opencode.json"));
    const place = placeIn(project);
    expect((await readSnapshot(place)).plugins.byName.has("theirs")).toBe(true);
    const error = await refusalOf(
      change(place, "hugo install", async (workspace) => ({ changes: installPlugin(workspace, "review"), result: 0 })),
    );
    expect(error.code).toBe("place-unsafe");
    expect(await project.read("~/mine/opencode.json")).toBe('{ "plugin": ["theirs"] }\n');
  });
});
