import type { PromptSession } from "./enter-line.ts";

/** What takes longer is announced. */
export const slowMs = 500;

/** Shows the message while something takes long. */
export async function sayIfSlow<Result>(
  session: Pick<PromptSession, "showWaiting">,
  message: string,
  result: Promise<Result>,
): Promise<Result> {
  let hide: (() => void) | undefined;
  const slow = setTimeout(() => {
    hide = session.showWaiting(message);
  }, slowMs);
  try {
    return await result;
  } finally {
    clearTimeout(slow);
    hide?.();
  }
}
