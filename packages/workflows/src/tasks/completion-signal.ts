// Whether an agent says that it is done, or only speaks about saying so. Loops that look for the signal anywhere in the
// text end when an agent repeats its instructions.

/**
 * The signal counts as a tag (`<promise>COMPLETE</promise>`, `<COMPLETE/>`) at the end of a line, or as a line of its own.
 * It does not in code, in a quotation, or where the words before it announce it: "When all is done I will say …".
 */
export function hasSignal(message: string, signal: string): boolean {
  const wanted = signal.trim();
  if (wanted === "") return false;
  const tag = tagPattern(wanted);
  let before = "";
  for (const line of linesOfProse(message)) {
    if (saysSo(line, wanted, tag, before)) return true;
    if (line.trim() !== "") before = line.trim();
  }
  return false;
}

/** Without code blocks, indented code and quotations. */
function* linesOfProse(message: string): Iterable<string> {
  let fence: string | undefined;
  for (const line of message.split(/\r\n?|\n/)) {
    const mark = /^ {0,3}(?:[-*+] +|\d+[.)] +)?(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
    } else if (mark !== undefined) fence = mark;
    else if (!/^(?: {4}|\t| {0,3}>)/.test(line)) yield line;
  }
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
  return line
    .trim()
    .replace(/^(?:[-*+] +|\d+[.)] +)/, "")
    .replace(/^[*_]+|[*_]+$/g, "")
    .trim();
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
