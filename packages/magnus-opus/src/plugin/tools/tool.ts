import type { Call } from "../approval/ask-person.ts";
import type { Magnus } from "../live/magnus.ts";

/** What a model is told of it stands in `words/tools/`. OpenCode does not check arguments: each does it for itself. */
export interface MagnusTool {
  readonly name: string;
  readonly schema: object;
  run(magnus: Magnus, args: unknown, call: Call): Promise<string>;
}
