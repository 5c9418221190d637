import { expect, setDefaultTimeout, test } from "bun:test";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { embeddedEngine } from "../../src/run/embedded/embedded-engine.ts";

setDefaultTimeout(180_000);

const engineModule = JSON.stringify(import.meta.resolve("../../src/run/embedded/embedded-engine.ts"));

/** A process that does one thing with an engine on the folder and prints what came of it. */
function spawnClient(folder: string, what: string): Promise<string> {
  const program = `
    import { embeddedEngine } from ${engineModule};
    const engine = embeddedEngine(${JSON.stringify(folder)}, { interpret: async (ctx, { input }) => input });
    console.log(await (${what}));`;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "pipe" });
  return child.exited.then(async (code) =>
    code === 0 ? (await child.stdout.text()).trim() : await child.stderr.text(),
  );
}

test("exactly one of many processes' signals is kept, and it counts", async () => {
  await using folder = await temporaryFolder();
  const engine = embeddedEngine(folder.path, {
    interpret: async (ctx) => {
      const answer = await ctx.wait("approve");
      await ctx.wait("all have spoken"); // a run that is over takes no signals
      return answer.ok ? answer.value : null;
    },
  });
  await engine.start({ runId: "run", graph: null, input: null });
  const run = await engine.run("run");
  const said = await Promise.all(
    [1, 2, 3, 4].map((who) => spawnClient(folder.path, `engine.signal("run", "approve", ${who})`)),
  );
  await engine.signal("run", "all have spoken", null);
  expect(said.filter((each) => each === "kept")).toHaveLength(1);
  expect(said.filter((each) => each === "ignored")).toHaveLength(3);
  expect(await run.ended).toMatchObject({ kind: "done", result: { value: said.indexOf("kept") + 1 } });
});

test("when many processes start the same run, one creates it and none fails", async () => {
  await using folder = await temporaryFolder();
  const said = await Promise.all(
    [1, 2, 3, 4].map((who) => spawnClient(folder.path, `engine.start({ runId: "run", graph: null, input: ${who} })`)),
  );
  expect(said.toSorted()).toEqual(["exists", "exists", "exists", "started"]);
  const engine = embeddedEngine(folder.path, { interpret: async (_ctx, { input }) => input });
  const { records, input } = await engine.state("run");
  expect(records).toBe(1);
  expect(await (await engine.run("run")).ended).toMatchObject({ result: { value: input } });
});

test("a budget that another process raises applies to a running run", async () => {
  await using folder = await temporaryFolder();
  const engine = embeddedEngine(folder.path, {
    interpret: async (ctx) => {
      await ctx.step("one", () => null);
      await ctx.wait("raised");
      return await ctx.step("two", () => "two");
    },
  });
  await engine.start({ runId: "run", graph: null, input: null, budget: { steps: 1 } });
  const run = await engine.run("run");
  const said = await spawnClient(
    folder.path,
    `engine.raise("run", { steps: 5 }).then(() => engine.signal("run", "raised", null))`,
  );
  expect(said).toBe("kept");
  expect(await run.ended).toMatchObject({ kind: "done", result: { value: "two" } });
  const { budget, inbox } = await engine.state("run");
  expect({ budget, inbox }).toEqual({ budget: { steps: 5 }, inbox: 2 });
});
