// Splits a command line into simple commands of plain words. Anything that a shell could expand is refused.

export type ShellWords = { readonly commands: readonly (readonly string[])[] } | { readonly problem: string };

const plain = /[\p{L}\p{N}_\-.,/:=@%+^]/u;
/** What a pattern may begin with. Its matches begin the same way, so none can become an option. */
const beforePattern = /^(--[a-z-]+=|[A-Za-z0-9_./])/;

/** To the end of the word, so `/dev/null.txt` is not one. */
const harmlessRedirect = /^(?:>>?[ \t]*\/dev\/null|>&[12])(?=[ \t;|]|&&|$)/;

export function shellWords(line: string): ShellWords {
  const commands: string[][] = [[]];
  const characters = [...line];
  let word: string | undefined;
  let isQuoted = false;
  const endWord = (): void => {
    if (word !== undefined) commands.at(-1)!.push(word);
    word = undefined;
    isQuoted = false;
  };
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!;
    const next = characters[at + 1];
    if (character === "'" || character === '"') {
      const end = characters.indexOf(character, at + 1);
      const inside = characters.slice(at + 1, end).join("");
      if (end < 0 || (character === '"' && /[$`\\!]/.test(inside)) || /\p{Cc}/u.test(inside)) {
        return { problem: `an unclosed or unsafe ${character}-quoted string` };
      }
      word = (word ?? "") + inside;
      isQuoted = true;
      at = end;
    } else if (character === " " || character === "\t") {
      endWord();
    } else if (character === ";" || (character === "|" && next !== "&") || (character === "&" && next === "&")) {
      endWord();
      commands.push([]);
      if (character !== ";" && next === character) at += 1;
    } else if (character === ">" && harmlessRedirect.test(characters.slice(at).join(""))) {
      // `2>/dev/null` and `2>&1` throw output away or join it. The number before belongs to the redirection.
      if (isQuoted || !/^[12]$/.test(word ?? "")) endWord();
      word = undefined;
      at += [...harmlessRedirect.exec(characters.slice(at).join(""))![0]].length - 1;
    } else if (isPlain(character, word)) {
      word = (word ?? "") + character;
    } else {
      return { problem: /\p{Cc}/u.test(character) ? "a line break" : character };
    }
  }
  endWord();
  return commands.some((words) => words.length === 0) ? { problem: "an empty command" } : { commands };
}

function isPlain(character: string, word: string | undefined): boolean {
  if (character === "*" || character === "?") return word !== undefined && beforePattern.test(word);
  if (character === "~") return word !== undefined && !/[:=]$/.test(word);
  if (character === "=") return word !== undefined; // zsh: =ls
  return plain.test(character);
}
