// Whether an agent says that it is done, or only talks about saying so. A loop that looked for the signal anywhere in the
// text would stop when an agent repeats its instructions.

export interface SignalOptions {
  /** `last-line`: only at the end of the message. Default: anywhere in it. */
  readonly where?: "anywhere" | "last-line";
}

/**
 * The signal counts as a tag (`<promise>COMPLETE</promise>`, `<COMPLETE/>`) at the end of a line, or as a separate line. It
 * does not count in code, in a quotation, in a comment, or where the words before it announce it: "When all is done I will
 * say …".
 */
export function hasSignal(message: string, signal: string, { where = "anywhere" }: SignalOptions = {}): boolean {
  const wanted = signal.trim();
  if (wanted === "") return false;
  // A tag is the last thing on its line; only what ends a sentence may follow, so a quoted tag does not count.
  const escaped = wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const forms = wanted.startsWith("<") ? [escaped] : [`<([A-Za-z][\\w-]{0,40})>\\s{0,8}${escaped}\\s{0,8}</\\1>`];
  if (/^[A-Za-z][\w-]*$/.test(wanted)) forms.push(`<${escaped}\\s{0,8}/>`);
  const tag = new RegExp(`(?:${forms.join("|")})[\\s.!*_]{0,8}$`);
  let before = "";
  for (const { text, isLast } of proseOf(message)) {
    const isAnnounced = before.endsWith(":") && announces.test(before);
    before = text.trim();
    if (!isLast && where === "last-line") continue;
    // Without list marks and emphasis around it.
    const line = before.replace(/^(?:[-*+] +|\d+[.)] +)/, "");
    let [from, to] = [0, line.length];
    while (from < to && "*_".includes(line.charAt(from))) from += 1;
    while (from < to && "*_".includes(line.charAt(to - 1))) to -= 1;
    const bare = line.slice(from, to).trim();
    const found = tag.exec(bare);
    if (bare !== wanted && found === null) continue;
    const lead = bare === wanted ? "" : bare.slice(0, found?.index).trim();
    // The sentence that leads up to the tag, or else the line before that ends with a colon, may only announce it.
    const sentence = /[.!?…]$/.test(lead) ? "" : (lead.split(/[.!?…](?=\s|$)/).at(-1) ?? "");
    if (lead === "" ? !isAnnounced : !announces.test(sentence)) return true;
  }
  return false;
}

/** A promise, a condition or a denial. Missing the end costs one iteration; seeing it too early would stop the work. */
const announces =
  /\b(?:when|once|if|until|unless|after|before|will|shall|should|would|must|can|cannot|only|never|not|no|without|instead|please|i'll|don't|can't|won't|isn't|yet|instructions?|asked|told)\b/i;

/** A block that is not prose. Says for each following line whether it is still part of the block. */
type Block = (line: string) => "inside" | "last" | "over";

/**
 * What an agent says in its own words: its Markdown message without code, quotations and comments. Where Markdown is
 * ambiguous, a line does not count. Nothing comes after the line that `isLast`, prose or not. Takes one pass, whatever the
 * message contains.
 */
function proseOf(message: string): { readonly text: string; readonly isLast: boolean }[] {
  const lines = message.split(/\r\n?|\n/);
  const last = lines.findLastIndex((line) => line.trim() !== "");
  const paragraphs: { readonly text: string; readonly at: number }[][] = [[]];
  let block: Block | undefined;
  for (const [at, text] of lines.entries()) {
    const state: ReturnType<Block> = block?.(text) ?? "over";
    if (state !== "inside") block = undefined;
    if (state === "over") block = blockAt(text);
    const isProse = state === "over" && block === undefined && text.trim() !== "" && !/^(?: {4}|\t)/.test(text);
    if (isProse) paragraphs.at(-1)?.push({ text, at });
    else if (paragraphs.at(-1)?.length !== 0) paragraphs.push([]);
  }
  return paragraphs.flatMap((paragraph) => {
    const withoutCode = withoutCodeSpans(paragraph.map((line) => line.text).join("\n"));
    // Comments and hidden elements; without an end, they end with the paragraph.
    const unshown =
      /<(?:!--[\s\S]*?(?:-->|$)|(pre|script|style|textarea|blockquote|code)(?=[\s>])[\s\S]*?(?:<\/\1>|$))/gi;
    const shown = withoutCode.replaceAll(unshown, masked).split("\n");
    return paragraph.map(({ at }, row) => ({ text: shown[row] ?? "", isLast: at === last }));
  });
}

function blockAt(line: string): Block | undefined {
  const [, lead = "", fence] = /^( {0,3}(?:[-*+] {1,4}|\d{1,9}[.)] {1,4})?)(`{3,}|~{3,})/.exec(line) ?? [];
  if (fence !== undefined && !(fence.startsWith("`") && line.slice(lead.length + fence.length).includes("`"))) {
    // Only a mark of the same kind, at least as long, with nothing after it, ends the block: `` ```text `` does not.
    return (next) => {
      const mark = next.trim();
      const isEnd = mark.length >= fence.length && mark === fence.charAt(0).repeat(mark.length);
      return isEnd && next.length - next.trimStart().length <= lead.length + 3 ? "last" : "inside";
    };
  }
  // A line right after a quotation still belongs to it, with or without its mark.
  if (/^ {0,3}>/.test(line)) return (next) => (next.trim() === "" ? "over" : "inside");
  const html = /^ {0,3}<(?:!--|(pre|script|style|textarea|blockquote|code)(?=[\s>]|$))/i.exec(line);
  if (html === null) return undefined;
  const end = html[1] === undefined ? "-->" : `</${html[1].toLowerCase()}>`;
  if (line.toLowerCase().includes(end)) return () => "over";
  return (next) => (next.toLowerCase().includes(end) ? "last" : "inside");
}

/** The same number of lines and characters, none of which can be read. */
function masked(text: string): string {
  return text.replaceAll(/[^\n]/g, "￼");
}

/** Masks what is between two equally long runs of backticks. A run without a partner is ordinary text. */
function withoutCodeSpans(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ from: index, to: index + length }));
  const next = new Map<number, number>();
  const partners = runs.map(() => -1);
  for (const [back, { from, to }] of [...runs].reverse().entries()) {
    const at = runs.length - 1 - back;
    partners[at] = next.get(to - from) ?? -1;
    next.set(to - from, at);
  }
  let shown = "";
  let end = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const partner = partners[at] ?? -1;
    if (partner === -1) continue;
    const [from, to] = [runs[at]?.from ?? 0, runs[partner]?.to ?? 0];
    shown += text.slice(end, from) + masked(text.slice(from, to));
    end = to;
    at = partner;
  }
  return shown + text.slice(end);
}
