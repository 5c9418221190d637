// A graph as data and an interpreter for it, small enough to be read at a glance: what the engines are tested with.
import type { Interpret } from "../../src/run/engine.ts";
import type { Join } from "../../src/run/events.ts";
import type { Json } from "../../src/run/json.ts";
import type { RunCtx, StepInfo, StepOptions } from "../../src/run/run-ctx.ts";

export type Toy =
  | { readonly step: string; readonly options?: StepOptions; readonly asks?: number; readonly bytes?: number }
  | { readonly wait: string; readonly timeoutMs?: number }
  | { readonly sleep: string; readonly ms: number }
  | { readonly loop: string; readonly times: number; readonly body: readonly Toy[] }
  | { readonly fork: string; readonly branches: readonly (readonly Toy[])[]; readonly join?: Join };

/** What a step does, and where that can be seen. */
export type Effect = (key: string, info: StepInfo) => Promise<Json> | Json;

export function toyInterpreter(effect: Effect): Interpret {
  return async (ctx, { graph }) => await runAll(ctx, "", graph as unknown as readonly Toy[], effect);
}

export function asGraph(toys: readonly Toy[]): Json {
  return JSON.parse(JSON.stringify(toys)) as Json;
}

async function runAll(ctx: RunCtx, path: string, toys: readonly Toy[], effect: Effect): Promise<Json[]> {
  const results: Json[] = [];
  for (const toy of toys) results.push(await runOne(ctx, path, toy, effect));
  return results;
}

async function runOne(ctx: RunCtx, path: string, toy: Toy, effect: Effect): Promise<Json> {
  if ("step" in toy) {
    const key = path + toy.step;
    return await ctx.step(key, async (info) => await askThenDo(key, toy, info, effect), toy.options);
  }
  if ("wait" in toy) {
    const { timeoutMs } = toy;
    const answer = await ctx.wait(path + toy.wait, timeoutMs === undefined ? {} : { timeoutMs });
    return answer.ok ? answer.value : "timed out";
  }
  if ("sleep" in toy) {
    await ctx.sleep(path + toy.sleep, toy.ms);
    return "slept";
  }
  if ("loop" in toy) {
    const turns: Json[] = [];
    for (let turn = 1; turn <= toy.times; turn++) {
      turns.push(await runAll(ctx, `${path}${toy.loop}#${turn}/`, toy.body, effect));
    }
    return turns;
  }
  const key = path + toy.fork;
  const branches = toy.branches.map(
    (branch, index) => (own: RunCtx) => runAll(own, `${key}.${index}/`, branch, effect),
  );
  return await ctx.fork(key, branches, toy.join ?? "all");
}

async function askThenDo(
  key: string,
  { asks: questions = 0, bytes }: { readonly asks?: number; readonly bytes?: number },
  info: StepInfo,
  effect: Effect,
): Promise<Json> {
  const answers: Json[] = [];
  for (let question = 1; question <= questions; question++) answers.push(await info.ask({ of: key, question }));
  const did = await effect(key, info);
  if (bytes !== undefined) return "x".repeat(bytes);
  return questions === 0 ? did : [did, ...answers];
}
