import { describe, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { tmpProject } from "@atomic/testing/project";
import { deferred } from "@atomic/testing/waiting";
import { change } from "../../src/workspace/change.ts";
import { readSnapshot } from "../../src/workspace/snapshot.ts";
import { installCopy, installPlugin, placeIn, refusalOf } from "./support.ts";
import { treeOf } from "./tree.ts";

const program = fileURLToPath(import.meta.resolve("./scenario/command.ts"));
const files = { "agents/reader.md": "Reads.\n" };

describe("a file edited while Hugo decides", () => {
  test.each<[what: string, path: string]>([
    ["the config that is to be changed", "opencode.json"],
    ["a config that was only read", ".opencode/opencode.jsonc"],
    ["the user's own config", "~/.config/opencode/opencode.json"],
    ["hugo.json", ".opencode/hugo.json"],
    ["a copied file that was looked at", ".opencode/agents/own.md"],
  ])("%s: nothing is written, and the file is named", async (_, path) => {
    await using project = await tmpProject({
      files: { "opencode.json": "{}\n", ".opencode/agents/own.md": "Mine.\n" },
    });
    const text = path.endsWith("hugo.json") ? '{ "version": 1, "workflows": {} }\n' : '{ "username": "me" }\n';
    const error = await refusalOf(
      change(placeIn(project), "hugo install", async (workspace) => {
        workspace.disk(["agents/own.md"]);
        await project.write(path, text);
        const draft = { ...installPlugin(workspace, "review"), ...installCopy(workspace, "docs", files) };
        return { changes: draft, result: 0 };
      }),
    );
    expect(error).toMatchObject({ code: "changed-meanwhile", exitCode: 3 });
    expect(error.message).toContain(project.path(path));
    expect(await project.read(path)).toBe(text);
    expect(await project.exists(".opencode/agents/reader.md")).toBe(false);
    expect(await project.exists(".opencode/.hugo")).toBe(false);
  });

  test("a file appears where one is to be copied to: it stays", async () => {
    await using project = await tmpProject();
    const error = await refusalOf(
      change(placeIn(project), "hugo install", async (workspace) => {
        const draft = installCopy(workspace, "docs", files);
        await project.write(".opencode/agents/reader.md", "Mine.\n");
        return { changes: draft, result: 0 };
      }),
    );
    expect(error.code).toBe("changed-meanwhile");
    expect(await project.tree()).toEqual([".opencode/agents/reader.md"]);
  });
});

describe("two commands in one place", () => {
  test("run one after the other, and the second sees what the first did", async () => {
    await using project = await tmpProject();
    const place = placeIn(project);
    const [entered, mayGo] = [deferred(), deferred()];
    const first = change(place, "hugo install docs", async (workspace) => {
      entered.resolve();
      await mayGo.promise;
      return { changes: installCopy(workspace, "docs", files), result: 0 };
    });
    await entered.promise;
    const second = change(place, "hugo list", async ({ lock }) => ({ result: [...lock.workflows.keys()] }));
    mayGo.resolve();
    await first;
    expect(await second).toEqual(["docs"]);
  });

  test("all take effect if many arrive at once, and those that fail say why", async () => {
    await using project = await tmpProject({ files: { "opencode.json": "{}\n" } });
    const names = Array.from({ length: 8 }, (_, i) => `w${i}`);
    const commands = names.flatMap((name) => [name, "fail"]);
    const runs = await Promise.all(commands.map((name) => project.run([process.execPath, program, name, project.dir])));
    const outputs = runs.map(({ stdout, stderr }) => (stdout + stderr).trim());
    expect(outputs).toEqual(
      commands.map((name) => (name === "fail" ? "not-approved: declined Agree to it." : `installed ${name}`)),
    );

    const { lock, configs } = await readSnapshot(placeIn(project));
    expect([...lock.workflows.keys()]).toEqual(names);
    const plugins = configs.flatMap((config) => config.plugins.map(({ spec }) => spec));
    expect(plugins.sort()).toEqual(names.map((name) => `${name}@1.0.0`));
    const agents = Object.keys(treeOf(project.path(".opencode/agents")));
    expect(agents).toEqual(names.map((name) => `${name}.md`));
  }, 180_000);

  test("many commands that fail in a fresh project do not trip over folders that another removes", async () => {
    await using project = await tmpProject();
    const runs = await Promise.all(
      Array.from({ length: 12 }, () => project.run([process.execPath, program, "fail", project.dir])),
    );
    expect([...new Set(runs.map(({ stderr }) => stderr.trim()))]).toEqual(["not-approved: declined Agree to it."]);
    expect(await project.tree()).toEqual([]);
  }, 180_000);

  test("that wait too long report which process holds the lock, and why", async () => {
    await using project = await tmpProject();
    const place = placeIn(project);
    const error = await change(place, "hugo install docs", async () => ({
      result: await refusalOf(change(place, "hugo remove docs", async () => ({ result: 0 }), { deadlineMs: 1 })),
    }));
    expect(error).toMatchObject({ code: "busy", exitCode: 3 });
    expect(error.message).toContain(`this process (pid ${process.pid}) for "hugo install docs"`);
  });
});
