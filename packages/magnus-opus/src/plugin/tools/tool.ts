import type { Call } from "../approval/ask-person.ts";
import type { Magnus } from "../live/magnus.ts";

/** Its description for the model is in `words/tools/`. OpenCode does not check arguments, so each tool does. */
export interface MagnusTool {
  readonly name: string;
  readonly schema: object;
  run(magnus: Magnus, args: unknown, call: Call): Promise<string>;
}
