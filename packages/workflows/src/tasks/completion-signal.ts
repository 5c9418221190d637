// Whether an agent says that it is done, or only speaks about saying so. Loops that look for the signal anywhere in the
// text end when an agent repeats its instructions.
import { proseOf } from "./prose.ts";

export interface SignalOptions {
  /** `last-line`: where nothing comes after it. Default: anywhere in the message. */
  readonly where?: "anywhere" | "last-line";
}

/**
 * The signal counts as a tag (`<promise>COMPLETE</promise>`, `<COMPLETE/>`) at the end of a line, or as a line of its own.
 * It does not in code, in a quotation, in a comment, or where the words before it announce it: "When all is done I will
 * say …".
 */
export function hasSignal(message: string, signal: string, { where = "anywhere" }: SignalOptions = {}): boolean {
  const wanted = signal.trim();
  if (wanted === "") return false;
  const tag = tagPattern(wanted);
  let before = "";
  for (const { text, isLast } of proseOf(message)) {
    if ((isLast || where === "anywhere") && saysSo(text, wanted, tag, before)) return true;
    before = text.trim();
  }
  return false;
}

function saysSo(line: string, wanted: string, tag: RegExp, before: string): boolean {
  const bare = unadorned(line);
  if (bare === wanted) return !(before.endsWith(":") && announces.test(before));
  const found = tag.exec(bare);
  if (found === null) return false;
  const lead = bare.slice(0, found.index).trim();
  if (lead === "") return !(before.endsWith(":") && announces.test(before));
  return !announces.test(lastSentence(lead));
}

/** Without white space, list marks and emphasis around it. */
function unadorned(line: string): string {
  const bare = line.trim().replace(/^(?:[-*+] +|\d+[.)] +)/, "");
  let [from, to] = [0, bare.length];
  while (from < to && isEmphasis(bare[from])) from += 1;
  while (from < to && isEmphasis(bare[to - 1])) to -= 1;
  return bare.slice(from, to).trim();
}

function isEmphasis(character: string | undefined): boolean {
  return character === "*" || character === "_";
}

/** The last thing on its line; only what ends a sentence may follow, so that a quoted tag is none. */
function tagPattern(wanted: string): RegExp {
  const text = wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const forms = wanted.startsWith("<")
    ? [text]
    : [
        `<([A-Za-z][\\w-]{0,40})>\\s{0,8}${text}\\s{0,8}</\\1>`,
        ...(isTagName.test(wanted) ? [`<${text}\\s{0,8}/>`] : []),
      ];
  return new RegExp(`(?:${forms.join("|")})[\\s.!*_]{0,8}$`);
}

const isTagName = /^[A-Za-z][\w-]*$/;
/** A promise, a condition or a denial. To take the end for one costs an iteration; the reverse would end the work early. */
const announces =
  /\b(?:when|once|if|until|unless|after|before|will|shall|should|would|must|can|cannot|only|never|not|no|without|instead|please|i'll|don't|can't|won't|isn't|yet|instructions?|asked|told)\b/i;

function lastSentence(text: string): string {
  const sentences = text.split(/[.!?…](?=\s|$)/);
  return /[.!?…]$/.test(text) ? "" : (sentences.at(-1) ?? "");
}
