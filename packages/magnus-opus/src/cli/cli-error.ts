/** The command line cannot be understood. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** The answer is no: nothing was recorded, and this is why. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
