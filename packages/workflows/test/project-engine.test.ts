import { expect, test } from "bun:test";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { projectEngine } from "../src/project-engine.ts";

test("a question of a restarted node can be answered again", async () => {
  await using folder = await temporaryFolder();
  const engine = projectEngine(folder.path, {
    interpret: async (ctx) => {
      const answer = await ctx.wait<string>("ask");
      return answer.ok ? answer.value : null;
    },
  });
  await engine.start({ runId: "run", graph: null, input: null });
  const first = await engine.run("run");
  for await (const { type } of first) if (type === "wait-started") break;
  await first.release();
  expect(await engine.signal("run", "ask", "no")).toBe("kept");
  await engine.revise("run", { workspace: null, restart: { graph: null, from: "ask", keep: [] } });
  expect(await engine.signal("run", "ask", "yes")).toBe("kept");
  expect(await (await engine.run("run")).ended).toMatchObject({ kind: "done", result: { value: "yes" } });
});
