import type { Json } from "../../run/json.ts";
import { isHostMissing, recordError, StepFailedError } from "../../run/step-errors.ts";
import type { CriteriaLoopJson } from "../graph-json.ts";
import { jsonOf } from "../json-value.ts";
import type { CriteriaVerdict, JudgeRequest } from "../loop-decisions.ts";
import { present } from "../present.ts";
import { bounded, repeat } from "./repeat.ts";
import type { Scope } from "./scope.ts";

export async function runCriteriaLoop(scope: Scope, loop: CriteriaLoopJson, path: string): Promise<void> {
  const decisions = scope.services.criteriaLoop;
  if (decisions === undefined) throw new Error(`The graph has a criteria loop ("${path}"), but nobody to judge it.`);
  const { ctx, memory } = scope;
  const node = await bounded(scope, loop, path);
  const began = await ctx.step(`${path}:began`, () => Date.now(), { local: true });
  const usdBefore = memory.usd;
  let memo: Json = null;
  await repeat(scope, node, path, async (iteration, at) => {
    const happened = await happenedIn(scope, node, at);
    const verdict = (await ctx.step(at, async (info) => {
      const facts = { iteration, elapsedMs: Date.now() - began, usd: memory.usd - usdBefore, memo };
      return jsonOf(await decisions.judge({ loop: node, ...happened, ...facts }, info), `The verdict on "${node.id}"`);
    })) as CriteriaVerdict;
    if (verdict.do === "stop") return { iterations: iteration, stopped: verdict.reason, complete: verdict.complete };
    if (iteration === node.maxIterations) return { iterations: iteration, stopped: "max-iterations", complete: false };
    memo = verdict.memo;
    return undefined;
  });
}

/** An iteration that fails does not end the loop: the same failure again and again does. */
async function happenedIn(
  scope: Scope,
  { nodes }: CriteriaLoopJson,
  path: string,
): Promise<Pick<JudgeRequest, "text" | "failure">> {
  const { memory } = scope;
  memory.text = undefined;
  try {
    await scope.runNodes({ ...scope, prefix: `${path}/` }, nodes);
    return present({ text: memory.text });
  } catch (error) {
    if (!(error instanceof StepFailedError) || isHostMissing(error)) throw error;
    const failure = recordError(error);
    memory.error = failure;
    return { failure };
  }
}
