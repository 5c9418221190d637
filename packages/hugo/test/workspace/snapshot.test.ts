import { describe, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { faultTest } from "@atomic/testing/faults/fault-test";
import { runTraced } from "@atomic/testing/faults/run-traced";
import { type Project, tmpProject } from "@atomic/testing/project";
import { printLock } from "@atomic/workflows/internal/hugo-lock/lock";
import { hashOf } from "../../src/packages/hash.ts";
import { change } from "../../src/workspace/change.ts";
import { readSnapshot } from "../../src/workspace/snapshot.ts";
import { emptyPlace, lockWith, placeIn, pluginWorkflow, refusalOf } from "./support.ts";
import { treeOf } from "./tree.ts";

const program = fileURLToPath(import.meta.resolve("./scenario/command.ts"));

describe("a look at a place", () => {
  test("writes nothing where nothing is installed", async () => {
    await using project = await tmpProject();
    const snapshot = await readSnapshot(placeIn(project));
    expect(snapshot.lock.workflows.size).toBe(0);
    expect(snapshot.notices).toEqual([]);
    expect(snapshot.entriesOf("review")).toEqual([]);
    expect(snapshot.isEnabled("review")).toBe(false);
    expect(snapshot.storedTree("review")).toBeUndefined();
    expect(snapshot.baseOf(hashOf("x"))).toBeUndefined();
    expect(await project.tree()).toEqual([]);
  });

  test("sees a workflow as enabled in any config, however it is written", async () => {
    await using project = await tmpProject();
    const place = placeIn(project);
    const git = { ...pluginWorkflow("git"), source: "github:org/git" };
    const lock = lockWith(lockWith(emptyPlace, "review", pluginWorkflow("review")), "git", git);
    await project.write(".opencode/hugo.json", printLock(lock));
    const configs: [path: string, plugin: unknown, name: string][] = [
      ["opencode.json", "@org/review", "review"],
      ["opencode.jsonc", ["@org/review@1.0.0", { strict: true }], "review"],
      [".opencode/opencode.json", "./.hugo/store/review-0123456789abcdef/node_modules/@org/review", "review"],
      ["~/.config/opencode/config.json", "@org/review@npm:@org/review@2.0.0", "review"],
      ["~/.opencode/opencode.jsonc", "github:org/git", "git"],
      ["opencode.json", "github:org/git#v1", "git"],
    ];
    for (const [path, plugin, name] of configs) {
      await project.write(path, { plugin: ["other", plugin] });
      const snapshot = await readSnapshot(place);
      expect(snapshot.entriesOf(name).map(({ file, index }) => [file, index])).toEqual([[project.path(path), 1]]);
      expect(snapshot.isEnabled(name)).toBe(true);
      await project.remove(path);
      expect((await readSnapshot(place)).isEnabled(name)).toBe(false);
    }
  });

  test("of the user's own OpenCode does not read what a project has", async () => {
    await using project = await tmpProject({ files: { "opencode.json": { plugin: ["@org/review"] } } });
    const { configs } = await readSnapshot(placeIn(project, true));
    expect(configs.flatMap(({ plugins }) => plugins)).toEqual([]);
    expect(configs.every(({ file }) => file.startsWith(project.home))).toBe(true);
  });

  test.each<[what: string, path: string, content: string | Uint8Array, code: string]>([
    ["a config that does not parse", "opencode.json", "{", "config-invalid"],
    ["a config that is not UTF-8", "opencode.json", Buffer.from([0x7b, 0xff, 0x7d]), "config-invalid"],
    ["a hugo.json with an unfinished merge", ".opencode/hugo.json", "<<<<<<< a\n", "lock-conflict"],
    ["a hugo.json of the future", ".opencode/hugo.json", '{ "version": 9 }', "lock-newer"],
    ["a config that is a folder", "opencode.json/x", "", "place-unsafe"],
  ])("%s is refused with its place, by read-only commands and by changes", async (_, path, content, code) => {
    await using project = await tmpProject({ git: false, files: { [path]: content } });
    const looking = await refusalOf(readSnapshot(placeIn(project)));
    expect(looking.code).toBe(code as typeof looking.code);
    expect(looking.at).toStartWith(project.path(path.replace("/x", "")));
    const changing = await refusalOf(change(placeIn(project), "hugo install", async () => ({ result: 0 })));
    expect(changing.code).toBe(looking.code);
    expect(await project.exists(".opencode/.hugo")).toBe(false);
  });
});

describe("after a command was killed", () => {
  /** Right after, or right before, the point of no return. */
  async function killed(project: Project, fault: "kill" | "kill-after"): Promise<void> {
    const traced = { under: project.dir, command: [process.execPath, program, "install", project.dir] };
    const { operations } = await runTraced(traced);
    await project.remove(".opencode");
    await project.remove("opencode.json");
    const commit = operations.find(
      ({ call, path }) => call.startsWith("rename") && path.endsWith("transaction.commit"),
    );
    await runTraced(traced, { kind: fault, at: commit?.number ?? 0 });
  }

  faultTest("the next read-only command finds the change finished, and says so", async () => {
    await using project = await tmpProject();
    await killed(project, "kill-after");
    const snapshot = await readSnapshot(placeIn(project));
    expect(snapshot.notices).toEqual([expect.stringMatching(/^An interrupted change to \d files was finished\.$/)]);
    expect(snapshot.isEnabled("review")).toBe(true);
    expect(snapshot.storedTree("review")?.size).toBe(2);
    expect((await readSnapshot(placeIn(project))).notices).toEqual([]);
  });

  faultTest("before the point of no return, nothing changed, and the next change says so", async () => {
    await using project = await tmpProject();
    await killed(project, "kill");
    const notices = await change(placeIn(project), "hugo list", async (workspace) => ({ result: workspace.notices }));
    expect(notices).toEqual([expect.stringMatching(/was undone: no file had been changed yet\.$/)]);
    expect(treeOf(project.dir)).toEqual({});
  });
});
