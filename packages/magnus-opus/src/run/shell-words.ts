// Splits a command line into simple commands of plain words. What a shell could expand is refused, but for patterns of file names.

export interface ShellWord {
  readonly text: string;
  /**
   * A pattern becomes any number of words. The matches of an `anchored` one begin as it does, so none can become an option; those of
   * a `free` one begin with anything.
   */
  readonly pattern?: "anchored" | "free";
  /** `!`, a bracket or an escaped parenthesis. */
  readonly isOperator?: true;
}

export type ShellWords = { readonly commands: readonly (readonly ShellWord[])[] } | { readonly problem: string };

const plain = /[\p{L}\p{N}_\-.,/:=@%+^]/u;
/** What an anchored pattern begins with. */
const anchor = /^(--[a-z-]+=|[A-Za-z0-9_./])/;

/** To the end of the word, so `/dev/null.txt` is not one. */
const harmlessRedirect = /^(?:>>?[ \t]*\/dev\/null|>&[12])(?=[ \t;|]|&&|$)/;
/** These are words of `find` and `test` if they stand alone. */
const lone = /^(?:\\?!|\\[()]|[[\]])(?=[ \t;|]|&&|$)/;
/** All alternatives begin with what is before them. */
const braces = /^\{[A-Za-z0-9_\-.,/*]*\}/;

export function shellWords(line: string): ShellWords {
  const commands: ShellWord[][] = [[]];
  let word: string | undefined;
  let isQuoted = false;
  let pattern: ShellWord["pattern"];
  const endWord = (): void => {
    if (word !== undefined) commands.at(-1)!.push({ text: word, ...(pattern && { pattern }) });
    word = undefined;
    isQuoted = false;
    pattern = undefined;
  };
  for (let at = 0; at < line.length; ) {
    const rest = line.slice(at);
    const character = String.fromCodePoint(rest.codePointAt(0)!);
    at += character.length;
    if (character === "'" || character === '"') {
      const inside = character === "'" ? /^'([^'\p{Cc}]*)'/u.exec(rest) : doubleQuoted.exec(rest);
      if (inside === null) return { problem: `an unclosed or unsafe ${character}-quoted string` };
      const text = inside[1]!;
      word = (word ?? "") + (character === "'" ? text : text.replace(/\\([$\\])/g, "$1"));
      isQuoted = true;
      at += inside[0].length - 1;
    } else if (character === " " || character === "\t") {
      endWord();
    } else if (/^(;|\|(?!&)|&&)/.test(rest)) {
      endWord();
      commands.push([]);
      if (/^(\|\||&&)/.test(rest)) at += 1;
    } else if (character === ">" && harmlessRedirect.test(rest)) {
      // `2>/dev/null` and `2>&1` throw output away or join it. The number before belongs to the redirection.
      if (isQuoted || !/^[12]$/.test(word ?? "")) endWord();
      word = undefined;
      at += harmlessRedirect.exec(rest)![0].length - 1;
    } else if (word === undefined && lone.test(rest) && (character === "[" || commands.at(-1)!.length > 0)) {
      const found = lone.exec(rest)![0];
      commands.at(-1)!.push({ text: found.at(-1)!, isOperator: true });
      at += found.length - 1;
    } else if (character === "*" || character === "?" || (character === "^" && word === undefined)) {
      // In zsh, `^a` may be a pattern, too.
      if (word !== undefined && pattern !== "free" && !anchor.test(word)) return { problem: character };
      pattern ??= word === undefined ? "free" : "anchored";
      word = (word ?? "") + character;
    } else if (character === "{" && word !== undefined && anchor.test(word) && braces.test(rest)) {
      const found = braces.exec(rest)![0];
      pattern ??= "anchored";
      word += found;
      at += found.length - 1;
    } else if (isPlain(character, word)) {
      word = (word ?? "") + character;
    } else {
      return { problem: /\p{Cc}/u.test(character) ? "a line break" : character };
    }
  }
  endWord();
  return commands.some((words) => words.length === 0) ? { problem: "an empty command" } : { commands };
}

/**
 * Without what a shell expands. Shells differ in what a backslash does before a quote or a backtick, and whether it keeps `$(` from
 * running; before any other character, it makes nothing run in any of them.
 */
const doubleQuoted = /^"((?:[^"$`\\!\p{Cc}]|\\(?:[^"`$!\p{Cc}]|\$(?![({[]))|\$(?="))*)"/u;

function isPlain(character: string, word: string | undefined): boolean {
  if (character === "~") return word !== undefined && !/[:=]$/.test(word);
  if (character === "=") return word !== undefined; // zsh: =ls
  return plain.test(character);
}
