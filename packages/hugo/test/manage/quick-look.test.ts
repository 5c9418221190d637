import { describe, expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { type Project, tmpProject } from "@atomic/testing/project";
import fc from "fast-check";
import { type Installed, readInstalled } from "../../src/manage/installed.ts";
import { quickLook } from "../../src/manage/quick-look.ts";
import { type Place, placeFor } from "../../src/place.ts";
import { readSnapshot } from "../../src/workspace/read-snapshot.ts";
import { contextOf, copiedWorkflow, install, pluginWorkflow } from "../operations/workspace.ts";

const files = { "agents/a.md": "a\n", "skills/s/SKILL.md": "s\n" };
const workflows = {
  git: pluginWorkflow("git", { source: "github:org/git", version: "a".repeat(40), package: "git-flow" }),
  lint: copiedWorkflow("lint", files),
  review: pluginWorkflow("review", { workflows: ["release"], selection: ["agents/reviewer"] }),
};

const placeOf = (project: Project): Place => placeFor(contextOf(project), { global: false });

function entriesIn({ entriesOf }: Installed): Record<string, unknown> {
  return Object.fromEntries(Object.keys(workflows).map((name) => [name, entriesOf(name)]));
}

describe("a quick look", () => {
  test("is enough for files as Hugo and OpenCode write them", async () => {
    await using project = await tmpProject({ files: { "opencode.json": { plugin: ["@org/review@1.0.0"] } } });
    await install(project, workflows, files);
    const quick = quickLook(placeOf(project));
    expect([...(quick?.workflows.keys() ?? [])]).toEqual(["git", "lint", "review"]);
    expect(quick?.workflows.get("lint")).toMatchObject({ delivery: "copy", parked: false, files: 2, agents: ["a"] });
    expect(quick?.workflows.get("review")?.workflows).toEqual(["release"]);
    expect(quick?.entriesOf("review")).toEqual([{ file: project.path("opencode.json"), spec: "@org/review@1.0.0" }]);
  });

  test("leaves a version that is none to the full reader", async () => {
    await using project = await tmpProject();
    await install(project, workflows, files);
    const place = placeOf(project);
    const text = await project.read(".opencode/hugo.json");
    for (const version of ["npm:evil@6.6.6", "9.9.9 && x", "latest"]) {
      await project.write(".opencode/hugo.json", text.replace('"version": "1.0.0"', `"version": "${version}"`));
      expect(quickLook(place)).toBeUndefined();
    }
  });

  test("is enough where nothing is installed", async () => {
    await using project = await tmpProject();
    expect(quickLook(placeOf(project))?.workflows.size).toBe(0);
  });

  test("finds the same plugins as the full reader, however they are spelt, or leaves it to that", async () => {
    await using project = await tmpProject();
    await install(project, workflows, files);
    const spec = fc.oneof(
      fc.constantFrom("@org/review", "@org/review@1.0.0", "@org/review@^1", "@org/review@latest", "review", "git-flow"),
      fc.constantFrom(
        "x@npm:@org/review@1.0.0",
        "github:org/git",
        "github:org/git#v1",
        "org/git",
        "git-flow@1.0.0-rc.1",
      ),
      fc.constantFrom("./.opencode/.hugo/store/git-ab/node_modules/git-flow", "./node_modules/@org/review/index.js"),
      fc.constantFrom("./node_modules/a/node_modules/git-flow", "./node_modules/@org/review/../git-flow", "./mine.ts"),
      fc.constantFrom("file:///x/node_modules/@org/review", "file:///x/node_modules/%40org/review", "/abs/git-flow"),
      fc.constantFrom("file:./node_modules/git-flow", "../node_modules/git-flow/", "git-flow@", "@org/review@1.x || 2"),
      fc.string({ maxLength: 8 }),
    );
    const entry = fc.oneof(
      spec,
      spec.map((name) => [name, { a: 1 }] as const),
      spec.map((name) => [name] as const),
    );
    const config = fc.array(entry, { maxLength: 4 });
    let quickly = 0;
    await fc.assert(
      fc.asyncProperty(config, config, async (own, hidden) => {
        await project.write("opencode.json", { plugin: own });
        await project.write(".opencode/opencode.jsonc", { plugin: hidden });
        const quick = quickLook(placeOf(project));
        if (quick === undefined) return;
        quickly += 1;
        const snapshot = await readSnapshot(placeOf(project));
        const full = Object.keys(workflows).map((name) => [
          name,
          snapshot.entriesOf(name).map(({ file, spec: written }) => ({ file, spec: written })),
        ]);
        expect(entriesIn(quick)).toEqual(Object.fromEntries(full));
      }),
      { numRuns: 300 },
    );
    expect(quickly).toBeGreaterThan(30);
  });

  const unusual: readonly [what: string, (project: Project) => Promise<unknown>][] = [
    ["a comment in a config", (p) => p.write("opencode.json", '{ "plugin": [] } // mine')],
    ["two plugin arrays", (p) => p.write("opencode.json", '{ "plugin": [], "plugin": ["@org/review"] }')],
    ["a plugin of another type", (p) => p.write("opencode.json", { plugin: [1] })],
    ["options of another type", (p) => p.write("opencode.json", { plugin: [["@org/review", "x"]] })],
    ["old state in a config", (p) => p.write("opencode.json", { hugo: { workflows: {} } })],
    ["old state in a file", (p) => p.write(".opencode/state.json", { workflows: [] })],
    ["an interrupted change", (p) => p.write(".opencode/.hugo/transaction.commit", "x")],
    ["a newer hugo.json", (p) => edit(p, '"version": 1,', '"version": 2,')],
    ["an unknown key in hugo.json", (p) => edit(p, '"version": 1,', '"version": 1,\n  "more": 1,')],
    ["an unknown key of a workflow", (p) => edit(p, '"package": "git-flow",', '"package": "git-flow",\n      "x": 1,')],
    ["a key that stands twice in hugo.json", (p) => edit(p, '"version": 1,', '"version": 1,\n  "version": 1,')],
    ["a merge that is not finished", (p) => edit(p, '  "version": 1,', '<<<<<<< ours\n  "version": 1,')],
    ["a name that cannot be one", (p) => edit(p, '"git": {', '"../git": {')],
    ["agents that are no names", (p) => edit(p, '"giter"', "7")],
    ["a link in the place of hugo.json", (p) => link(p, ".opencode/hugo.json", "hugo.json")],
    ["a link in the place of the folder", (p) => link(p, ".opencode", "elsewhere")],
  ];

  async function edit(project: Project, from: string, to: string): Promise<void> {
    const text = await project.read(".opencode/hugo.json");
    expect(text).toContain(from);
    await project.write(".opencode/hugo.json", text.replace(from, to));
  }

  async function link(project: Project, path: string, to: string): Promise<void> {
    const moved = await project.run(["sh", "-c", `mv ${path} ${to} && ln -s "$PWD/${to}" ${path}`]);
    expect(moved).toMatchObject({ code: 0 });
  }

  test.each(unusual)("leaves %s to the full reader", async (_, make) => {
    await using project = await tmpProject();
    await install(project, workflows, files);
    expect(quickLook(placeOf(project))).toBeDefined();
    await make(project);
    expect(quickLook(placeOf(project))).toBeUndefined();
  });

  test("leaves it to the full reader if somebody changes hugo.json meanwhile", async () => {
    await using project = await tmpProject();
    await install(project, workflows, files);
    const place = placeOf(project);
    const changing: Place = {
      ...place,
      // It is asked for after hugo.json was read.
      get configs() {
        renameSync(project.path("other.json"), place.lockFile);
        return place.configs;
      },
    };
    await project.write("other.json", await project.read(".opencode/hugo.json"));
    expect(quickLook(changing)).toBeUndefined();
    expect(quickLook(place)).toBeDefined();
  });

  test("and the full reader say the same of every workflow", async () => {
    await using project = await tmpProject({ files: { "opencode.json": { plugin: ["@org/review@1.0.0"] } } });
    await install(project, workflows, files);
    const quick = await readInstalled(placeOf(project));
    await project.write("opencode.json", '{ "plugin": ["@org/review@1.0.0"] } // now it is unusual\n');
    const full = await readInstalled(placeOf(project));
    expect(quickLook(placeOf(project))).toBeUndefined();
    expect([...full.workflows]).toEqual([...quick.workflows]);
    expect(full.entriesOf("review")).toMatchObject([...quick.entriesOf("review")]);
  });
});
