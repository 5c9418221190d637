/** What cannot be done with a session, and what can. */
export class SessionError extends Error {
  override readonly name = "SessionError";
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
