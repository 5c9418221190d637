// The comments in a piece of code, and whether there are too many. Reads each language's own comments, and no strings.

interface Language {
  readonly line: readonly string[];
  readonly block: readonly (readonly [begin: string, end: string])[];
  /** What begins and ends a string. */
  readonly quotes: readonly string[];
  /** A slash may begin a regular expression. */
  readonly hasRegex?: boolean;
}

const cLike: Language = { line: ["//"], block: [["/*", "*/"]], quotes: ['"', "'"] };
const script: Language = { ...cLike, quotes: ['"', "'", "`"], hasRegex: true };
const hash: Language = { line: ["#"], block: [], quotes: ['"', "'"] };
const markup: Language = { line: [], block: [["<!--", "-->"]], quotes: [] };
/** A Svelte or Vue file has markup, scripts and styles. */
const component: Language = { ...script, block: [...script.block, ...markup.block], quotes: ['"', "`"] };

const byExtension: Readonly<Record<string, Language>> = {
  ...of("ts tsx mts cts js jsx mjs cjs", script),
  ...of("java kt kts scala swift c h cc cpp hpp cs m mm dart groovy proto zig", cLike),
  // A quote in Rust also begins a lifetime, and PHP has both kinds of line comments.
  ...of("rs", { ...cLike, quotes: ['"'] }),
  ...of("go", { ...cLike, quotes: ['"', "'", "`"] }),
  ...of("php", { ...cLike, line: ["//", "#"] }),
  ...of("py pyi", { ...hash, quotes: ['"""', "'''", '"', "'"] }),
  ...of("rb sh bash zsh fish yml yaml toml tf pl r ex exs nim jl", hash),
  ...of("sql", { line: ["--"], block: [["/*", "*/"]], quotes: ["'", '"'] }),
  ...of("lua", { line: ["--"], block: [["--[[", "]]"]], quotes: ['"', "'"] }),
  ...of("hs elm", { line: ["--"], block: [["{-", "-}"]], quotes: ['"'] }),
  ...of("css", { line: [], block: [["/*", "*/"]], quotes: ['"', "'"] }),
  ...of("scss less", cLike),
  ...of("html htm xml svg", markup),
  ...of("svelte vue astro", component),
};

function of(extensions: string, language: Language): Readonly<Record<string, Language>> {
  return Object.fromEntries(extensions.split(" ").map((extension) => [extension, language]));
}

function languageOf(path: string): Language | undefined {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined;
}

/** The text of each comment, with its markers. Empty for a language that is not known. */
export function commentsIn(path: string, code: string): readonly string[] {
  const language = languageOf(path);
  if (language === undefined) return [];
  const { line, block, quotes, hasRegex = false } = language;
  const found: string[] = [];
  let at = 0;
  /** The last character that is not white space, which tells a division from a regular expression. */
  let before = "";
  while (at < code.length) {
    const opened = block.find(([begin]) => code.startsWith(begin, at));
    const isLine =
      line.some((marker) => code.startsWith(marker, at)) &&
      (line[0] !== "#" || /^$|\s/.test(code[at - 1] ?? "")) &&
      !(line[0] === "//" && address.test(code.slice(Math.max(0, at - 12), at)));
    const quote = quotes.find((each) => code.startsWith(each, at));
    const start = at;
    if (opened !== undefined) {
      at = after(code, opened[1], at + opened[0].length);
      found.push(code.slice(start, at));
    } else if (isLine) {
      at = lineEnd(code, at);
      found.push(code.slice(start, at));
    } else if (quote !== undefined) {
      at = stringEnd(code, at + quote.length, quote);
      before = quote;
    } else if (
      hasRegex &&
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
  const known = new Set(commentsIn(path, before));
  const added = commentsIn(path, code).filter((comment) => !known.has(comment) && !needed.test(comment));
  const comments = added.reduce((sum, comment) => sum + comment.split("\n").length, 0);
  const lines = code.split("\n").filter((each) => each.trim() !== "").length;
  return comments >= 3 && comments / lines > 0.3 ? { comments, lines } : undefined;
}
