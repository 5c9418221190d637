import { type BaseState, defineNode, type NodeDefinition } from "../node-definition.ts";
import { present } from "../present.ts";
import type { NodeOptions } from "./options.ts";

export interface ClearContextNodeConfig extends NodeOptions {
  /** Which session is forgotten. Default: all. */
  readonly session?: string | undefined;
}

/** Forgets sessions: the next node that names one of them begins a new conversation. */
export function clearContextNode<S = BaseState>(config: ClearContextNodeConfig = {}): NodeDefinition<S> {
  const { description, session } = config;
  return defineNode(config.id, "clear-context", (id) => ({
    kind: "clear-context",
    id,
    ...present({ description, session }),
  }));
}
