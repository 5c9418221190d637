import type { CommandName } from "../entity-names.ts";
import { type BaseState, defineNode, type NodeDefinition } from "../node-definition.ts";
import { present } from "../present.ts";
import { idOf, type Made, type PromptingOptions, prompting } from "./options.ts";

export interface CommandNodeConfig<S> extends PromptingOptions<S> {
  readonly command: CommandName;
  /** What a user would type after its name. */
  readonly args?: Made<S, string> | undefined;
}

/**
 * Runs a command of the registry as if its user had typed it. The output is the last message.
 *
 * @example
 * commandNode({ command: "review", args: "src/" });
 */
export function commandNode<S = BaseState>(config: CommandNodeConfig<S>): NodeDefinition<S> {
  const { command, args } = config;
  return defineNode(config.id, idOf("command", command), (id, assembler) => ({
    kind: "command",
    ...prompting(id, config, assembler),
    command,
    ...present({ args: args === undefined ? undefined : assembler.given<string>(id, "args", args) }),
  }));
}
