import { type BaseState, defineNode, type InnerNodes, type NodeDefinition } from "../node-definition.ts";
import { present } from "../present.ts";
import type { NodeOptions } from "./options.ts";

export type Condition<S> = (state: S) => boolean | Promise<boolean>;

export interface DecisionNodeConfig<S> extends NodeOptions {
  /** The first whose condition holds is taken. */
  readonly routes: readonly Route<S>[];
  /** Taken if none holds. Default: nothing. */
  readonly otherwise?: InnerNodes<S> | undefined;
}

interface Route<S> {
  /** Default: its number. */
  readonly label?: string | undefined;
  readonly when: Condition<S>;
  readonly nodes: InnerNodes<S>;
}

/**
 * Takes one of several ways. Which one is decided once and written down.
 *
 * @example
 * decisionNode({
 *   id: "verdict",
 *   routes: [{ label: "broken", when: (state) => state.failures > 0, nodes: agentNode({ agent: "debugger" }) }],
 *   otherwise: skillNode({ skill: "commit" }),
 * });
 */
export function decisionNode<S = BaseState>(config: DecisionNodeConfig<S>): NodeDefinition<S> {
  return defineNode(config.id, "decision", (id, assembler) => ({
    kind: "decision",
    id,
    ...present({ description: config.description }),
    routes: config.routes.map(({ label, when, nodes }, at) => ({
      label: label ?? String(at + 1),
      when: assembler.fn(id, `when.${at}`, when),
      nodes: assembler.nodes(nodes),
    })),
    otherwise: config.otherwise === undefined ? [] : assembler.nodes(config.otherwise),
  }));
}
