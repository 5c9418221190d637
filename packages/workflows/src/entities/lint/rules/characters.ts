import { escapeForTerminal, findHiddenCharacters, type HiddenCharacter } from "@atomic/terminal/hidden-characters";
import type { Rule, RuleProblem } from "../rule.ts";

/** After so many, a reader has understood. */
const MOST = 20;

export const characterRules: readonly Rule[] = [
  {
    code: "hidden-character",
    severity: "warning",
    summary: "Characters that people cannot see but models read: tags, bidirectional marks, zero-width, control.",
    *check(subject) {
      const hint = "Delete it unless you put it there.";
      const found: RuleProblem[] = [];
      if (subject.text !== undefined) {
        for (const run of runsOf(subject.text)) found.push({ message: describe(run), at: run[0].offset, hint });
      } else {
        for (const [key, value] of Object.entries(subject.values)) {
          for (const run of typeof value === "string" ? runsOf(value) : []) {
            found.push({ message: `\`${key}\`: ${describe(run)}`, at: [key], hint });
          }
        }
      }
      yield* found.slice(0, MOST);
      if (found.length > MOST) yield { message: `${found.length - MOST} more places contain hidden characters.` };
    },
  },
  {
    code: "name-hidden-character",
    severity: "warning",
    summary: "A name with invisible characters, which can look like another name.",
    *check({ entity: { displayName, aliases } }) {
      for (const name of [displayName, ...aliases]) {
        const [first] = findHiddenCharacters(name);
        if (first === undefined) continue;
        const message = `The name "${escapeForTerminal(name, { singleLine: true })}" has a hidden character (${codeOf(first)}).`;
        yield { message, hint: "Retype the name." };
      }
    },
  },
];

type Run = readonly [HiddenCharacter, ...HiddenCharacter[]];

/** Hidden text comes in one piece, and is one finding. */
function runsOf(text: string): Run[] {
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

function describe(run: Run): string {
  const [first] = run;
  // Tag characters are a shadow of ASCII.
  const tags = run.flatMap(({ kind, codePoint }) => (kind === "tag" ? [String.fromCharCode(codePoint - 0xe0000)] : []));
  const secret = escapeForTerminal(tags.join(""), { singleLine: true }).slice(0, 200);
  if (secret !== "") return `Hidden text in tag characters: "${secret}".`;
  const kinds = [...new Set(run.map(({ kind }) => kind))].join(", ");
  return run.length === 1
    ? `A hidden character: ${kinds} (${codeOf(first)}).`
    : `${run.length} hidden characters: ${kinds} (from ${codeOf(first)}).`;
}

function codeOf({ codePoint }: HiddenCharacter): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
}
