/**
 * Resolves when `closed` does, or when no more output arrives: a process that outlives the one we started may keep its
 * output open for ever, but what had been written by then is there to be read.
 */
export async function lastOutput(received: () => number, closed: Promise<unknown>): Promise<void> {
  const isOpen = Symbol();
  for (let seen = -1; seen !== received(); ) {
    seen = received();
    if ((await Promise.race([closed, nextTurn(isOpen)])) !== isOpen) return;
  }
}

async function nextTurn<T>(value: T): Promise<T> {
  await new Promise((resolve) => setImmediate(resolve));
  return value;
}
