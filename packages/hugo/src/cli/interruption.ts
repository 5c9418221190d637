// Ctrl-C and its relatives: the operation is asked to end and has a moment to leave everything in order. Whatever it
// cannot, the next command repairs.
import type { Console, Interrupt } from "./console.ts";

/** Shells know a program that a signal has ended by 128 and the signal's number. */
const interruptCodes: Readonly<Record<Interrupt, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

/** How long an operation may take to end. A second Ctrl-C does not wait for it. */
const grace = 3000;

/** The operation ended, or could not, because of a signal. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly exitCode: number;

  constructor(interrupt: Interrupt) {
    super("stopped");
    this.exitCode = interruptCodes[interrupt];
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
      (code) => end(() => resolve(interrupt === undefined || code === 0 ? code : interruptCodes[interrupt])),
      (error) => end(() => reject(interrupt === undefined ? error : new Interrupted(interrupt))),
    );
  });
}
