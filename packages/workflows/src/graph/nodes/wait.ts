import type { Json } from "../../run/json.ts";
import { type BaseState, defineNode, type NodeDefinition } from "../node-definition.ts";
import { present } from "../present.ts";
import { type ActingOptions, acting, type Made } from "./options.ts";

export interface WaitNodeConfig<S> extends ActingOptions<S> {
  /** What the person who answers gets to read. */
  readonly prompt: Made<S, string>;
  /** Whether to go on without asking; the answer is then `fallback`, or `true`. */
  readonly autoApprove?: Made<S, boolean> | undefined;
  readonly timeoutMs?: number | undefined;
  /** The answer if nobody answers in time. Without it, the node fails. */
  readonly fallback?: Json | undefined;
}

/**
 * Waits for a person, or a program: for days, if need be, and across restarts. The output is the answer.
 *
 * @example
 * waitNode({ id: "approval", prompt: "Ship it?", into: "approved" });
 */
export function waitNode<S = BaseState>(config: WaitNodeConfig<S>): NodeDefinition<S> {
  const { prompt, autoApprove, timeoutMs, fallback } = config;
  return defineNode(config.id, "wait", (id, assembler) => ({
    kind: "wait",
    ...acting(id, config, assembler),
    prompt: assembler.given<string>(id, "prompt", prompt),
    ...present({
      auto: autoApprove === undefined ? undefined : assembler.given<boolean>(id, "auto", autoApprove),
      timeoutMs,
      fallback,
    }),
  }));
}
