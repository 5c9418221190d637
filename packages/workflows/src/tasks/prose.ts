// What an agent says in its own words: its message as Markdown, without code, quotations and comments. Where Markdown leaves
// a doubt, a line is none of it. In one pass, whatever the message is made of.

export interface ProseLine {
  readonly text: string;
  /** Nothing comes after it, be it prose or not. */
  readonly isLast: boolean;
}

type Line = { readonly text: string; readonly at: number };

export function proseOf(message: string): ProseLine[] {
  const lines = message.split(/\r\n?|\n/);
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return paragraphs(lines).flatMap((paragraph) => {
    const masked = withoutMarkup(paragraph.map(({ text }) => text).join("\n")).split("\n");
    return paragraph.map(({ at }, row) => ({ text: masked[row] ?? "", isLast: at === last }));
  });
}

/** What a line of another kind belongs to: skipped until this says that it is over. */
type Block = (line: string) => "inside" | "last" | "over";

/** Lines that follow one another. */
function paragraphs(lines: readonly string[]): Line[][] {
  const found: Line[][] = [[]];
  let block: Block | undefined;
  for (const [at, text] of lines.entries()) {
    const state: ReturnType<Block> = block?.(text) ?? "over";
    if (state !== "inside") block = undefined;
    if (state === "over") block = blockAt(text);
    const isProse = state === "over" && block === undefined && text.trim() !== "" && !/^(?: {4}|\t)/.test(text);
    if (isProse) found.at(-1)?.push({ text, at });
    else if (found.at(-1)?.length !== 0) found.push([]);
  }
  return found;
}

function blockAt(line: string): Block | undefined {
  const [, lead = "", fence] = /^( {0,3}(?:[-*+] {1,4}|\d{1,9}[.)] {1,4})?)(`{3,}|~{3,})/.exec(line) ?? [];
  if (fence !== undefined && !(fence.startsWith("`") && line.slice(lead.length + fence.length).includes("`"))) {
    return fenced(fence, lead.length);
  }
  // A line right after a quotation still belongs to it, with or without its mark.
  if (/^ {0,3}>/.test(line)) return (next) => (next.trim() === "" ? "over" : "inside");
  if (/^ {0,3}<!--/.test(line)) return line.includes("-->") ? () => "over" : upTo("-->");
  const [, name] = /^ {0,3}<(pre|script|style|textarea|blockquote|code)(?=[\s>]|$)/i.exec(line) ?? [];
  if (name === undefined) return undefined;
  const end = `</${name.toLowerCase()}>`;
  return line.toLowerCase().includes(end) ? () => "over" : upTo(end);
}

/** Only a mark of the same kind, as long or longer, with nothing behind it, is the end: `` ```text `` is not. */
function fenced(fence: string, indent: number): Block {
  return (line) => {
    const mark = line.trim();
    const isEnd = mark.length >= fence.length && mark === fence.charAt(0).repeat(mark.length);
    return isEnd && line.length - line.trimStart().length <= indent + 3 ? "last" : "inside";
  };
}

function upTo(end: string): Block {
  return (line) => (line.toLowerCase().includes(end) ? "last" : "inside");
}

/** With `￼` for every character of code and of what HTML does not show as text. */
function withoutMarkup(paragraph: string): string {
  const text = hidden(paragraph, codeSpans(paragraph));
  return hidden(text, unshown(text));
}

type Span = { readonly from: number; readonly to: number };

function hidden(text: string, spans: readonly Span[]): string {
  let shown = "";
  let at = 0;
  for (const { from, to } of spans) {
    shown += text.slice(at, from) + text.slice(from, to).replaceAll(/[^\n]/g, "￼");
    at = to;
  }
  return shown + text.slice(at);
}

/** Between two runs of equally many backticks; one without its like is only a backtick. */
function codeSpans(text: string): Span[] {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ from: index, to: index + length }));
  const next = new Map<number, number>();
  const partners = runs.map(() => -1);
  for (const [back, { from, to }] of [...runs].reverse().entries()) {
    const at = runs.length - 1 - back;
    partners[at] = next.get(to - from) ?? -1;
    next.set(to - from, at);
  }
  const spans: Span[] = [];
  for (let at = 0; at < runs.length; at += 1) {
    const partner = partners[at] ?? -1;
    if (partner === -1) continue;
    spans.push({ from: runs[at]?.from ?? 0, to: runs[partner]?.to ?? 0 });
    at = partner;
  }
  return spans;
}

/** Comments and elements of a paragraph; without an end, they end with it. */
function unshown(text: string): Span[] {
  const spans: Span[] = [];
  const begin = /<(?:!--|(pre|script|style|textarea|blockquote|code)(?=[\s>]))/gi;
  for (let found = begin.exec(text); found !== null; found = begin.exec(text)) {
    const end = new RegExp(found[1] === undefined ? "-->" : `</${found[1]}>`, "gi");
    end.lastIndex = begin.lastIndex;
    const to = end.exec(text) === null ? text.length : end.lastIndex;
    spans.push({ from: found.index, to });
    begin.lastIndex = to;
  }
  return spans;
}
