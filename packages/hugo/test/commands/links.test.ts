// Users make links inside .opencode. Every command follows those that stay inside, and none of them those that lead out.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import * as fs from "node:fs";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { disable } from "../../src/commands/disable.ts";
import { enable } from "../../src/commands/enable.ts";
import { remove } from "../../src/commands/remove.ts";
import { undo } from "../../src/commands/undo.ts";
import { treeOf } from "../workspace/tree.ts";
import { copy, type Hugo, hugoIn, plugin, refusalOf } from "./hugo-project.ts";
import { input } from "./workspace.ts";

setDefaultTimeout(120_000);

const notes = {
  "agents/writer.md": "---\ndescription: Writes\n---\nWrite.\n",
  "skills/tidy/SKILL.md": "---\nname: tidy\ndescription: Tidies\n---\nTidy.\n",
};
const both = ["notes", "review"];

const commands = (hugo: Hugo) => ({
  install: () => hugo.install(["@org/review", "@org/notes"]),
  disable: () => disable.run(hugo.context, { ...input, name: both, all: false }),
  enable: () => enable.run(hugo.context, { ...input, name: both, all: false }),
  remove: () => remove.run(hugo.context, { ...input, name: both }),
  undo: () => undo.run(hugo.context, input),
  ci: () => hugo.ci(),
});

async function scene() {
  const registry = await npmRegistry();
  registry.publish(plugin("1.0.0"), copy("1.0.0", notes));
  const project = await tmpProject({ registry, files: { ".opencode/own.txt": "Mine.\n" } });
  const link = (at: string, target: string): void => {
    fs.mkdirSync(project.path(`.opencode/${at}/..`), { recursive: true });
    fs.symlinkSync(target, project.path(`.opencode/${at}`));
  };
  const own = (): Record<string, string> =>
    Object.fromEntries(Object.entries(treeOf(project.dir)).filter(([path]) => !path.startsWith(".opencode/.hugo")));
  return {
    project,
    link,
    own,
    ...commands(hugoIn(project)),
    [Symbol.asyncDispose]: async () => {
      await project[Symbol.asyncDispose]();
      await registry[Symbol.asyncDispose]();
    },
  };
}

describe("a link that stays in .opencode", () => {
  test.each([
    ["plugins", "real", "real"],
    ["skills", "real", "real"],
    ["skills/tidy", "../real", "real"],
    ["agents", "deep/ü b/c", "deep/ü b/c"],
  ])("at %s is a folder to every command, and what it leads to is never deleted", async (at, target, folder) => {
    await using s = await scene();
    fs.mkdirSync(s.project.path(`.opencode/${folder}`), { recursive: true });
    s.link(at, target);
    const before = s.own();
    await s.install();
    const installed = s.own();
    await s.disable();
    const disabled = s.own();
    await s.enable();
    expect(s.own()).toEqual(installed);
    await s.remove();
    expect(s.own()).toEqual(before);
    for (const state of [installed, disabled, installed, before]) {
      await s.undo();
      expect(s.own()).toEqual(state);
    }
    await s.install();
    await s.ci();
    expect(s.own()).toEqual(installed);
  });
});

describe("a link that leads out of .opencode", () => {
  const leaving = [
    ["skills", "../shared", "shared"],
    ["agents", "../../beside", "../beside"],
  ] as const;

  test.each(leaving)("at %s to %s is not followed by an installation", async (at, target, folder) => {
    await using s = await scene();
    await s.project.write(`${folder}/own.md`, "Mine.\n");
    s.link(at, target);
    const before = s.own();
    const error = await refusalOf(s.install());
    expect(error).toMatchObject({ code: "place-unsafe", exitCode: 3 });
    expect(s.own()).toEqual(before);
    expect(fs.readdirSync(s.project.path(folder))).toEqual(["own.md"]);
  });

  test.each(leaving)("at %s to %s is refused by every other command in the same words", async (at, target, folder) => {
    await using s = await scene();
    await s.install();
    // The user moves a folder away and puts a link in its place.
    fs.renameSync(s.project.path(`.opencode/${at}`), s.project.path(folder));
    s.link(at, target);
    const before = [s.own(), treeOf(s.project.path(folder))];
    const words = new Set<string>();
    for (const command of [s.disable, s.remove, s.undo, s.ci]) {
      const { code, message, hint, exitCode } = await refusalOf(command());
      words.add(JSON.stringify({ code, message, hint, exitCode }));
    }
    expect([...words]).toHaveLength(1);
    expect([...words][0]).toContain("is a symbolic link to");
    expect([s.own(), treeOf(s.project.path(folder))]).toEqual(before);
  });
});
