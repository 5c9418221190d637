import type { Json } from "../json.ts";
import { PermanentError, recordError } from "../step-errors.ts";
import { plainCopy } from "./plain-copy.ts";

export interface ResultLimits {
  /** Longer results go into a file of their own. Default 16 KiB. */
  readonly inlineBytes: number;
  /** Longer results are refused. Default 16 MiB. */
  readonly maxBytes: number;
}

export const defaultLimits: ResultLimits = { inlineBytes: 16 * 1024, maxBytes: 16 * 1024 * 1024 };

/** The value as it will be after a crash, so that nobody depends on what the journal cannot keep. */
export type Encoded = { readonly value: Json; readonly text: string | undefined };

/** `text` only if the value is too long for a record. Throws if it is no JSON, or longer than is allowed. */
export function encode(value: unknown, limits: ResultLimits, what = "result"): Encoded {
  if (value === undefined || value === null) return { value: null, text: undefined };
  // JSON has no -0: added to 0 it is 0.
  if (typeof value === "number" && Number.isFinite(value)) return { value: value + 0, text: undefined };
  if (typeof value === "boolean") return { value, text: undefined };
  const copied = plainCopy(value, limits.inlineBytes);
  if (copied !== undefined) return { value: copied.value, text: undefined };
  const text = stringify(value, what);
  const kept = typeof value === "string" ? value : (JSON.parse(text) as Json);
  // A character takes at most three bytes.
  if (text.length * 3 <= limits.inlineBytes) return { value: kept, text: undefined };
  const bytes = Buffer.byteLength(text);
  if (bytes <= limits.inlineBytes) return { value: kept, text: undefined };
  if (bytes <= limits.maxBytes) return { value: kept, text };
  throw new PermanentError(`the ${what} has ${bytes} bytes, more than the ${limits.maxBytes} that a journal keeps`, {
    code: "result-too-large",
  });
}

function stringify(value: unknown, what: string): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value) as string | undefined;
  } catch (cause) {
    // A circle, a BigInt, or a toJSON that throws.
    const { message } = recordError(cause);
    throw new PermanentError(`the ${what} cannot be kept: ${message}`, { code: "not-json", cause });
  }
  if (text !== undefined) return text;
  throw new PermanentError(`the ${what} cannot be kept: a ${typeof value} is no JSON`, { code: "not-json" });
}
