import type { SkillName } from "../entity-names.ts";
import { type BaseState, defineNode, type NodeDefinition } from "../node-definition.ts";
import { present } from "../present.ts";
import { idOf, type Made, type PromptingOptions, prompting } from "./options.ts";

export interface SkillNodeConfig<S> extends PromptingOptions<S> {
  readonly skill: SkillName;
  /** What a user would type after its name. */
  readonly args?: Made<S, string> | undefined;
}

/**
 * Runs a skill of the registry, with arguments expanded as its own tool expands them. The output is the last message.
 *
 * @example
 * skillNode({ skill: "commit", args: (state) => `--scope ${state.scope}` });
 */
export function skillNode<S = BaseState>(config: SkillNodeConfig<S>): NodeDefinition<S> {
  const { skill, args } = config;
  return defineNode(config.id, idOf("skill", skill), (id, assembler) => ({
    kind: "skill",
    ...prompting(id, config, assembler),
    skill,
    ...present({ args: args === undefined ? undefined : assembler.given<string>(id, "args", args) }),
  }));
}
