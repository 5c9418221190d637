import { escapeForTerminal, findHiddenCharacters, type HiddenCharacter } from "@atomic/terminal/hidden-characters";
import type { Problem, Rule } from "../rule.ts";
import type { Subject } from "../subject.ts";

/** After so many, a reader has understood. */
const MOST = 20;

export const characterRules: readonly Rule[] = [
  {
    code: "hidden-character",
    severity: "warning",
    summary:
      "Characters that a person does not see, but a model reads: tags, bidirectional marks, zero-width, control.",
    *check(subject) {
      const found = [...hiddenIn(subject)];
      yield* found.slice(0, MOST);
      if (found.length > MOST) yield { message: `There are hidden characters in ${found.length - MOST} more places.` };
    },
  },
  {
    code: "name-hidden-character",
    severity: "warning",
    summary: "A name with characters that cannot be seen: it looks like another one.",
    *check({ entity: { displayName, aliases } }) {
      for (const name of [displayName, ...aliases]) {
        const [first] = findHiddenCharacters(name);
        if (first === undefined) continue;
        const message = `The name "${escapeForTerminal(name, { singleLine: true })}" has a hidden character (${codeOf(first)}).`;
        yield { message, hint: "Type the name again." };
      }
    },
  },
];

function* hiddenIn({ text, values }: Subject): Iterable<Problem> {
  if (text !== undefined) {
    for (const run of runsOf(findHiddenCharacters(text))) {
      yield { message: describe(run), at: run[0].offset, hint: "Delete it unless you put it there." };
    }
    return;
  }
  for (const [key, value] of Object.entries(values)) {
    if (typeof value !== "string") continue;
    for (const run of runsOf(findHiddenCharacters(value))) {
      yield { message: `\`${key}\`: ${describe(run)}`, at: [key], hint: "Delete it unless you put it there." };
    }
  }
}

type Run = readonly [HiddenCharacter, ...HiddenCharacter[]];

/** Hidden text comes in one piece, and is one finding. */
function runsOf(hidden: readonly HiddenCharacter[]): Run[] {
  const runs: [HiddenCharacter, ...HiddenCharacter[]][] = [];
  let end = -1;
  for (const character of hidden) {
    const last = runs.at(-1);
    if (last !== undefined && character.offset === end) last.push(character);
    else runs.push([character]);
    end = character.offset + (character.codePoint > 0xffff ? 2 : 1);
  }
  return runs;
}

function describe(run: Run): string {
  const [first] = run;
  const secret = tagText(run);
  if (secret !== "") return `Hidden text in tag characters: "${secret}".`;
  const kinds = [...new Set(run.map(({ kind }) => kind))].join(", ");
  return run.length === 1
    ? `A hidden character: ${kinds} (${codeOf(first)}).`
    : `${run.length} hidden characters: ${kinds} (from ${codeOf(first)}).`;
}

/** Tag characters are a shadow of ASCII. */
function tagText(run: Run): string {
  const text = run.flatMap(({ kind, codePoint }) => (kind === "tag" ? [String.fromCharCode(codePoint - 0xe0000)] : []));
  return escapeForTerminal(text.join(""), { singleLine: true }).slice(0, 200);
}

function codeOf({ codePoint }: HiddenCharacter): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
}
