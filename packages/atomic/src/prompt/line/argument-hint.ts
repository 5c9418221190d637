// What an argument hint says, such as `<version> | --draft` or `select | list [provider]`: whether something has to
// follow the name, and which values fit at a place.
import { splitWords } from "@atomic/terminal/shell-words";

/** Where values come from that a hint does not list itself. A node is one of a run, of which there may be only a prefix. */
export type ValueSource =
  | "file"
  | "workflow"
  | "open run"
  | "run"
  | "model"
  | "provider"
  | "host"
  | "entry"
  | "entity"
  | `node of ${string}`;

export interface WantedValues {
  /** Listed in the hint. */
  readonly words: readonly string[];
  readonly sources: readonly ValueSource[];
}

/** Whether the name alone is not enough: it is if one of the ways to write it, such as `[model] | select`, is all in brackets. */
export function needsArguments(hint: string | undefined): boolean {
  if (hint === undefined) return false;
  const ways = hint.split(betweenBrackets).map((way) => way.trim());
  // `--file <path> [note]`; beside a bar, an option is one of several ways.
  if (ways.length === 1 && /(?:^|\s)--?[\w-]+[ =]<[^<>]*>/.test(withoutBrackets(hint))) return true;
  return requires(hint) && !ways.some((way) => way.startsWith("[") && !requires(way));
}

/** Options and what is in brackets can be left out. */
function requires(hint: string): boolean {
  return (
    withoutBrackets(hint)
      .replace(/(?:^|\s)--?[\w-]+(?:[ =]<[^<>]*>)?/g, " ")
      .replace(/[|…\s.]/g, "") !== ""
  );
}

function withoutBrackets(hint: string): string {
  let rest = hint;
  for (let before = ""; rest !== before; ) {
    before = rest;
    rest = rest.replace(/\[[^[\]]*\]/g, " ");
  }
  return rest;
}

type NamedSource = Exclude<ValueSource, `node of ${string}`> | "node";

/** By the name in the brackets. */
const sourcesByName: readonly (readonly [NamedSource, RegExp])[] = [
  ["run", /\brun(?:-?id)?\b/],
  ["workflow", /\bworkflow\b/],
  ["model", /\bmodel\b/],
  ["provider", /\bprovider\b/],
  ["host", /\bhost\b/],
  ["entry", /\bcommand\b/],
  ["file", /\b(?:file|files|path|paths|folder|dir|directory|doc|spec)\b/],
];

/** What only `atomic`'s own commands mean by these names. */
const ownSources: readonly (readonly [NamedSource, RegExp])[] = [
  ["node", /\bnode\b/],
  ["entity", /\bname\b/],
  ["file", /\b(?:arguments|instructions)\b/],
];

/**
 * The values for the word at the end of the arguments. Files fit wherever nothing else is known, but not for a command of
 * `atomic` itself: it would say so.
 *
 * @param before The arguments before that word.
 * @param isOwn Whether it is such a command.
 */
export function wantedValues(hint: string | undefined, before: string, word: string, isOwn = false): WantedValues {
  const parts = (hint ?? "").split(betweenBrackets).map((part) => part.trim());
  const given = splitWords(before);
  const positional = given.filter((each, at) => !each.startsWith("-") && !takesValue(hint ?? "", given[at - 1]));
  const [run = ""] = positional;
  const sourceNamed = (term: string): ValueSource | undefined => {
    const source = sourceOf(term, isOwn);
    return source === "node" ? `node of ${run}` : source;
  };
  const last = given.at(-1);
  if (last?.startsWith("-")) {
    // The value of the option before, if it takes one.
    const value = new RegExp(`(?:^|[\\s[|])${escaped(last)}[ =](?:<([^<>]*)>|([\\w-]+(?:\\|[\\w-]+)+))`);
    const [, name, list] = value.exec(hint ?? "") ?? [];
    const words = choicesIn(list ?? name ?? "");
    if (words.length > 0) return { words, sources: [] };
    if (name !== undefined) return { words: [], sources: [sourceNamed(name) ?? "file"] };
  }
  const options = Array.from((hint ?? "").matchAll(/(?:^|[\s[|])(--?[a-z][\w-]*)/g), ([, flag = ""]) => flag);
  if (word.startsWith("-")) return { words: options.filter((flag) => !given.includes(flag)), sources: [] };
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
      const kinds = listed.map(sourceNamed).filter((kind) => kind !== undefined);
      for (const kind of kinds) sources.add(kind);
      if (kinds.length === 0) words.push(...listed);
      continue;
    }
    const choices = term.slice(1, -1).split(/[/,]\s*/);
    if (term.startsWith("[") && choices.length > 1 && choices.every(isWord)) words.push(...choices);
    const source = sourceNamed(term);
    if (source !== undefined) sources.add(source);
    else isAnything ||= !isOwn;
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

function sourceOf(term: string, isOwn: boolean): NamedSource | undefined {
  const name = term.toLowerCase().replace(/[^a-z]+/g, " ");
  return [...sourcesByName, ...(isOwn ? ownSources : [])].find(([, pattern]) => pattern.test(name))?.[0];
}

function takesValue(hint: string, flag: string | undefined): boolean {
  return flag?.startsWith("-") === true && new RegExp(`${escaped(flag)}[ =]<`).test(hint);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
