import { describe, expect, test } from "bun:test";
import { gitRepo } from "@atomic/testing/git";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { outdated } from "../../src/commands/outdated.ts";
import { hashTree } from "../../src/packages/tree.ts";
import { tree } from "../tree.ts";
import { contextOf, input, install, pluginWorkflow } from "./workspace.ts";

const page = { colour: false } as const;
const ago = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
const name = "@org/review";

describe("outdated", () => {
  test("compares with what was asked for, and with the newest", async () => {
    await using registry = await npmRegistry();
    for (const [version, hours] of [
      ["1.0.0", 900],
      ["1.2.0", 800],
      ["2.0.0", 700],
    ] as const) {
      registry.publish({ name, version, time: ago(hours) });
    }
    registry.tag(name, "next", "1.2.0");
    await using project = await tmpProject({ registry });
    await install(project, {
      any: pluginWorkflow("review"),
      exact: pluginWorkflow("review", { source: `${name}@1.0.0` }),
      range: pluginWorkflow("review", { source: `${name}@^1.0.0` }),
      tagged: pluginWorkflow("review", { source: `${name}@next` }),
      up: pluginWorkflow("review", { version: "2.0.0" }),
    });
    const result = await outdated.run(contextOf(project), { ...input, name: undefined, exitCode: false });
    expect(outdated.report.text(result, page)).toBe(`Name    Installed  Wanted  Latest  Source
any     v1.0.0     v2.0.0  v2.0.0  @org/review
exact   v1.0.0     v1.0.0  v2.0.0  @org/review@1.0.0
range   v1.0.0     v1.2.0  v2.0.0  @org/review@^1.0.0
tagged  v1.0.0     v1.2.0  v2.0.0  @org/review@next
`);
    expect(outdated.report.notes(result, page)).toBe(
      "exact stays at v1.0.0, because you asked for @org/review@1.0.0. For the latest version: `hugo install --force @org/review`\n`hugo update` installs the wanted versions.\n",
    );
    expect(outdated.report.exitCode(result)).toBe(0);
    const strict = await outdated.run(contextOf(project), { ...input, name: undefined, exitCode: true });
    expect(outdated.report.exitCode(strict)).toBe(1);
    expect(outdated.report.error?.(strict).message).toBe("4 workflows are outdated: any, exact, range, tagged");
    const pinned = await outdated.run(contextOf(project), { ...input, name: "exact", exitCode: true });
    expect(pinned.workflows).toMatchObject([{ toLatest: "`hugo install --force @org/review`" }]);
    expect(outdated.report.error?.(pinned).hint).toContain("`hugo update` keeps the versions that you asked for");
    const current = await outdated.run(contextOf(project), { ...input, name: "up", exitCode: true });
    expect(outdated.report.exitCode(current)).toBe(0);
  });

  test("does not want a release that is too new, and says so", async () => {
    await using registry = await npmRegistry();
    registry.publish({ name, version: "1.0.0", time: ago(900) }, { name, version: "1.1.0", time: ago(2) });
    await using project = await tmpProject({ registry });
    await install(project, { review: pluginWorkflow("review") });
    const result = await outdated.run(contextOf(project), { ...input, name: "review", exitCode: false });
    expect(result.workflows).toMatchObject([{ wanted: "1.0.0", latest: "1.1.0" }]);
    // It has no such option itself.
    expect(outdated.report.notes(result, page)).toContain(
      "To install 1.1.0, use `hugo update --allow-new` or wait until",
    );
  });

  test("wants nothing else if everything that is newer is too young", async () => {
    await using registry = await npmRegistry();
    registry.publish({ name, version: "1.1.0", time: ago(2) }, { name, version: "1.2.0", time: ago(1) });
    await using project = await tmpProject({ registry });
    await install(project, { review: pluginWorkflow("review", { version: "1.1.0" }) });
    const result = await outdated.run(contextOf(project), { ...input, name: "review", exitCode: false });
    expect(result.workflows).toMatchObject([{ wanted: "1.1.0", latest: "1.2.0" }]);
    expect(outdated.report.text(result, page)).not.toContain("?");
  });

  test("does not downgrade a recent release that the user installed", async () => {
    await using registry = await npmRegistry();
    registry.publish({ name, version: "1.0.0", time: ago(900) }, { name, version: "1.1.0", time: ago(2) });
    await using project = await tmpProject({ registry });
    await install(project, { review: pluginWorkflow("review", { version: "1.1.0" }) });
    const result = await outdated.run(contextOf(project), { ...input, name: undefined, exitCode: false });
    expect(outdated.report.text(result, page)).toBe("Everything is up to date.\n");
  });

  test("follows branches and tags of repositories", async () => {
    await using repo = await gitRepo({ files: { "package.json": "{}" }, tag: "v1" });
    const first = (await repo.refs())["refs/heads/main"]!;
    const second = await repo.commit({ files: { "package.json": "{ }" }, message: "second" });
    await using project = await tmpProject({ env: { ...repo.env } });
    const locked = (source: string) => pluginWorkflow("review", { source, version: first });
    await install(project, { branch: locked(repo.packageUrl), tag: locked(`${repo.packageUrl}#v1`) });
    const { workflows } = await outdated.run(contextOf(project), { ...input, name: undefined, exitCode: false });
    expect(workflows).toMatchObject([
      { name: "branch", installed: first, wanted: second, latest: second },
      { name: "tag", installed: first, wanted: first, latest: second },
    ]);
  });

  test("reports what cannot be reached beside what can, and ends with 1", async () => {
    await using registry = await npmRegistry();
    registry.publish({ name, version: "1.0.0", time: ago(900) });
    await using project = await tmpProject({ registry });
    await install(project, { gone: pluginWorkflow("gone"), review: pluginWorkflow("review") });
    const result = await outdated.run(contextOf(project), { ...input, name: undefined, exitCode: false });
    expect(result.workflows).toMatchObject([{ name: "gone" }, { name: "review", wanted: "1.0.0" }]);
    expect(outdated.report.text(result, page)).toMatch(/^gone +v1\.0\.0 +\? +\? +@org\/gone$/m);
    expect(outdated.report.notes(result, page)).toContain("Warning: gone could not be checked.");
    expect(outdated.report.exitCode(result)).toBe(1);
  });

  test("compares with what a folder on this machine has now, without a request", async () => {
    await using project = await tmpProject();
    const files = (version: string, code = "") => ({
      "package.json": JSON.stringify({ name: "@org/local", version }),
      "index.js": code,
    });
    const write = async (now: Record<string, string>): Promise<void> => {
      for (const [path, text] of Object.entries(now)) await project.write(`local/${path}`, text);
    };
    const local = pluginWorkflow("local", { source: "./local", tree: hashTree(tree(files("1.0.0"))) });
    await install(project, { local });
    const compare = async () => await outdated.run(contextOf(project), { ...input, name: undefined, exitCode: true });

    await write(files("1.0.0"));
    // npm packs no such file, so it is not part of the package.
    await project.write("local/node_modules/x/index.js", "");
    const same = await compare();
    expect(outdated.report.text(same, page)).toBe("Everything is up to date.\n");
    expect(outdated.report.exitCode(same)).toBe(0);

    await write(files("1.2.0"));
    const newer = await compare();
    expect(outdated.report.text(newer, page)).toMatch(/^local +v1\.0\.0 +v1\.2\.0 +v1\.2\.0 +\.\/local$/m);
    expect(outdated.report.json(newer)).toMatchObject({ workflows: [{ outdated: true }] });
    expect(outdated.report.exitCode(newer)).toBe(1);

    await write(files("1.0.0", "// new"));
    const changed = await compare();
    expect(outdated.report.notes(changed, page)).toBe(
      "local v1.0.0 has different content in ./local now.\n`hugo update` installs the wanted versions.\n",
    );
    expect(outdated.report.exitCode(changed)).toBe(1);
  });

  test("of a folder that is gone, says so", async () => {
    await using project = await tmpProject();
    await install(project, { local: pluginWorkflow("local", { source: "./local" }) });
    const result = await outdated.run(contextOf(project), { ...input, name: undefined, exitCode: true });
    expect(result.workflows).toMatchObject([{ problem: expect.stringContaining("does not exist") }]);
    expect(outdated.report.exitCode(result)).toBe(6);
  });

  test("with nothing installed says so", async () => {
    await using project = await tmpProject();
    const result = await outdated.run(contextOf(project), { ...input, name: undefined, exitCode: false });
    expect(outdated.report.text(result, page)).toContain("No workflows are installed.");
  });
});
