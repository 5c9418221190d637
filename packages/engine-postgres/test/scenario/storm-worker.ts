// A worker of the storm: `storm-worker.ts <url> <service>`. Each effect is a request with its idempotency key.
import type { RunCtx } from "@atomic/workflows/internal/run/run-ctx";
import { postgresEngine } from "../../src/postgres-engine.ts";

const [url = "", service = ""] = process.argv.slice(2);

const headers = { "x-worker": String(process.pid) };

const effect = async ({ idemKey }: { readonly idemKey: string }): Promise<string> =>
  await (await fetch(service, { method: "POST", body: idemKey, headers })).text();

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
