// What a description says it does not want. "No UI changes" excludes; "the button does not work" is what is to be repaired.

const farthest = 6;
const faults = /^(does|do|did|is|are|was|were|will|can|could|has|have|should)(n't)?$|^(doesnt|dont|isnt|wont|cant)$/i;
const changing =
  /^(touch|touching|change|changing|changes|need|needs|require|requires|involve|affect|modify|alter|include|add)$/i;
const untouched = /^(unchanged|untouched|alone|unaffected|same)$/i;

/** For the words of one clause: whether the word at a place is excluded. */
export function excludes(clause: readonly string[]): (at: number) => boolean {
  const spans: (readonly [number, number])[] = [];
  clause.forEach((word, at) => {
    if (opens(clause, at)) spans.push([at, at + farthest]);
    if (untouched.test(word) || isAsItIs(clause, at)) spans.push([-1, at]);
  });
  return (at) => spans.some(([from, to]) => from < at && at <= to);
}

function opens(clause: readonly string[], at: number): boolean {
  const word = clause[at]!.toLowerCase();
  const next = clause[at + 1] ?? "";
  const before = clause[at - 1] ?? "";
  if (word === "without" || word === "except" || word === "excluding" || word === "nothing") return true;
  if (word === "no") return !/^(longer|matter|more|one)$/i.test(next);
  if (word === "instead" || word === "rather") return false; // what it replaces is part of the work
  if (word === "don't" || word === "dont" || word === "never") return changing.test(next);
  if (word === "doesn't" || word === "shouldn't" || word === "won't") return changing.test(next);
  if (word !== "not") return false;
  if (/^only$/i.test(next)) return false;
  return faults.test(before) ? changing.test(next) : true;
}

/** "stays as it is", "stay as they are". */
function isAsItIs(clause: readonly string[], at: number): boolean {
  return (
    /^(as)$/i.test(clause[at]!) &&
    /^(is|it|they)$/i.test(clause[at + 1] ?? "") &&
    /^(stays?|remains?|is|are|leave|keep)$/i.test(clause[at - 1] ?? "")
  );
}
