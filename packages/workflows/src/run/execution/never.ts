/** What a call gives when its run stops here: nobody goes on, nothing fails, and the memory is collected. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}
