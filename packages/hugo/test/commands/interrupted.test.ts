// Ctrl-C while Hugo waits for another process: it ends at once and leaves nothing behind.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { watch, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lock } from "@atomic/durable-files/lock/lock";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { changesMade, countChange } from "../../src/workspace/changes-made.ts";
import { whatChanged } from "../../src/workspace/what-changed.ts";
import { bundleHugo, hugoBin } from "../cli/programs.ts";
import { agent, copy, plugin } from "./hugo-project.ts";

setDefaultTimeout(180_000);
beforeAll(bundleHugo);

const stopped = /^hugo: stopped before it finished\n/m;

/** What Hugo puts into the folder for temporary files is its own to remove. */
function leftovers({ env }: Project): string[] {
  return readdirSync(env.TMPDIR ?? "")
    .filter((name) => name.startsWith("hugo"))
    .sort();
}

/** Waits until another process has announced that it waits for the lock. */
async function announced(stateFolder: string): Promise<void> {
  const isSaid = (name: string | null): boolean => name?.startsWith("waiting-") === true;
  const done = new AbortController();
  const changes = watch(stateFolder, { signal: done.signal });
  if (!readdirSync(stateFolder).some(isSaid)) for await (const { filename } of changes) if (isSaid(filename)) break;
  done.abort();
}

test.each([
  ["install", "packument"],
  ["install", "tarball"],
  ["info", "packument"],
] as const)("an interrupted %s ends while the registry holds its %s back", async (command, on) => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"));
  using slow = registry.fault("@org/review", { kind: "slow", on });
  await using project = await tmpProject({ registry, files: { "opencode.json": {} } });
  const before = await project.tree();
  const hugo = await project.start(["node", hugoBin, command, "@org/review"]);
  await slow.reached;
  process.kill(hugo.pid, "SIGINT");
  expect(await hugo.end(30_000)).toEqual({ code: 130, signal: null });
  expect(hugo.stderr).toMatch(stopped);
  expect(await project.tree()).toEqual(before);
  expect(leftovers(project)).toEqual([]);
});

test("what a killed install was fetching is removed by the next one, and a living one keeps its own", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"), copy("1.0.0", { "agents/writer.md": "Write.\n" }));
  await using project = await tmpProject({ registry, files: { "opencode.json": {} } });
  const start = async (): Promise<Awaited<ReturnType<Project["start"]>>> => {
    const slow = registry.fault("@org/review", { kind: "slow", on: "tarball", times: 1 });
    const hugo = await project.start(["node", hugoBin, "install", "@org/review"]);
    await slow.reached;
    return hugo;
  };
  const killed = await start();
  process.kill(killed.pid, "SIGKILL");
  await killed.end(30_000);
  const [abandoned, ...others] = leftovers(project);
  expect({ abandoned, others }).toEqual({ abandoned: expect.stringContaining(`-${killed.pid}-`), others: [] });
  const living = await start();
  expect(leftovers(project)).toEqual([expect.stringContaining(`-${living.pid}-`)]);
  // Names that contain no owner, or one that is unknown on this machine.
  const strange = ["hugo-notes", "hugo-00000000-none-none-1-none-abcdef", `${abandoned}.txt`];
  for (const name of strange.slice(0, 2)) mkdirSync(join(project.env.TMPDIR ?? "", name));
  await writeFile(join(project.env.TMPDIR ?? "", strange[2] ?? ""), "");
  const before = leftovers(project);
  expect(await project.run(["node", hugoBin, "install", "@org/notes", "--yes"])).toMatchObject({ code: 0 });
  expect(leftovers(project)).toEqual(before);
  process.kill(living.pid, "SIGINT");
  await living.end(30_000);
  expect(leftovers(project)).toEqual(strange.toSorted());
});

test("an interrupted command says what it has changed", async () => {
  await using project = await tmpProject();
  const where = { cwd: project.dir, home: project.home, env: project.env };
  const before = changesMade();
  expect(whatChanged(where, before)).toBe("Nothing was changed.");
  countChange();
  expect(whatChanged(where, before)).toBe("The change itself was completed.");
  await project.write(".opencode/.hugo/transaction.commit", "");
  expect(whatChanged(where, before)).toBe("A change is half-done. The next `hugo` command finishes or undoes it.");
});

test("an interrupted update does not continue with another workflow", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"), copy("1.0.0", { "agents/writer.md": "Write.\n" }));
  await using project = await tmpProject({ registry });
  const installed = await project.run(["node", hugoBin, "install", "@org/notes", "@org/review", "--yes"]);
  expect(installed).toMatchObject({ code: 0 });
  const state = async () => {
    const paths = (await project.tree()).filter((path) => !path.startsWith(".opencode/.hugo/lock/"));
    return [paths, await project.read(".opencode/hugo.json")];
  };
  const before = await state();
  const asked = registry.requests.length;
  using slow = registry.fault("@org/notes", { kind: "slow" });
  const hugo = await project.start(["node", hugoBin, "update"]);
  await slow.reached;
  process.kill(hugo.pid, "SIGINT");
  expect(await hugo.end(30_000)).toEqual({ code: 130, signal: null });
  expect(await state()).toEqual(before);
  expect(registry.requests.slice(asked).map(({ path }) => path)).toEqual(["/@org/notes"]);
});

test.each(["install", "undo", "remove"] as const)(
  "an interrupted %s ends while another Hugo is running",
  async (command) => {
    await using project = await tmpProject();
    const state = project.path(".opencode/.hugo");
    await project.write("review/agents/reviewer.md", agent("Reviews."));
    const held = await lock(state, { purpose: "another one" });
    const before = await project.tree();
    // Hugo fetches and asks before it needs the lock.
    const words = { undo: ["undo"], remove: ["remove", "review"], install: ["install", "./review", "--yes"] }[command];
    const hugo = await project.start(["node", hugoBin, ...words]);
    await announced(state);
    process.kill(hugo.pid, "SIGINT");
    expect(await hugo.end(30_000)).toEqual({ code: 130, signal: null });
    expect(hugo.stderr).toMatch(stopped);
    expect(await project.tree()).toEqual(before);
    held.release();
  },
);
