import type { MagnusState } from "../../run/state.ts";
import type { Call } from "../approval/ask-person.ts";
import type { Magnus } from "../live/magnus.ts";

/** Its description for the model is in `words/tools/`. OpenCode does not check arguments, so each tool does. */
export interface MagnusTool {
  readonly name: string;
  readonly schema: object;
  /** What OpenCode shows of a finished call. `state`: of the session's run, if there is one. */
  title(state: MagnusState | undefined, args: unknown, magnus: Magnus): string;
  run(magnus: Magnus, args: unknown, call: Call): Promise<string>;
}
