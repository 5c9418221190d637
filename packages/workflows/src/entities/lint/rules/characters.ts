import { escapeForTerminal, findHiddenCharacters, type HiddenCharacter } from "@atomic/terminal/hidden-characters";
import type { Rule, RuleProblem } from "../rule.ts";

/** The reader has understood after this many. */
const MOST = 20;

export const characterRules: readonly Rule[] = [
  {
    code: "hidden-character",
    severity: "warning",
    summary: "Characters that people cannot see but models read: tags, bidirectional marks, zero-width, control.",
    *check(subject) {
      const hint = "Delete it unless you put it there on purpose.";
      // An entry of a config file has values but no text of its own.
      const isFile = subject.text !== undefined;
      const found: RuleProblem[] = [];
      for (const [key, text] of isFile ? [["", subject.text]] : Object.entries(subject.values)) {
        for (const run of typeof text === "string" ? runsOf(text) : []) {
          const [{ offset }] = run;
          // Tag characters mirror ASCII.
          const tags = run.filter(({ kind }) => kind === "tag");
          const hidden = tags.map(({ codePoint }) => String.fromCharCode(codePoint - 0xe0000)).join("");
          const secret = escapeForTerminal(hidden, { singleLine: true }).slice(0, 200);
          const kinds = [...new Set(run.map(({ kind }) => kind))].join(", ");
          let what = `${run.length} hidden characters: ${kinds} (the first is ${codeOf(run[0])}).`;
          if (run.length === 1) what = `A hidden character: ${kinds} (${codeOf(run[0])}).`;
          if (secret !== "") what = `Hidden text in Unicode tag characters: "${secret}".`;
          found.push({ message: isFile ? what : `\`${key}\`: ${what}`, at: isFile ? offset : [key], hint });
        }
      }
      yield* found.slice(0, MOST);
      if (found.length > MOST) yield { message: `${found.length - MOST} more places contain hidden characters.` };
    },
  },
  {
    code: "name-hidden-character",
    severity: "warning",
    summary: "A name with invisible characters, which can make it look like another name.",
    *check({ entity: { displayName, aliases } }) {
      for (const name of [displayName, ...aliases]) {
        const [first] = findHiddenCharacters(name);
        if (first === undefined) continue;
        const message = `The name "${escapeForTerminal(name, { singleLine: true })}" contains a hidden character (${codeOf(first)}).`;
        yield { message, hint: "Retype the name." };
      }
    },
  },
];

/** A hidden text is one piece, and one finding. */
function runsOf(text: string): [HiddenCharacter, ...HiddenCharacter[]][] {
  const runs: [HiddenCharacter, ...HiddenCharacter[]][] = [];
  let end = -1;
  for (const character of findHiddenCharacters(text)) {
    const last = runs.at(-1);
    if (last !== undefined && character.offset === end) last.push(character);
    else runs.push([character]);
    end = character.offset + (character.codePoint > 0xffff ? 2 : 1);
  }
  return runs;
}

function codeOf({ codePoint }: HiddenCharacter): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
}
