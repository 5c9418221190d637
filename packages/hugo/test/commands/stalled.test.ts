// While one command waits for a registry or for an answer, the project belongs to everybody.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { bundleHugo, hugoBin } from "../cli/programs.ts";
import { agent, copy, hugoIn, plugin, refusalOf } from "./hugo-project.ts";

setDefaultTimeout(180_000);
beforeAll(bundleHugo);

const notes = { "agents/writer.md": agent("Writes.") };

test.each(["packument", "tarball"] as const)(
  "no command waits for an install whose registry holds its %s back, and it sees what they did",
  async (on) => {
    await using registry = await npmRegistry();
    registry.publish(plugin("1.0.0"), copy("1.0.0", notes), copy("1.0.0", { "agents/old.md": agent("Old.") }, "old"));
    await using project = await tmpProject({ registry, files: { "opencode.json": {} } });
    const hugo = async (...argv: string[]) => await project.run(["node", hugoBin, ...argv]);
    expect(await hugo("install", "old", "--yes")).toMatchObject({ code: 0 });
    const slow = registry.fault("@org/review", { kind: "slow", on });
    const stalled = await project.start(["node", hugoBin, "install", "@org/review", "--yes"]);
    await slow.reached;

    expect(await hugo("list")).toMatchObject({ code: 0, stdout: expect.stringContaining("old") });
    expect(await hugo("install", "@org/notes", "--yes")).toMatchObject({ code: 0 });
    expect(await hugo("remove", "old")).toMatchObject({ code: 0 });

    slow[Symbol.dispose]();
    expect(await stalled.end(60_000)).toEqual({ code: 0, signal: null });
    const { workflows } = (await project.json(".opencode/hugo.json")) as { workflows: object };
    expect(Object.keys(workflows)).toEqual(["notes", "review"]);
    expect(await project.json("opencode.json")).toMatchObject({
      plugin: [expect.stringMatching(/\/store\/review-[0-9a-f]{16}\/node_modules\/@org\/review$/)],
    });
    expect(await hugo("verify")).toMatchObject({ code: 0 });
    expect(fs.readdirSync(project.env.TMPDIR ?? "").filter((name) => name.startsWith("hugo"))).toEqual([]);
  },
);

test("an update and a restoration do not hold the lock while they fetch", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", notes), plugin("1.0.0"));
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install("@org/notes");
  registry.publish(copy("1.1.0", { "agents/writer.md": agent("Writes well.") }));
  for (const fetching of [() => hugo.update(), () => hugo.ci()]) {
    // Neither the project nor the user's cache has it.
    for (const folder of [project.path(".opencode/.hugo/store"), join(project.home, ".cache/hugo")])
      fs.rmSync(folder, { recursive: true, force: true });
    const slow = registry.fault("@org/notes", { kind: "slow", on: "tarball" });
    const stalled = fetching();
    await slow.reached;
    await hugo.install("@org/review", { force: true });
    slow[Symbol.dispose]();
    expect(await stalled).toMatchObject({ failed: [] });
  }
  expect(await project.json(".opencode/hugo.json")).toMatchObject({
    workflows: { notes: { version: "1.1.0" }, review: {} },
  });
  expect(await project.read(".opencode/agents/writer.md")).toContain("Writes well.");
});

test("what another command installs during the question stays, and the user is asked once", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"), copy("1.0.0", notes));
  await using project = await tmpProject({ registry });
  const [first, second] = [hugoIn(project), hugoIn(project)];
  const approve = first.context.user.approve;
  Object.assign(first.context.user, {
    approve: async (...all: Parameters<typeof approve>) => {
      await second.install("@org/notes");
      return await approve(...all);
    },
  });
  await first.install("@org/review");
  expect(first.asked).toHaveLength(1);
  expect(registry.requests.filter(({ path }) => path === "/@org/review")).toHaveLength(1);
  expect(await project.json(".opencode/hugo.json")).toMatchObject({ workflows: { notes: {}, review: {} } });
});

test("a package that another command installs during the question is not installed twice", async () => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", notes));
  await using project = await tmpProject({ registry });
  const [first, second] = [hugoIn(project), hugoIn(project)];
  Object.assign(first.context.user, {
    approve: async () => {
      await second.install("@org/notes");
      await project.write(".opencode/agents/writer.md", "Mine.\n");
      return "approved";
    },
  });
  expect((await refusalOf(first.install("@org/notes"))).code).toBe("already-installed");
  expect(await project.read(".opencode/agents/writer.md")).toBe("Mine.\n");
});

test("a report that changes during the question is shown again", async () => {
  await using registry = await npmRegistry();
  const writer = "---\nname: writer\ndescription: Writes\ntools: Bash\n---\n\nWrites.\n";
  registry.publish(copy("1.0.0", { "agents/writer.md": writer }));
  await using project = await tmpProject({ registry, files: { "opencode.json": { permission: { bash: "deny" } } } });
  const hugo = hugoIn(project);
  const approve = hugo.context.user.approve;
  Object.assign(hugo.context.user, {
    approve: async (...all: Parameters<typeof approve>) => {
      await project.write("opencode.json", "{}\n");
      return await approve(...all);
    },
  });
  await hugo.install("@org/notes");
  expect(hugo.asked).toHaveLength(2);
  expect(hugo.asked[0]).not.toEqual(hugo.asked[1]);
});

test("a file that never stays the same ends the attempts, and nothing is written", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"));
  await using project = await tmpProject({ registry, files: { "opencode.json": "{}\n" } });
  const hugo = hugoIn(project);
  let edits = 0;
  Object.assign(hugo.context.user, {
    progress: (step: string) => {
      if (step.startsWith("Reading")) fs.writeFileSync(project.path("opencode.json"), `{ "edits": ${edits++} }\n`);
    },
  });
  const error = await refusalOf(hugo.install("@org/review"));
  expect(error).toMatchObject({ code: "changed-meanwhile", exitCode: 3 });
  expect(await project.tree()).toEqual(["opencode.json"]);
  expect(hugo.asked).toHaveLength(1);
});
