/** The command line cannot be understood. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "usage";
  readonly hint: string;

  constructor(message: string, { hint }: { readonly hint: string }) {
    super(message);
    this.hint = hint;
  }
}

/** `Run `hugo list --help` …`, for whatever is wrong with a command. */
export function seeHelp(command?: string): { readonly hint: string } {
  return { hint: `Run \`hugo ${command === undefined ? "" : `${command} `}--help\` to see what there is.` };
}
