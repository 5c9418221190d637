import { shown } from "@atomic/durable-files/safety/names";
import { findHiddenCharacters } from "@atomic/terminal/hidden-characters";
import { HugoError } from "../errors.ts";

const EXAMPLES = "Examples: @org/review, review@^2.0.0, github:org/review#v1.0.0, ./review.";

/** `problem` completes "The package spec … "; what is shown of the spec never contains a password. */
export function refuseSpec(spec: string, problem: string, hint: string = EXAMPLES): HugoError {
  return new HugoError("spec-invalid", { message: `The package spec ${shown(withoutSecrets(spec))} ${problem}`, hint });
}

/** Refuses what a reader would not see, in a spec or in what it decodes to. */
export function refuseUnprintable(spec: string, text: string = spec): void {
  if (text !== text.trim()) throw refuseSpec(spec, "starts or ends with a space");
  if (/\p{Cc}/u.test(text)) throw refuseSpec(spec, "contains a control character");
  const [hidden] = findHiddenCharacters(text);
  if (hidden === undefined) return;
  throw refuseSpec(spec, `contains an invisible character at position ${hidden.offset + 1}`, "Type it by hand.");
}

/** Rather too much is hidden than too little: people paste URLs with tokens, and errors end up in logs. */
function withoutSecrets(spec: string): string {
  const bare = spec.replace(/\/\/.*@/s, "//***@").replace(/\?.*/s, "?***");
  const isDone = /^(?:[a-z0-9+.-]+:\/\/\*\*\*@|github:|file:)/i.test(bare);
  return isDone ? bare : bare.replace(/^[^/@:]+:.*@/s, "***@");
}
