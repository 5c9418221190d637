/** The command line cannot be understood. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly hint: string;

  constructor(message: string, { hint }: { readonly hint: string }) {
    super(message);
    this.hint = hint;
  }
}
