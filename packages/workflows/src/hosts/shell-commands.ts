// Finds the commands in a shell line, in one pass. Pure. A shell can do more than this reads: a line that may hide a command
// is not `isClear`.

interface ShellCommand {
  /** As written, with single spaces. */
  readonly text: string;
  /** As the program receives it: without quotes. */
  readonly plain: string;
  /** Its program and every word are known; the shell makes none of them, and none is another program's command. */
  readonly isClear: boolean;
  /** Its program is known and does not run other programs that its words name. */
  readonly hasKnownProgram: boolean;
  /** It does more than run the program: it sets a variable or writes a file. */
  readonly hasEffects: boolean;
}

interface Word {
  raw: string;
  plain: string;
  /** The shell replaces it. */
  isMade: boolean;
}

const reserved = new Set("{ } ! if then else elif fi while until do done time esac".split(" "));
/** Programs that run a command which is one of their words. */
const launchers = new Set(
  [
    "alias builtin busybox command coproc doas env eval exec find function nice nohup parallel",
    "setsid stdbuf sudo timeout trap watch xargs",
  ].flatMap((line) => line.split(" ")),
);
const shells = new Set(["bash", "dash", "fish", "ksh", "sh", "zsh"]);

/** Reads a line for a shell. */
export class ShellLine {
  readonly #text: string;
  readonly commands: ShellCommand[] = [];
  /** False if there may be other commands than these. */
  isClear = true;
  #at = 0;
  #word: Word | undefined;
  #words: Word[] = [];
  #redirect: "reads" | "writes" | undefined;
  #writes = false;

  constructor(text: string) {
    this.#text = text;
    while (this.#at < text.length) this.#next();
    this.#endCommand();
  }

  #next(): void {
    const character = this.#text[this.#at] ?? "";
    const next = this.#text[this.#at + 1];
    const isSubstitution = character === "`" || (character === "$" && next === "(");
    // Its result is not in the text, but its command is.
    if (isSubstitution) this.isClear = false;
    if (character === "&" && next === ">") this.#redirection(2);
    else if ("<>".includes(character)) this.#redirection(1);
    else if (isSubstitution || "\n;()&|".includes(character)) {
      this.#endCommand();
      this.#at += character === "$" ? 2 : 1;
    } else if (/\s/.test(character)) {
      this.#endWord();
      this.#at += 1;
    } else if (character === "#" && this.#word === undefined) {
      const end = this.#text.indexOf("\n", this.#at);
      this.#at = end === -1 ? this.#text.length : end;
    } else if (character === "'" || character === '"') this.#quoted(character);
    else if (character === "\\" && next === "\n") this.#at += 2;
    else if (character === "\\") this.#add(`\\${next ?? ""}`, { plain: next ?? "" });
    else
      this.#add(character, { isMade: "$*?[{".includes(character) || (character === "~" && this.#word === undefined) });
  }

  #add(raw: string, more: { readonly plain?: string; readonly isMade?: boolean } = {}): void {
    this.#word ??= { raw: "", plain: "", isMade: false };
    this.#word.raw += raw;
    this.#word.plain += more.plain ?? raw;
    this.#word.isMade ||= more.isMade === true;
    this.#at += raw.length;
  }

  #quoted(mark: string): void {
    const isLiteral = mark === "'";
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text[end] !== mark) end += !isLiteral && this.#text[end] === "\\" ? 2 : 1;
    const isOpen = end >= this.#text.length;
    if (isOpen) this.isClear = false;
    const raw = this.#text.slice(this.#at, isOpen ? undefined : end + 1);
    const inner = raw.slice(1, isOpen ? undefined : -1);
    if (!isLiteral && /`|\$\(/.test(inner)) this.isClear = false;
    const plain = isLiteral ? inner : inner.replaceAll(/\\(["\\$`])/g, "$1");
    this.#add(raw, { plain, isMade: !isLiteral && inner.includes("$") });
  }

  #redirection(length: number): void {
    // In `2>`, the word before the sign is a stream's number.
    if (this.#word !== undefined && /^\d+$/.test(this.#word.raw)) this.#word = undefined;
    this.#endWord();
    const sign = /^[<>]*[&|]?/.exec(this.#text.slice(this.#at + length - 1, this.#at + length + 3))?.[0] ?? "";
    this.#redirect = sign.includes(">") ? "writes" : "reads";
    this.#at += length - 1 + sign.length;
    const isStream = sign.endsWith("&") && /[\d-]/.test(this.#text[this.#at] ?? "");
    if (isStream) this.#redirect = "reads";
    // What follows is lines of input, or a command to read from.
    if (sign.startsWith("<<") || this.#text[this.#at] === "(") this.isClear = false;
  }

  #endWord(): void {
    const word = this.#word;
    this.#word = undefined;
    if (word === undefined) return;
    if (this.#redirect === undefined) this.#words.push(word);
    else if (this.#redirect === "writes" && word.raw !== "/dev/null") this.#writes = true;
    this.#redirect = undefined;
  }

  #endCommand(): void {
    this.#endWord();
    const start = this.#words.findIndex(({ raw }) => !reserved.has(raw));
    const words = start === -1 ? [] : this.#words.slice(start);
    const program = words.findIndex(({ raw }) => !/^[A-Za-z_]\w*\+?=/.test(raw));
    const left = program === -1 ? [] : words.slice(program);
    const hasEffects = left.length < words.length || this.#writes;
    if (left.length > 0 || hasEffects) {
      const [first, ...more] = left;
      const name = first?.plain.replace(/^.*\//, "") ?? "";
      const isShell = shells.has(name) && (more.length === 0 || more.some(({ plain }) => plain.startsWith("-")));
      const hasKnownProgram = first?.isMade !== true && !isShell && !launchers.has(name);
      this.commands.push({
        text: left.map(({ raw }) => raw).join(" "),
        plain: left.map(({ plain }) => plain).join(" "),
        hasKnownProgram,
        isClear: hasKnownProgram && left.every(({ isMade }) => !isMade),
        hasEffects,
      });
    }
    this.#words = [];
    this.#redirect = undefined;
    this.#writes = false;
  }
}
