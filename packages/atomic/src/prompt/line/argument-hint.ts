// What an argument hint says, such as `<version> | --draft` or `select | list [provider]`: whether something has to
// follow the name, and which values fit at a place.

/** Where values come from that a hint does not list itself. */
export type ValueSource = "file" | "workflow" | "open run" | "run" | "model" | "provider" | "host" | "entry";

export interface WantedValues {
  /** Listed in the hint. */
  readonly words: readonly string[];
  readonly sources: readonly ValueSource[];
}

/** Whether the name alone is not enough: it is if one of the ways to write it, such as `[model] | select`, is all in brackets. */
export function needsArguments(hint: string | undefined): boolean {
  if (hint === undefined) return false;
  const ways = hint.split(betweenBrackets).map((way) => way.trim());
  return requires(hint) && !ways.some((way) => way.startsWith("[") && !requires(way));
}

/** Options and what is in brackets can be left out. */
function requires(hint: string): boolean {
  let rest = hint;
  for (let before = ""; rest !== before; ) {
    before = rest;
    rest = rest.replace(/\[[^[\]]*\]/g, " ");
  }
  return rest.replace(/(?:^|\s)--?[\w-]+(?:[ =]<[^<>]*>)?/g, " ").replace(/[|…\s.]/g, "") !== "";
}

/** By the name in the brackets. */
const sourcesByName: readonly (readonly [ValueSource, RegExp])[] = [
  ["run", /\brun(?:-?id)?\b/],
  ["workflow", /\bworkflow\b/],
  ["model", /\bmodel\b/],
  ["provider", /\bprovider\b/],
  ["host", /\bhost\b/],
  ["entry", /\bcommand\b/],
  ["file", /\b(?:file|files|path|paths|folder|dir|directory|doc|spec)\b/],
];

/**
 * The values for the word at the end of the arguments. Files fit wherever nothing else is known.
 *
 * @param before The arguments before that word.
 */
export function wantedValues(hint: string | undefined, before: string, word: string): WantedValues {
  const parts = (hint ?? "").split(betweenBrackets).map((part) => part.trim());
  const given = before.split(/\s+/).filter((each) => each !== "");
  const last = given.at(-1);
  if (last?.startsWith("-")) {
    // The value of the option before, if it takes one.
    const value = new RegExp(`(?:^|[\\s[|])${escaped(last)}[ =](?:<([^<>]*)>|([\\w-]+(?:\\|[\\w-]+)+))`);
    const [, name, list] = value.exec(hint ?? "") ?? [];
    const words = choicesIn(list ?? name ?? "");
    if (words.length > 0) return { words, sources: [] };
    if (name !== undefined) return { words: [], sources: [sourceOf(name) ?? "file"] };
  }
  const options = Array.from((hint ?? "").matchAll(/(?:^|[\s[|])(--?[a-z][\w-]*)/g), ([, flag = ""]) => flag);
  if (word.startsWith("-")) return { words: options.filter((flag) => !given.includes(flag)), sources: [] };
  const positional = given.filter((each, at) => !each.startsWith("-") && !takesValue(hint ?? "", given[at - 1]));
  const words: string[] = [];
  const sources = new Set<ValueSource>();
  let isAnything = hint === undefined;
  for (const part of parts) {
    const terms = part.match(/<[^<>]*>|\[[^[\]]*\]|\([^()]*\)|\S+/g) ?? [];
    const own = terms.filter((term, at) => !/^\[?-/.test(term) && !/^-/.test(terms[at - 1] ?? ""));
    const fits = positional.every((each, at) => own[at] === undefined || !isWord(own[at]) || own[at] === each);
    const term = own[Math.min(positional.length, own.length - 1)];
    if (!fits || term === undefined || (positional.length >= own.length && !/…|\.\.\./.test(term))) continue;
    if (isWord(term)) {
      words.push(term);
      continue;
    }
    const listed = choicesIn(term.replace(/^[<[(]|[>\])](?:…|\.\.\.)?$/g, ""));
    if (listed.length > 0) {
      // `<file|folder>` lists kinds of values, not values.
      const kinds = listed.map(sourceOf).filter((kind) => kind !== undefined);
      for (const kind of kinds) sources.add(kind);
      if (kinds.length === 0) words.push(...listed);
      continue;
    }
    const choices = term.slice(1, -1).split(/[/,]\s*/);
    if (term.startsWith("[") && choices.length > 1 && choices.every(isWord)) words.push(...choices);
    const source = sourceOf(term);
    if (source !== undefined) sources.add(source);
    else isAnything = true;
  }
  if (isAnything && sources.size === 0) sources.add("file");
  return { words, sources: [...sources] };
}

/** A bar that is not inside of brackets. */
const betweenBrackets = /\|(?![^<[(]*[>\])])/;

/** The words of `dev|staging|prod`; none if it is something else. */
function choicesIn(text: string): string[] {
  const words = text.split("|").map((word) => word.trim());
  return words.length > 1 && words.every(isWord) ? words : [];
}

function isWord(term: string): boolean {
  return /^[a-z][\w-]*$/i.test(term);
}

function sourceOf(term: string): ValueSource | undefined {
  const name = term.toLowerCase().replace(/[^a-z]+/g, " ");
  return sourcesByName.find(([, pattern]) => pattern.test(name))?.[0];
}

function takesValue(hint: string, flag: string | undefined): boolean {
  return flag?.startsWith("-") === true && new RegExp(`${escaped(flag)}[ =]<`).test(hint);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
