import type { Diagnostic } from "../../diagnostic.ts";

/** A link that Hugo did not make. */
export function leadsOut(path: string): Diagnostic {
  const message = "This link leads out of the installed package that it lies in, so it is not followed.";
  return { severity: "error", code: "hugo-link-outside", message, path, hint: "Run `hugo verify`." };
}
