// How the tour tells what happens, and how it ends when somebody has seen enough.

/** Rejects when Ctrl-C is pressed, so that what the tour started is ended and removed on the way out. */
export const interrupted = new Promise<never>((_, reject) => {
  process.once("SIGINT", () => reject(new Interruption()));
});
// Between two steps nobody listens.
interrupted.catch(() => undefined);

export class Interruption extends Error {
  override readonly message = "Stopped; what the tour had started is gone.";
}

export function say(text: string): void {
  process.stdout.write(`\n${text}\n\n`);
}

/** One line for each thing that happens; on a terminal the line is there while it happens. */
export async function step<T>(name: string, what: string, work: () => Promise<T>): Promise<T> {
  const label = name.padEnd(10);
  if (process.stdout.isTTY) process.stdout.write(`${label}${what} …`);
  const started = performance.now();
  const result = await Promise.race([work(), interrupted]);
  const line = `${label}${what} (${((performance.now() - started) / 1000).toFixed(1)} s)`;
  process.stdout.write(process.stdout.isTTY ? `\r\x1b[K${line}\n` : `${line}\n`);
  return result;
}
