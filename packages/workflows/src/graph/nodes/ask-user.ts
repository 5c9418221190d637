import type { Json } from "../../run/json.ts";
import { type BaseState, defineNode, type NodeDefinition } from "../node-definition.ts";
import { present } from "../present.ts";
import { type ActingOptions, acting, type Made } from "./options.ts";

export interface AskUserNodeConfig<S> extends ActingOptions<S> {
  readonly question: Made<S, string>;
  /** One or two words above the question. */
  readonly header?: string | undefined;
  readonly options?: readonly { readonly label: string; readonly description?: string }[] | undefined;
  /** Whether several options may be chosen. */
  readonly multiple?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
  /** The answer if nobody answers in time. Without it, the node fails. */
  readonly fallback?: Json | undefined;
}

/**
 * Asks a person a question, with options to choose from. The output is the answer.
 *
 * @example
 * askUserNode({ question: "Which database?", options: [{ label: "SQLite" }, { label: "Postgres" }], into: "database" });
 */
export function askUserNode<S = BaseState>(config: AskUserNodeConfig<S>): NodeDefinition<S> {
  const { question, header, options, multiple, timeoutMs, fallback } = config;
  return defineNode(config.id, "ask-user", (id, assembler) => ({
    kind: "ask-user",
    ...acting(id, config, assembler),
    question: assembler.given<string>(id, "question", question),
    ...present({ header, options, multiple, timeoutMs, fallback }),
  }));
}
