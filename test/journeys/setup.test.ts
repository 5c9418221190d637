// `atomic setup` in a project that exists, with only our tarballs: what it offers, a first result, and everything back as it was.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { modelServer } from "@atomic/testing/model-server";
import { forgetTarballs, logIn, type Stranger, stranger, walks } from "./stranger.ts";

setDefaultTimeout(300_000);
afterAll(forgetTarballs);

const shop = {
  "package.json": '{\n\t"name": "shop",\n\t"private": true\n}\n',
  "src/cart.js": "export const cart = [];\n",
  // OpenCode adds a missing `$schema` to a config that it reads.
  "opencode.json":
    '{\n  "$schema": "https://opencode.ai/config.json",\n  // mine\n  "instructions": ["RULES.md"],\n}\n',
  "RULES.md": "Be brief.\n",
};
const notes = {
  name: "notes",
  version: "1.0.0",
  files: {
    "hugo-workflow.json": '{"name":"notes","description":"Takes notes.","commands":[{"path":"commands/note.md"}]}',
    "commands/note.md": "Note.\n",
  },
  time: "2026-01-01T00:00:00.000Z",
};
const install = "npm install -g hugo-pm @atomic/cli magnus-opus";

/** Every path with its bytes: of the project, the user's configs and the folder of global commands. */
function everything({ project }: Stranger): Readonly<Record<string, string>> {
  const found = [project.dir, project.path("~/.config"), project.path("~/.npm-global/bin")].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => !/^\.git(?:\/|$)/.test(name))
      .map((name) => join(folder, name)),
  );
  const bytes = (path: string): string => {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
    return stats.isDirectory() ? "folder" : Bun.hash(readFileSync(path)).toString(16);
  };
  return Object.fromEntries(found.map((path) => [path, bytes(path)]));
}

describe.each(walks())("$name", (walk) => {
  test("one command installs, one sets up, and the first workflow has a result", async () => {
    await using model = await modelServer();
    await using person = await stranger(walk, shop);
    await logIn(person, walk, model);

    const start = performance.now();
    expect(await person.type(install)).toMatchObject({ exitCode: 0 });
    const installed = performance.now() - start;

    // Before OpenCode runs, which leaves files of its own in the folders of its configs.
    const before = everything(person);
    expect(await person.sh("atomic setup --yes")).toMatchObject({ code: 0 });
    expect(Object.keys(everything(person)).length).toBeGreaterThan(Object.keys(before).length + 200);
    const undone = await person.sh("atomic setup --undo");
    expect(`${undone.code}\n${undone.stdout}`).toStartWith("0\nUndid:\n");
    expect(everything(person)).toEqual(before);
    expect((await person.sh("git status --porcelain")).stdout).toBe("");

    const again = performance.now();
    const setup = await person.type("atomic setup", "y", "y");
    expect(setup).toMatchObject({ exitCode: 0 });
    expect(setup.screen).toContain("Agents: found opencode; did not find claude, copilot.");
    expect(setup.screen).toContain("  1 + the short command hugo (in every project): ~/.npm-global/bin/hugo");
    expect(setup.screen).toContain('Installed workflow "magnus-opus" v0.1.0');
    expect(setup.screen).toContain("Next:");
    const next = setup.screen.slice(setup.screen.lastIndexOf("Next:"));
    const commands = next.split("\n").flatMap((line) => (line.startsWith("  ") ? [line.trim()] : []));
    expect(commands).toEqual([
      "atomic graph release",
      "atomic run release 1.4.0  # without a login, OpenCode uses free hosted models",
      "npm install  # types for your editor",
      "opencode  # and there: /implement <a feature>",
    ]);

    // What it prints as next commands is what a newcomer types.
    expect((await person.type("atomic graph release")).screen).toContain("release: Drafts release notes");
    model.expect("Write release notes for 1.4.0").reply("- Dark mode");
    model
      .expect("to the top of NEWS.md")
      .tool("write", { filePath: "NEWS.md", content: "- Dark mode\n" })
      .then.reply("NEWS.md is written.");
    const run = await person.type("atomic run release 1.4.0", [/yes or no: $/m, "yes"], [/in this run.*: $/m, "yes"]);
    const seconds = (installed + performance.now() - again) / 1000;
    expect(`${run.exitCode}\n${run.screen}`).toStartWith("0\n");
    expect(run.screen).toContain("NEWS.md is written.");
    expect(await person.project.read("NEWS.md")).toBe("- Dark mode\n");
    model.verify();
    console.log(`first result after ${seconds.toFixed(1)} s, from npm install -g to NEWS.md (${walk.name})`);
    expect((await person.sh("hugo list")).stdout).toContain("magnus-opus");

    // The run is the user's, and so is what it wrote.
    expect(await person.sh("atomic setup --undo")).toMatchObject({ code: 0 });
    const left = (await person.sh("git status --porcelain")).stdout;
    expect(left).toMatch(/^\?\? NEWS\.md$/m);
    expect(left).not.toMatch(/^ M/m);
    expect((await person.sh("atomic runs")).stdout).toContain("release");
  });

  test("a project that already uses Hugo keeps what it has", async () => {
    await using person = await stranger(walk, shop);
    person.registry.publish(notes);
    expect(await person.sh(`${install} && hugo-pm setup && hugo install notes --yes`)).toMatchObject({ code: 0 });
    await person.sh("git add -A && git commit -qm 'Use Hugo'");
    expect(await person.sh("atomic setup --yes")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("= the short command hugo: already there"),
    });
    expect(await person.sh("hugo disable notes")).toMatchObject({ code: 0 });
    const undone = await person.sh("atomic setup --undo");
    expect(undone).toMatchObject({ code: 0, stdout: expect.stringContaining("hugo remove magnus-opus") });
    expect((await person.sh("hugo enable notes && hugo list")).stdout).not.toContain("magnus-opus");
    // It was there before, so it is not taken away.
    expect(await person.sh("hugo --version")).toMatchObject({ code: 0 });
    expect((await person.sh("git status --porcelain")).stdout).toBe("");
  });

  test("everything is uninstalled as the guide says", async () => {
    await using person = await stranger(walk, shop);
    person.registry.publish(notes);
    await person.sh("mkdir -p ~/.npm-global/bin ~/.config");
    const before = everything(person);
    const done = await person.sh(`${install} && atomic setup --yes && hugo install notes --yes`);
    expect({ code: done.code, stderr: done.code === 0 ? "" : done.stderr }).toEqual({ code: 0, stderr: "" });
    const guide = await Bun.file(join(import.meta.dirname, "../../docs/guide/troubleshooting.md")).text();
    const [, paragraph = ""] = /\*\*Uninstalling\.\*\*([\s\S]*?)\n\n/.exec(guide) ?? [];
    const commands = Array.from(paragraph.matchAll(/`([^`]+)`/g), ([, command = ""]) => command);
    expect(commands).toHaveLength(3);
    for (const command of commands) {
      const { code, stderr } = await person.sh(command.replace("<name>", "notes"));
      expect({ command, code, stderr: code === 0 ? "" : stderr }).toEqual({ command, code: 0, stderr: "" });
    }
    const left = Object.keys(everything(person)).filter(
      (path) => !(path in before) && !path.includes("/.opencode/.hugo"),
    );
    expect(left.map((path) => path.replace(person.project.dir, ""))).toEqual(["/.opencode"]);
  });

  test("without Hugo it offers the rest, and another program named hugo keeps its name", async () => {
    await using person = await stranger(walk, shop);
    const { stdout } = await person.sh("npx --yes @atomic/cli setup --dry-run");
    expect(stdout).toContain("the short command hugo: needs Hugo (`npm install -g hugo-pm`)");
    expect(stdout).toContain("+ a first workflow");
    const both = await person.sh("npx --yes -p hugo-pm -p @atomic/cli atomic setup --dry-run");
    expect(both.stdout).toContain(
      "+ Magnus Opus, for /implement in OpenCode (in this project): hugo install magnus-opus (0.1.0)",
    );
    await person.sh(
      `mkdir -p ~/.npm-global/bin && printf '#!/bin/sh\\n' > ~/.npm-global/bin/hugo && chmod +x ~/.npm-global/bin/hugo`,
    );
    expect(await person.sh(install)).toMatchObject({ code: 0 });
    const taken = await person.sh("atomic setup --yes");
    expect(taken.code).toBe(0);
    expect(taken.stdout).toContain("another program is already named hugo");
    expect(taken.stdout).toContain("+ Magnus Opus");
    expect(await person.sh("atomic setup --undo")).toMatchObject({ code: 0 });
    expect(lstatSync(person.project.path("~/.npm-global/bin/hugo")).isFile()).toBe(true);
    expect((await person.sh("git status --porcelain")).stdout).toBe("");
  });
});
