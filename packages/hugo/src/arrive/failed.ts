import type { ExitCode, HugoError, HugoErrorCode } from "../errors.ts";

/** Why nothing was done about one of several workflows. */
export interface Failed {
  readonly name: string;
  readonly code: HugoErrorCode;
  readonly message: string;
  readonly at?: string;
  readonly hint: string;
  readonly exitCode: ExitCode;
}

export function failureOf(name: string, { code, message, at, hint, exitCode }: HugoError): Failed {
  return { name, code, message, ...(at !== undefined && { at }), hint, exitCode };
}

/** The reason if there is only one, else that not all is well. */
export function exitCodeOf(failed: readonly Failed[]): ExitCode {
  const codes = new Set(failed.map(({ exitCode }) => exitCode));
  const [only = 0] = codes;
  return codes.size > 1 ? 1 : only;
}
