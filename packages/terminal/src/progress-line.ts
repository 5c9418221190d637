import type { Console, ConsoleTimers } from "./console.ts";
import type { Output } from "./process-output.ts";
import { safeLine } from "./safe-text.ts";
import { truncate } from "./width.ts";

/** What is quicker than this needs no line that comes and goes. */
const shownAfter = 200;
const frameTime = 80;
const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const clearLine = "\r\x1b[K";

/** A log keeps its lines, so it gets only those that explain a silence. */
const silence = 1000;

export interface ProgressLine {
  step(text: string): void;
  end(): void;
}

export interface ProgressOptions {
  readonly stderr: Output;
  readonly clock: ConsoleTimers;
  /** The line can be taken back again. */
  readonly canRedraw: boolean;
  /** It is not shown at all: with --json nothing but the document is written. */
  readonly isSilent?: boolean;
}

/** What takes longer than this shows that it is still at work. */
const longWork = 1000;

/** Shows that something is at work, if it takes long. Returns the way to take the line away. */
export function workLine(
  { clock, stderr, env }: Pick<Console, "clock" | "stderr" | "env">,
  isSilent: boolean,
  text: string,
): () => void {
  if (isSilent) return () => undefined;
  const progress = progressLine({ stderr, clock, canRedraw: stderr.isTTY && env.TERM !== "dumb" });
  const cancel = clock.after(longWork, () => progress.step(text));
  return () => {
    cancel();
    progress.end();
  };
}

/** On a terminal, one line that turns and is gone when the work is done; elsewhere, a line for every step that takes long. */
export function progressLine({ stderr, clock, canRedraw, isSilent = false }: ProgressOptions): ProgressLine {
  if (isSilent) return { step: () => undefined, end: () => undefined };
  let text = "";
  let frame = 0;
  let isShown = false;
  let cancel: (() => void) | undefined;
  const draw = (): void => {
    const columns = (stderr.columns ?? 80) - 1; // a full line would begin a new one
    stderr.write(clearLine + truncate(`${frames[frame % frames.length]} ${text}`, columns));
    isShown = true;
  };
  const turn = (): void => {
    draw();
    frame += 1;
    cancel = clock.after(frameTime, turn);
  };
  const end = (): void => {
    cancel?.();
    cancel = undefined;
    if (isShown) stderr.write(clearLine);
    isShown = false;
  };
  return {
    step: (next) => {
      text = safeLine(next);
      if (isShown) draw();
      else if (canRedraw) cancel ??= clock.after(shownAfter, turn);
      else {
        end();
        cancel = clock.after(silence, () => stderr.write(`${text}\n`));
      }
    },
    end,
  };
}
