// A worker of the storm: `storm-worker.ts <url> <effects>`. Each effect is a line with its idempotency key.
import { appendFileSync } from "node:fs";
import type { RunCtx } from "@atomic/workflows/internal/run/run-ctx";
import { postgresEngine } from "../../src/postgres-engine.ts";

const [url = "", effects = ""] = process.argv.slice(2);

const effect = async ({ idemKey }: { readonly idemKey: string }): Promise<string> => {
  appendFileSync(effects, `begin ${idemKey}\n`);
  await new Promise((resolve) => setTimeout(resolve, 20));
  appendFileSync(effects, `end ${idemKey}\n`);
  return idemKey;
};

const engine = await postgresEngine(url, {
  pollMs: 200,
  interpret: async (ctx) => {
    const branch = (index: number) => async (own: RunCtx) => [
      await own.step(`fan.${index}/a`, effect),
      await own.step(`fan.${index}/b`, effect),
    ];
    const start = await ctx.step("start", effect);
    const fan = await ctx.fork("fan", [branch(0), branch(1)], "all");
    const answer = await ctx.wait<string>("ask");
    return [start, fan, answer.ok ? answer.value : null, await ctx.step("end", effect)];
  },
});
await engine.work({ concurrency: 12 });
console.log("ready");
