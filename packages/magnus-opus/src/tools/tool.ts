import type { Magnus } from "../live/magnus.ts";

/** As OpenCode shows it. `always`: what is not asked again. */
export interface Prompt {
  readonly permission: string;
  readonly patterns: readonly string[];
  readonly always: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** One call of a tool by a model. */
export interface Call {
  readonly id: string;
  readonly session: string;
  readonly agent: string;
  readonly abort: AbortSignal;
  /** Asks a person, if the rules say so. */
  ask(prompt: Prompt): unknown;
}

/** What a model is told of it stands in `words/tools/`. OpenCode does not check arguments: each does it for itself. */
export interface Tool {
  readonly name: string;
  readonly schema: object;
  run(magnus: Magnus, args: unknown, call: Call): Promise<string>;
}
