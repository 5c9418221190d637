/** The command line was understood, but the answer is no. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly hint: string | undefined;

  constructor(message: string, { hint, cause }: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
  }
}
