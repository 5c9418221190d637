// The comments in a piece of code, and whether there are too many. Reads each language's own comments, and no strings.

interface Language {
  readonly line: readonly string[];
  readonly block: readonly (readonly [begin: string, end: string])[];
  /** What begins and ends a string. */
  readonly quotes: readonly string[];
  /** A slash may begin a regular expression, and a string in backticks may contain code. */
  readonly isScript?: boolean;
  /** What begins a text that ends with a line of its own, which it names. */
  readonly heredoc?: RegExp;
  /** What line comments right above it document. */
  readonly declaration?: RegExp;
}

const cLike: Language = { line: ["//"], block: [["/*", "*/"]], quotes: ['"', "'"] };
const script: Language = { ...cLike, quotes: ['"', "'", "`"], isScript: true };
const hash: Language = { line: ["#"], block: [], quotes: ['"', "'"] };
const markup: Language = { line: [], block: [["<!--", "-->"]], quotes: [] };
const longQuotes: readonly string[] = ['"""', "'''", '"', "'"];

const byExtension: Readonly<Record<string, Language>> = {
  ...of("ts tsx mts cts js jsx mjs cjs", script),
  ...of("c h cc cpp hpp m mm proto zig", cLike),
  ...of("java kt kts scala swift cs dart groovy", { ...cLike, quotes: longQuotes }),
  // A quote in Rust also begins a lifetime, and PHP has both kinds of line comments.
  ...of("rs", { ...cLike, quotes: ['"'] }),
  ...of("go", { ...cLike, quotes: ['"', "'", "`"], declaration: /^\s*(package|func|type|var|const)\b/ }),
  ...of("php", { ...cLike, line: ["//", "#"], heredoc: /^<<<[ \t]*["']?(\w+)["']?/ }),
  ...of("py pyi toml ex exs nim jl", { ...hash, quotes: longQuotes }),
  ...of("rb", { ...hash, heredoc: /^<<[~-]["'`]?(\w+)["'`]?/, declaration: /^\s*(class|module|def|attr_\w+)\b/ }),
  ...of("sh bash zsh tf pl", { ...hash, heredoc: /^<<[~-]?[ \t]*\\?["']?([A-Za-z_]\w*)["']?/ }),
  ...of("fish yml yaml r", hash),
  ...of("sql", { line: ["--"], block: [["/*", "*/"]], quotes: ["'", '"'] }),
  ...of("lua", { line: ["--"], block: [["--[[", "]]"]], quotes: ['"', "'"] }),
  ...of("hs elm", { line: ["--"], block: [["{-", "-}"]], quotes: ['"'] }),
  ...of("css", { line: [], block: [["/*", "*/"]], quotes: ['"', "'"] }),
  ...of("scss less", cLike),
  ...of("html htm xml svg", markup),
};

function of(extensions: string, language: Language): Readonly<Record<string, Language>> {
  return Object.fromEntries(extensions.split(" ").map((extension) => [extension, language]));
}

/** These have markup, scripts and styles. */
const component = /\.(svelte|vue|astro)$/i;
const embedded = /<(script|style)\b[^>]*>([\s\S]*?)(?:<\/\1\s*>|$)|^---\r?\n([\s\S]*?)\n---/g;

interface Comment {
  /** With its markers. */
  readonly text: string;
  /** It documents the name below it. */
  readonly isDocumentation: boolean;
}

/** Empty for a language that is not known. */
export function commentsIn(path: string, code: string): readonly Comment[] {
  if (!component.test(path)) {
    const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
    return Object.hasOwn(byExtension, extension) ? scanned(byExtension[extension]!, code) : [];
  }
  // An edit may be a part of a script.
  if (!/<[a-z/!]/i.test(code)) return scanned(script, code);
  const comments: Comment[] = [];
  let at = 0;
  for (const { 0: whole, 1: tag, 2: inside, 3: front, index } of code.matchAll(embedded)) {
    comments.push(...scanned(markup, code.slice(at, index)));
    comments.push(...scanned(tag === "style" ? cLike : script, inside ?? front ?? ""));
    at = index + whole.length;
  }
  return [...comments, ...scanned(markup, code.slice(at))];
}

function scanned({ line, block, quotes, isScript = false, heredoc, declaration }: Language, code: string): Comment[] {
  const found: Comment[] = [];
  /** The ends of the texts that begin in the next line. */
  const pending: string[] = [];
  let at = 0;
  /** The last character that is not white space, which tells a division from a regular expression. */
  let before = "";
  while (at < code.length) {
    const opened = block.find(([begin]) => code.startsWith(begin, at));
    const isLine =
      line.some((marker) => code.startsWith(marker, at)) &&
      (line[0] !== "#" || /^$|\s/.test(code[at - 1] ?? "")) &&
      !(line[0] === "//" && address.test(code.slice(Math.max(0, at - 12), at))) &&
      // In PHP, this begins an attribute.
      !(line[0] === "//" && code.startsWith("#[", at));
    const quote = quotes.find((each) => code.startsWith(each, at));
    const text = code[at] === "<" && code[at - 1] !== "<" ? heredoc?.exec(code.slice(at, at + 80)) : undefined;
    const start = at;
    if (opened !== undefined || isLine) {
      at = opened === undefined ? lineEnd(code, at) : after(code, opened[1], at + opened[0].length);
      const isDocumentation = declaration !== undefined && documents(code, start, at, declaration);
      found.push({ text: code.slice(start, at), isDocumentation });
    } else if (text) {
      pending.push(text[1]!);
      at += text[0].length;
    } else if (code[at] === "\n" && pending.length > 0) {
      const end = new RegExp(`\\n[ \\t]*${pending.shift()}(?!\\w)`).exec(code.slice(at));
      at = end === null ? code.length : at + end.index + end[0].length;
    } else if (quote !== undefined) {
      at = isScript && quote === "`" ? templateEnd(code, at + 1) : stringEnd(code, at + quote.length, quote);
      before = quote;
    } else if (
      isScript &&
      code[at] === "/" &&
      isRegexNext(code.slice(Math.max(0, at - 40), at), before, code[at + 1])
    ) {
      at = regexEnd(code, at + 1);
      before = "/";
    } else {
      if (/\S/.test(code[at]!)) before = code[at]!;
      at += 1;
    }
  }
  return found;
}

/** What stands before the slashes of an address, in the text of a page or in a style sheet. */
const address = /(?:[a-z][a-z\d+.-]*:|\burl\(\s*)$/i;

/** The code below it is a declaration, or begins with the comment's first word, as Go's documentation does. */
function documents(code: string, from: number, to: number, declaration: RegExp): boolean {
  const isAlone = /(^|\n)[ \t]*$/.test(code.slice(Math.max(0, from - 200), from));
  const [, below] = /^\n(?:[ \t]*(?:\/\/|#).*\n)*(.*)/.exec(code.slice(to)) ?? [];
  if (!isAlone || below === undefined) return false;
  const [, word = ""] = /^(?:\/\/|#)\s*(\w+)/.exec(code.slice(from, to)) ?? [];
  return declaration.test(below) || (word !== "" && new RegExp(`^\\s*${word}\\b`).test(below));
}

/** After a value a slash divides; after a sign or a word such as `return` it begins a regular expression. A tag has `</` or `/>`. */
function isRegexNext(code: string, before: string, next: string | undefined): boolean {
  if (code.endsWith("<") || next === ">") return false;
  if (before === "" || /[(,=:[!&|?{};+*%<>~^-]/.test(before)) return true;
  return /(?<![\w$.])(?:return|typeof|case|in|of|do|else|void|delete|throw|yield|await)\s*$/.test(code);
}

function after(code: string, end: string, from: number): number {
  const found = code.indexOf(end, from);
  return found === -1 ? code.length : found + end.length;
}

function lineEnd(code: string, from: number): number {
  const found = code.indexOf("\n", from);
  return found === -1 ? code.length : found;
}

function stringEnd(code: string, from: number, quote: string): number {
  for (let at = from; at < code.length; at++) {
    if (code[at] === "\\") at += 1;
    else if (code.startsWith(quote, at)) return at + quote.length;
    // A quote that is not closed in its line was none, such as the one in "don't" in markup.
    else if (code[at] === "\n" && quote.length === 1 && quote !== "`") return at;
  }
  return code.length;
}

/** The code in a template may have strings and templates of its own. */
function templateEnd(code: string, from: number): number {
  let depth = 0;
  for (let at = from; at < code.length; at++) {
    const character = code[at]!;
    if (character === "\\") at += 1;
    else if (depth === 0 && character === "`") return at + 1;
    else if (character === "$" && code[at + 1] === "{" && depth === 0) {
      depth = 1;
      at += 1;
    } else if (depth > 0 && character === "{") depth += 1;
    else if (depth > 0 && character === "}") depth -= 1;
    else if (depth > 0 && character === "`") at = templateEnd(code, at + 1) - 1;
    else if (depth > 0 && (character === '"' || character === "'")) at = stringEnd(code, at + 1, character) - 1;
  }
  return code.length;
}

function regexEnd(code: string, from: number): number {
  let isInClass = false;
  for (let at = from; at < code.length && code[at] !== "\n"; at++) {
    if (code[at] === "\\") at += 1;
    else if (code[at] === "[") isInClass = true;
    else if (code[at] === "]") isInClass = false;
    else if (code[at] === "/" && !isInClass) return at + 1;
  }
  return from;
}

/** Comments that tools read, that a license needs, or that document a name. */
const needed =
  /^#!|^\/\*\*|^\/\/[/!]|licen[sc]e|copyright|SPDX-|(eslint|biome|prettier|oxlint|istanbul|c8|v8|stylelint)-|@ts-|@vite|webpack|noqa|type: ?ignore|pylint|pragma|nolint|go:|#region|#endregion|coding[:=]|shellcheck|svelte-ignore/i;

export interface CommentCount {
  readonly comments: number;
  readonly lines: number;
}

/** Too many added comments; undefined if they are fine. `before`: what the code replaces. */
export function tooManyComments(path: string, code: string, before = ""): CommentCount | undefined {
  const known = new Set(commentsIn(path, before).map(({ text }) => text));
  const added = commentsIn(path, code).filter(
    ({ text, isDocumentation }) => !isDocumentation && !known.has(text) && !needed.test(text),
  );
  const comments = added.reduce((sum, { text }) => sum + text.split("\n").length, 0);
  const lines = code.split("\n").filter((each) => each.trim() !== "").length;
  return comments >= 3 && comments / lines > 0.3 ? { comments, lines } : undefined;
}
