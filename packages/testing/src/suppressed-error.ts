/**
 * When a test fails and a resource complains while it is disposed, too, the runtime throws a `SuppressedError` with both
 * inside and an empty message, and that is all that `bun test` shows. This gives it a message with both.
 */
if (typeof SuppressedError !== "undefined") {
  Object.defineProperty(SuppressedError.prototype, "message", {
    configurable: true,
    get(this: SuppressedError) {
      return `${describe(this.suppressed)}\n\nThen, while cleaning up:\n${describe(this.error)}`;
    },
  });
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [error.message, ...frames.slice(0, 3)].join("\n");
}
