// The kind of work a description asks for, judged by its words and their forms, and by what it says should not change.

import type { WorkflowType } from "./phase-name.ts";
import { type FoundTerm, featureWords, type Side, type StackWords, stackTerms, termAt } from "./vocabulary.ts";

export interface Detection {
  readonly type: WorkflowType;
  /** From 0 to 1; 0 when it is unclear. */
  readonly confidence: number;
  /** A sentence with the words that decided. */
  readonly rationale: string;
}

/** The weight at which a side counts as asked for. */
const enough = 0.8;
/** A side with less than this share of the other's weight is only mentioned. */
const leastShare = 0.25;

/** `stackWords`: those of the project's stack. */
export function detectWorkflowType(description: string, stackWords: StackWords = {}): Detection {
  const ofStack = stackTerms(stackWords);
  const found: FoundTerm[] = [];
  const ruledOut = new Set<Side>();
  // Sentences and their parts, as words. Code points, dots inside names and apostrophes stay.
  const clauses = description
    .replace(/['’]/g, "'")
    .split(/[.!?](?=\s|$)|[;:,()\n]|\s[-–—]\s|\bbut\b(?! also)/i)
    .map((clause) => clause.replace(/https?:\/\/(?:www\.)?(\w+)\S*/g, "$1").match(/[\p{L}\p{N}']+/gu) ?? [])
    .filter((clause) => clause.length > 0);
  for (const clause of clauses) {
    // What the description says it does not want. "No UI changes" excludes; "the button does not work" asks for a repair.
    const excluded: (readonly [number, number])[] = [];
    clause.forEach((word, at) => {
      const until = exclusionUntil(clause, at, (from) => termAt(clause, from, ofStack)?.length ?? 0);
      if (until > at) excluded.push([at, until]);
      // "stays as it is", "stay as they are".
      const isAsItIs =
        /^(as)$/i.test(word) &&
        /^(is|it|they)$/i.test(clause[at + 1] ?? "") &&
        /^(stays?|remains?|is|are|leave|keep)$/i.test(clause[at - 1] ?? "");
      if (untouched.test(word) || isAsItIs) excluded.push([-1, at]);
    });
    for (let at = 0; at < clause.length; at++) {
      const term = termAt(clause, at, ofStack);
      if (term === undefined) continue;
      if (!excluded.some(([from, to]) => from < at && at <= to)) found.push(term);
      else if (term.weight >= enough) ruledOut.add(term.side);
      at += term.length - 1;
    }
  }
  const ui = score(found, "ui", ruledOut);
  const api = score(found, "api", ruledOut);
  const reasons = Object.entries({ UI: ui, API: api }).map(([side, { words }]) =>
    words.length === 0 ? `no ${side} words` : `${side}: ${words.join(", ")}`,
  );
  if (ruledOut.size > 0) reasons.push(`ruled out: ${[...ruledOut].join(", ")}`);
  const said = reasons.join("; ");
  if (ui.sum < enough && api.sum < enough) {
    // "Without the backend" leaves the other side, if only one is left out.
    const named = featureWords(clauses.flat());
    const isWanted = clauses.some((clause) => clause.some((word) => wanting.test(word)));
    if (ruledOut.size === 0 && named.length >= (isWanted ? 1 : 2)) {
      // What people do with a product usually needs both; a stack without a UI has only one side.
      const type = stackWords.api !== undefined && stackWords.ui === undefined ? "API_FOCUSED" : "MIXED";
      return {
        type,
        confidence: 0.4,
        rationale: `It suggests neither UI nor API work, so this is a guess: ${named.join(", ")}`,
      };
    }
    if (ruledOut.size !== 1)
      return { type: "UNCLEAR", confidence: 0, rationale: `The description does not say what to build: ${said}` };
    return { type: ruledOut.has("api") ? "UI_FOCUSED" : "API_FOCUSED", confidence: 0.5, rationale: said };
  }
  const [less, more] = [Math.min(ui.sum, api.sum), Math.max(ui.sum, api.sum)];
  if (less >= enough && less >= more * leastShare) {
    return { type: "MIXED", confidence: rounded(0.6 + 0.35 * (less / more)), rationale: said };
  }
  const isUi = ui.sum > api.sum;
  const lead = (more - less) / (more + less);
  const confidence = rounded(0.5 + 0.3 * lead + 0.15 * Math.min(1, more / 3));
  return { type: isUi ? "UI_FOCUSED" : "API_FOCUSED", confidence, rationale: said };
}

/** Counts each word once: repeating it does not ask for more. */
function score(found: readonly FoundTerm[], side: Side, ruledOut: ReadonlySet<Side>): { sum: number; words: string[] } {
  const own = new Map(
    found.filter((term) => term.side === side && term.weight > 0).map((term) => [term.text, term.weight]),
  );
  const sum = [...own.values()].reduce((total, weight) => total + weight, 0);
  // A side that should not change may still be mentioned.
  return { sum: ruledOut.has(side) ? Math.min(sum, enough / 2) : sum, words: [...own.keys()] };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Words that make one name enough: something is to be added, or users should be able to do it. */
const wanting =
  /^(add|adds|adding|let|lets|allow|allows|enable|support|supports|introduce|create|implement|can|able)$/i;

const farthest = 6;
const faults = /^(does|do|did|is|are|was|were|will|can|could|has|have|should)(n't)?$|^(doesnt|dont|isnt|wont|cant)$/i;
const changing =
  /^(touch|touching|touches|change|changing|changes|changed|need|needs|require|requires|involve|involving|affect|affecting|modify|modifying|alter|altering|include|including|add|adding)$/i;
const untouched = /^(unchanged|untouched|alone|unaffected|same)$/i;

/** The last word that the word at this index excludes; its own index if it excludes nothing. `termLength`: of the term at an index. */
function exclusionUntil(clause: readonly string[], at: number, termLength: (at: number) => number): number {
  const word = clause[at]!.toLowerCase();
  const next = clause[at + 1] ?? "";
  const before = clause[at - 1] ?? "";
  if (/^(without|except|excluding|nothing)$/.test(word) || (word === "no" && !/^(longer|matter|more|one)$/i.test(next)))
    return leftOutUntil(clause, at, termLength);
  if (/^(don't|dont|never|doesn't|shouldn't|won't)$/.test(word)) return changing.test(next) ? at + farthest : at;
  if (word !== "not" || /^only$/i.test(next)) return at;
  return faults.test(before) && !changing.test(next) ? at : at + farthest;
}

const small = /^(a|an|any|the|our|its|new|extra|additional|actual|real|or|and|nor)$/i;
const place = /^(of|in|on|to|at|from|for)$/i;
/** What may follow the parts that are left out: "no UI work is needed", but not "without the page freezing". */
const workWords =
  /^(work|part|parts|side|code|edits?|modifications?|is|are|needed|required|involved|wanted|please|yet|now|here|this|for|at)$/i;

/**
 * "No UI changes" and "without touching the API" leave a side out. "Without reloading the page" and "no empty names in the form"
 * say how something on that side has to work.
 */
function leftOutUntil(clause: readonly string[], at: number, termLength: (at: number) => number): number {
  const isChange = (index: number): boolean => changing.test(clause[index] ?? "");
  if (clause[at]!.toLowerCase() === "nothing" && clause.some((_, index) => index > at && isChange(index)))
    return at + farthest;
  let end = at + 1;
  let terms = 0;
  while (end < clause.length) {
    if (isChange(end)) return at + farthest;
    const length = termLength(end);
    if (length === 0 && !small.test(clause[end]!) && !(terms === 0 && place.test(clause[end]!))) break;
    terms += length;
    end += Math.max(1, length);
  }
  return terms > 0 && (end >= clause.length || workWords.test(clause[end]!)) ? end : at;
}
