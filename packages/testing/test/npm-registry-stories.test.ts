// What happens to a user over time: releases come, go and change under an installed project.
import { expect, setDefaultTimeout, test } from "bun:test";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";

// Guards against a hang; real programs on a busy machine need more than the usual five seconds.
setDefaultTimeout(180_000);

function release(version: string, text = version): { name: string; version: string; files: Record<string, string> } {
  return { name: "wf", version, files: { "agents/a.md": text } };
}

async function agent(project: Project): Promise<string> {
  return await project.read("node_modules/wf/agents/a.md");
}

/** As on another machine: nothing installed, nothing cached, only what is committed. */
async function forget(project: Project): Promise<void> {
  for (const path of ["node_modules", "~/.npm", "~/.bun", "~/.cache"]) await project.remove(path);
}

for (const [client, install] of [
  ["npm", ["npm", "install"]],
  ["bun", ["bun", "install"]],
] as const) {
  const add = client === "npm" ? ["npm", "install", "wf"] : ["bun", "add", "wf"];

  test(`a release that was replaced under the same version is refused by the lock file of ${client}`, async () => {
    await using registry = await npmRegistry();
    registry.publish(release("1.0.0", "good"));
    await using project = await tmpProject({ registry, git: false });
    expect(await project.run(add)).toMatchObject({ code: 0 });
    registry.unpublish("wf", "1.0.0");
    registry.publish(release("1.0.0", "evil"));
    await forget(project);
    const { code, stderr } = await project.run(install);
    expect(code).toBe(1);
    expect(stderr).toMatch(/EINTEGRITY|IntegrityCheckFailed/);
    expect(await project.exists("node_modules/wf/agents/a.md")).toBe(false);
  });

  test(`a newer release does not move a project that ${client} has locked`, async () => {
    await using registry = await npmRegistry();
    registry.publish(release("1.0.0"));
    await using project = await tmpProject({ registry, git: false });
    expect(await project.run(add)).toMatchObject({ code: 0 });
    registry.publish(release("1.1.0"));
    await forget(project);
    expect(await project.run(install)).toMatchObject({ code: 0 });
    expect(await agent(project)).toBe("1.0.0");
  });

  test(`a locked release that was unpublished cannot be installed again by ${client}`, async () => {
    await using registry = await npmRegistry();
    registry.publish(release("1.0.0"), release("1.1.0"));
    await using project = await tmpProject({ registry, git: false });
    expect(await project.run(add)).toMatchObject({ code: 0 });
    registry.unpublish("wf", "1.1.0");
    await forget(project);
    const { code, stderr } = await project.run(install);
    expect(code).toBe(1);
    expect(stderr).toContain("404");
  });

  test(`a package that is unpublished while ${client} fetches it is missing, not half there`, async () => {
    await using registry = await npmRegistry();
    registry.publish(release("1.0.0"));
    await using project = await tmpProject({ registry, git: false });
    using slow = registry.fault("wf", { kind: "slow", on: "tarball" });
    const adding = project.run(add);
    await slow.reached;
    registry.unpublish("wf");
    slow.release();
    expect(await adding).toMatchObject({ code: 1, stderr: expect.stringContaining("404") });
    expect(await project.exists("node_modules/wf/package.json")).toBe(false);
  });
}

// npm 11 warns about an install script and runs it all the same, so it has to be told; bun does not need to be.
test.each(
  [
    ["bun", "add", "wf"],
    ["npm", "install", "wf", "--ignore-scripts"],
  ].map((argv) => [argv.join(" "), argv] as const),
)("%s does not run the install script of a package", async (_, argv) => {
  await using registry = await npmRegistry();
  registry.publish({ ...release("1.0.0"), manifest: { scripts: { postinstall: "touch ../../ran" } } });
  await using project = await tmpProject({ registry, git: false });
  expect(await project.run(argv)).toMatchObject({ code: 0 });
  expect(await agent(project)).toBe("1.0.0");
  expect(await project.exists("ran")).toBe(false);
});

test("a scope has a registry of its own", async () => {
  await using mine = await npmRegistry();
  await using theirs = await npmRegistry();
  mine.publish({ name: "@org/wf", version: "1.0.0", manifest: { dependencies: { wf: "1.0.0" } } });
  theirs.publish(release("1.0.0"));
  await using project = await tmpProject({
    registry: theirs,
    git: false,
    files: { "package.json": {}, ".npmrc": `@org:registry=${mine.url}\n` },
  });
  for (const add of [
    ["npm", "install", "@org/wf"],
    ["bun", "add", "@org/wf"],
  ]) {
    expect(await project.run(add)).toMatchObject({ code: 0 });
    expect(await agent(project)).toBe("1.0.0");
    await project.remove("node_modules");
  }
  expect(mine.requests.every(({ path }) => path.startsWith("/@org/wf"))).toBe(true);
  expect(theirs.requests.some(({ path }) => path.startsWith("/@org/wf"))).toBe(false);
});

test("many clients install at the same time", async () => {
  await using registry = await npmRegistry();
  registry.publish(...["1.0.0", "1.1.0", "1.2.0", "1.3.0"].map((version) => release(version)));
  const installed = await Promise.all(
    ["1.0.0", "1.1.0", "1.2.0", "1.3.0"].map(async (version) => {
      await using project = await tmpProject({ registry, git: false });
      const { code } = await project.run(["bun", "add", `wf@${version}`]);
      return [code, await agent(project)];
    }),
  );
  expect(installed).toEqual([
    [0, "1.0.0"],
    [0, "1.1.0"],
    [0, "1.2.0"],
    [0, "1.3.0"],
  ]);
});

test("two faults of one package are both seen", async () => {
  await using registry = await npmRegistry();
  registry.publish(release("1.0.0"));
  await using project = await tmpProject({ registry, git: false });
  using slow = registry.fault("wf", { kind: "slow", on: "packument", times: 1 });
  using wrong = registry.fault("wf", { kind: "wrong-integrity" });
  const adding = project.run(["bun", "add", "wf"]);
  await slow.reached;
  slow.release();
  expect(await adding).toMatchObject({ code: 1, stderr: expect.stringContaining("IntegrityCheckFailed") });
  expect([slow.hits, wrong.hits]).toEqual([1, 1]);
});
