// How the tour prints what happens, and how Ctrl-C ends it.

/** Rejects when Ctrl-C is pressed, so everything the tour started is ended and removed on the way out. */
export const interrupted = new Promise<never>((_, reject) => {
  process.once("SIGINT", () => reject(new Interruption()));
});
// Between two steps, nothing awaits this promise.
interrupted.catch(() => undefined);

export class Interruption extends Error {
  override readonly message = "Stopped. The tour cleaned up everything it started.";
}

export function say(text: string): void {
  process.stdout.write(`\n${text}\n\n`);
}

/** One line for each step; on a terminal it is shown while the step runs. */
export async function step<T>(name: string, what: string, work: () => Promise<T>): Promise<T> {
  const label = name.padEnd(10);
  if (process.stdout.isTTY) process.stdout.write(`${label}${what} …`);
  const started = performance.now();
  const result = await Promise.race([work(), interrupted]);
  const line = `${label}${what} (${((performance.now() - started) / 1000).toFixed(1)} s)`;
  process.stdout.write(process.stdout.isTTY ? `\r\x1b[K${line}\n` : `${line}\n`);
  return result;
}
