// Random graphs. What must come out of them is in expected.ts.
import fc from "fast-check";
import { agentNode, toolNode, waitNode } from "../../src/graph/action-nodes.ts";
import { type GraphBuilder, graph } from "../../src/graph/builder.ts";
import { decisionNode, loopNode, parallelNode, tryNode } from "../../src/graph/control-nodes.ts";
import { mapNode } from "../../src/graph/map-node.ts";
import type { NodeDefinition } from "../../src/graph/node-definition.ts";
import { append, max, merge, reduced, type StateOf, sum } from "../../src/graph/state.ts";
import { subgraphNode } from "../../src/graph/subgraph-node.ts";

export type Plan =
  | {
      readonly kind: "work";
      readonly add: number;
      readonly mode: "ok" | "flaky" | "broken";
      readonly onError?: Handler;
    }
  | { readonly kind: "agent"; readonly words: string; readonly session: string | undefined }
  | { readonly kind: "ask"; readonly auto: boolean }
  | { readonly kind: "if"; readonly above: number; readonly yes: Plans; readonly otherwise: Plans }
  | { readonly kind: "all"; readonly branches: readonly Plans[]; readonly limit: number | undefined }
  | {
      readonly kind: "each";
      readonly items: readonly number[];
      readonly body: Plans;
      readonly limit: number | undefined;
    }
  /** All but the one at `lucky` fail in the end. */
  | { readonly kind: "any"; readonly branches: readonly Plans[]; readonly lucky: number }
  | { readonly kind: "loop"; readonly body: Plans; readonly times: number; readonly max: number }
  | { readonly kind: "try"; readonly body: Plans; readonly handler: Plans }
  | { readonly kind: "inside"; readonly body: Plans };
export type Plans = readonly Plan[];
type Handler = "continue" | Plans;

const state = () => ({
  n: sum(),
  log: append<string>(),
  seen: merge<Record<string, number>>({}),
  top: max(0),
  /** A reducer of our own whose order shows. */
  text: reduced("", (current, update) => `(${current}${update})`),
});
export type PlanState = StateOf<ReturnType<typeof state>>;

const { plans } = fc.letrec<{ plans: Plans; plan: Plan; handler: Handler }>((tie) => ({
  plans: fc.array(tie("plan"), { minLength: 1, maxLength: 3, depthIdentifier: "plan" }),
  handler: fc.oneof(fc.constant("continue" as const), tie("plans")),
  plan: fc.oneof(
    { depthIdentifier: "plan", depthSize: "small", withCrossShrink: true },
    fc.record(
      {
        kind: fc.constant("work" as const),
        add: fc.integer({ min: -3, max: 5 }),
        mode: fc.constantFrom("ok", "ok", "ok", "flaky", "broken"),
        onError: tie("handler"),
      },
      { requiredKeys: ["kind", "add", "mode"] },
    ),
    fc.record({
      kind: fc.constant("agent" as const),
      words: fc.string({ maxLength: 8 }),
      session: fc.constantFrom(undefined, "main"),
    }),
    fc.record({ kind: fc.constant("ask" as const), auto: fc.boolean() }),
    fc.record({
      kind: fc.constant("if" as const),
      above: fc.integer({ min: -3, max: 8 }),
      yes: tie("plans"),
      otherwise: fc.oneof(fc.constant([]), tie("plans")),
    }),
    fc.record({
      kind: fc.constant("all" as const),
      branches: fc.array(tie("plans"), { minLength: 1, maxLength: 3 }),
      limit: fc.constantFrom(undefined, 1, 2),
    }),
    fc.record({
      kind: fc.constant("each" as const),
      items: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
      body: tie("plans"),
      limit: fc.constantFrom(undefined, 1, 2),
    }),
    fc.record({
      kind: fc.constant("any" as const),
      branches: fc.array(tie("plans"), { minLength: 1, maxLength: 3 }),
      lucky: fc.nat({ max: 2 }),
    }),
    fc.record({
      kind: fc.constant("loop" as const),
      body: tie("plans"),
      times: fc.integer({ min: 1, max: 4 }),
      max: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({ kind: fc.constant("try" as const), body: tie("plans"), handler: tie("plans") }),
    fc.record({ kind: fc.constant("inside" as const), body: tie("plans") }),
  ),
}));
export const anyPlans: fc.Arbitrary<Plans> = plans;

export function builderOf(plan: Plans): GraphBuilder<PlanState> {
  return graph({ name: "random", state: state() }).start(new Builder().nodes(plan, false));
}

/** Numbers nodes in the order in which the builder meets them; the expectation below does the same. */
class Builder {
  #count = 0;

  /** Inside branches no session is named: two at a time must not speak in one. */
  nodes(plan: Plans, isBranch: boolean): NodeDefinition<PlanState>[] {
    return plan.map((each) => this.#node(each, `x${this.#count++}`, isBranch));
  }

  #node(plan: Plan, id: string, isBranch: boolean): NodeDefinition<PlanState> {
    switch (plan.kind) {
      case "work":
        return work(
          id,
          plan.add,
          plan.mode,
          plan.onError === undefined || plan.onError === "continue" ? plan.onError : this.nodes(plan.onError, isBranch),
        );
      case "agent":
        return agentNode<PlanState>({
          id,
          prompt: ({ n }) => `${n} ${plan.words}`,
          session: isBranch ? undefined : plan.session,
          into: "log",
        });
      case "ask":
        return waitNode<PlanState>({
          id,
          prompt: "?",
          autoApprove: ({ n }) => plan.auto || n > 3,
          timeoutMs: 1,
          fallback: false,
          output: () => ({ log: [id] }),
        });
      case "if":
        return decisionNode<PlanState>({
          id,
          routes: [{ when: ({ n }) => n > plan.above, nodes: this.nodes(plan.yes, isBranch) }],
          otherwise: this.nodes(plan.otherwise, isBranch),
        });
      case "all":
        return parallelNode<PlanState>({
          id,
          branches: plan.branches.map((each) => this.nodes(each, true)),
          limit: plan.limit,
        });
      case "each":
        return mapNode<PlanState, number, string>({
          id,
          over: () => plan.items,
          // Maps may contain maps, and their items need names of their own.
          as: `item_${id}`,
          nodes: this.nodes(plan.body, true),
          limit: plan.limit,
        });
      case "any":
        return parallelNode<PlanState>({
          id,
          strategy: "any",
          branches: plan.branches.map((each, at) => [
            ...this.nodes(each, true),
            ...(at === luckyOf(plan) ? [] : [work(`x${this.#count++}`, 0, "broken")]),
          ]),
        });
      case "loop":
        return loopNode<PlanState>(this.nodes(plan.body, isBranch), {
          id,
          until: ({ iteration }) => iteration === plan.times,
          maxIterations: plan.max,
        });
      case "try":
        return tryNode(this.nodes(plan.body, isBranch), this.nodes(plan.handler, isBranch));
      case "inside":
        return subgraphNode<PlanState>({
          id,
          graph: graph({ name: "inside", state: state() }).start(new Builder().nodes(plan.body, isBranch)).toGraph(),
          input: ({ n }) => ({ n }),
          output: (result) => ({ log: (result as unknown as PlanState).log, n: 1 }),
        });
    }
  }
}

function work(
  id: string,
  add: number,
  mode: "ok" | "flaky" | "broken",
  onError?: "continue" | NodeDefinition<PlanState>[],
): NodeDefinition<PlanState> {
  return toolNode<PlanState>({
    id,
    run: ({ n }, { attempt }) => {
      if (mode === "broken" || (mode === "flaky" && attempt === 1)) throw new Error("broken");
      return `${id}:${n}`;
    },
    output: (text) => ({ n: add, log: [String(text)], seen: { [id]: add }, top: add, text: id }),
    retry: { maxAttempts: 2, backoffMs: 0 },
    onError,
  });
}

/** Which branch of an `any` it is that does not fail in the end. */
export function luckyOf({
  branches,
  lucky,
}: {
  readonly branches: readonly unknown[];
  readonly lucky: number;
}): number {
  return lucky % branches.length;
}
