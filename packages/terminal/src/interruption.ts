// Ctrl-C and its relatives: the command is asked to end and has a moment to leave everything in order. What it cannot
// finish, the next command repairs.
import { ExplainedError } from "@atomic/durable-files/explained-error";
import type { Console } from "./console.ts";
import { type Interrupt, signalCodes } from "./exit-codes.ts";

/** How long a command may take to end. A second Ctrl-C does not wait for it. */
const grace = 3000;

/** The command ended, or could not, because of a signal. */
export class Interrupted extends ExplainedError {
  override readonly name = "Interrupted";
  readonly #exitCode: number;

  constructor(interrupt: Interrupt) {
    super("interrupted", {
      message: "stopped before it finished",
      hint: "Nothing is left half changed: the next command cleans up. Run the command again to continue.",
    });
    this.#exitCode = signalCodes[interrupt];
  }

  override get exitCode(): number {
    return this.#exitCode;
  }
}

/**
 * Runs something that a signal can end. What is done in spite of the signal counts as done.
 *
 * @throws {Interrupted} if it ended because of the signal.
 */
export async function interruptible(
  { signals, clock }: Pick<Console, "signals" | "clock">,
  run: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const abort = new AbortController();
  return await new Promise((resolve, reject) => {
    let interrupt: Interrupt | undefined;
    const stopListening = signals.listen((received) => {
      if (interrupt !== undefined) {
        end(() => reject(new Interrupted(interrupt ?? received)));
        return;
      }
      interrupt = received;
      abort.abort(new Interrupted(received));
      clock.after(grace, () => end(() => reject(new Interrupted(received))));
    });
    const end = (settle: () => void): void => {
      stopListening();
      settle();
    };
    run(abort.signal).then(
      (code) => end(() => resolve(interrupt === undefined || code === 0 ? code : signalCodes[interrupt])),
      (error) => end(() => reject(interrupt === undefined ? error : new Interrupted(interrupt))),
    );
  });
}
