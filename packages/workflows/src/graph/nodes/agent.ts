import type { AgentName } from "../entity-names.ts";
import { type BaseState, defineNode, type NodeDefinition } from "../node-definition.ts";
import { present } from "../present.ts";
import { idOf, type Made, type PromptingOptions, prompting } from "./options.ts";

export interface AgentNodeConfig<S> extends PromptingOptions<S> {
  /** An agent of the registry. Without one, the node says itself what the agent is. */
  readonly agent?: AgentName | undefined;
  readonly system?: Made<S, string> | undefined;
  /** Default: the input of the run. */
  readonly prompt?: Made<S, string> | undefined;
}

/**
 * Sends a prompt to an agent: one of the registry, or one described here. The output is its last message.
 *
 * @example
 * agentNode({ agent: "debugger", prompt: (state) => `Find out why ${state.input} fails.` });
 */
export function agentNode<S = BaseState>(config: AgentNodeConfig<S>): NodeDefinition<S> {
  const { agent, system, prompt } = config;
  return defineNode(config.id, agent === undefined ? "agent" : idOf("agent", agent), (id, assembler) => ({
    kind: "agent",
    ...prompting(id, config, assembler),
    ...present({
      agent,
      system: system === undefined ? undefined : assembler.given<string>(id, "system", system),
      prompt: prompt === undefined ? undefined : assembler.given<string>(id, "prompt", prompt),
    }),
  }));
}
