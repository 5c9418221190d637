// A process that starts a run, or resumes it, and works on it until its end: `run-to-end.ts <folder> <effects>`.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { embeddedEngine } from "../../../src/run/embedded/embedded-engine.ts";
import type { Json } from "../../../src/run/json.ts";
import type { RunCtx, StepInfo } from "../../../src/run/run-ctx.ts";

const [folder = "", effects = ""] = process.argv.slice(2);

/** Something in the world that is done once for every idempotency key. */
function effect({ idemKey }: StepInfo): Json {
  const done = readFileSync(effects, "utf8").split("\n");
  if (!done.includes(idemKey)) appendFileSync(effects, `${idemKey}\n`);
  return idemKey;
}

const engine = embeddedEngine(join(folder, "runs"), {
  limits: { inlineBytes: 200 },
  interpret: async (ctx) => {
    const branch = (index: number) => async (own: RunCtx) => {
      await own.step(`fan.${index}/a`, effect);
      return await own.step(`fan.${index}/b`, effect);
    };
    const fan = await ctx.fork("fan", [branch(0), branch(1)], "all");
    const answer = await ctx.wait("approve");
    await ctx.step("asked", async (info) => [effect(info), await info.ask("Sure?")]);
    const long = await ctx.step("long", (info) => [effect(info), "x".repeat(500)]);
    return [fan, answer.ok ? answer.value : null, long];
  },
});
await engine.start({ runId: "run", graph: { name: "swept" }, input: null });
const { kind } = await engine.status("run");
if (kind !== "done") for (const key of ["approve", "asked?1"]) await engine.signal("run", key, "yes");
const run = await engine.run("run");
const status = await run.ended;
console.log(JSON.stringify(status));
process.exit(status.kind === "done" ? 0 : 1);
