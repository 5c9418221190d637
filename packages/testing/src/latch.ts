/** A promise that someone else settles: waiting for an event instead of for time. */
export interface Deferred {
  /** Settles when the latch is opened, at once if it already was. */
  readonly opened: Promise<void>;
  open(): void;
}

export function deferred(): Deferred {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
