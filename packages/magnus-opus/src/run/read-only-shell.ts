// Command lines that only read. This is an allowlist, including options: an option that is not listed may write or run something.

import { type ShellWord, shellWords } from "./shell-words.ts";
import { lookUp } from "./state.ts";

interface Rule {
  /** Letters of short options. */
  readonly short?: string;
  /** Those of them that take the rest of their word as a value, in every version of the program. */
  readonly valued?: string;
  readonly long?: string;
  /** The most arguments that are not options. */
  readonly most?: number;
  /** No option of the program writes or runs anything, so a file whose name is one does not matter, and `*` is safe. */
  readonly isHarmless?: true;
}

const seen = "stat name-only name-status numstat shortstat patch no-color color unified word-diff diff-filter";
const searching =
  "include exclude exclude-dir recursive line-number ignore-case files-with-matches files-without-match count " +
  "invert-match word-regexp only-matching extended-regexp fixed-strings perl-regexp context after-context " +
  "before-context max-count no-messages color no-filename with-filename";
const commits =
  "oneline graph decorate all since until after before author grep format pretty max-count reverse follow no-merges " +
  "merges first-parent date abbrev-commit branches tags count";

const grep: Rule = { short: "rRnilLcvwxoEFPHhsqeABCmIa", valued: "eABCm", long: searching, isHarmless: true };

const rules: Readonly<Record<string, Rule>> = {
  pwd: {},
  cd: { most: 1 },
  ls: { short: "aAlhRtrS1dFpi", long: "all almost-all human-readable recursive reverse color", isHarmless: true },
  cat: { short: "nbsAET", isHarmless: true },
  head: { short: "ncqv", valued: "nc", long: "lines bytes", isHarmless: true },
  tail: { short: "ncqv", valued: "nc", long: "lines bytes", isHarmless: true },
  wc: { short: "lwcmL", long: "lines words bytes chars", isHarmless: true },
  nl: { short: "ba" },
  true: { most: 0 },
  date: { most: 0 },
  whoami: { most: 0 },
  uname: { short: "asrm", most: 0 },
  basename: {},
  dirname: {},
  realpath: {},
  readlink: { short: "f" },
  stat: { short: "c", valued: "c", isHarmless: true },
  file: { short: "b" },
  which: { short: "a" },
  du: { short: "shadcm", long: "summarize human-readable max-depth", isHarmless: true },
  df: { short: "h" },
  tree: { short: "aLdIPfh", long: "gitignore dirsfirst prune" },
  sort: { short: "rnukhVftb", valued: "tk", long: "reverse numeric-sort unique" },
  uniq: { short: "cdui", most: 1 },
  cut: { short: "dfcbs", valued: "dfcb", isHarmless: true },
  tr: { short: "dsc" },
  diff: { short: "rqubwBiN", long: "brief recursive unified" },
  cmp: { short: "s" },
  grep,
  egrep: grep,
  fgrep: grep,
  rg: {
    short: "nilcvwoFSsLHNuUePgtTABCm",
    valued: "egtTABCm",
    long: `${searching} files glob type type-not hidden no-ignore stats max-depth sort`,
  },
  jq: { short: "rcsnSeMC", long: "raw-output compact-output slurp arg" },
  "git status": { short: "sbu", long: "short branch porcelain untracked-files ignored" },
  "git log": { short: "npSGLi", valued: "nSGL", long: `${commits} ${seen}` },
  "git show": { short: "pwb", long: `${commits} ${seen}` },
  "git diff": { short: "pUwbM", long: `${seen} cached staged ignore-all-space merge-base exit-code quiet` },
  "git blame": { short: "LwCMe" },
  "git ls-files": { short: "mocsd", long: "others modified cached deleted stage exclude-standard" },
  "git ls-tree": { short: "rtd", long: "name-only" },
  "git cat-file": { short: "pts" },
  "git rev-parse": { long: "show-toplevel abbrev-ref short verify is-inside-work-tree git-dir show-prefix" },
  "git rev-list": { short: "n", long: commits },
  "git merge-base": { short: "a", long: "all is-ancestor fork-point" },
  "git branch": { short: "avr", long: "list show-current all remotes", most: 0 },
  "git tag": { short: "l", long: "list", most: 0 },
  "git remote": { short: "v", most: 0 },
  "git shortlog": { short: "sne" },
  "git describe": { long: "tags always abbrev" },
  "git grep": { short: "nilcwEFPehI", long: searching },
};

/** What `find` takes: options and tests with an argument, and those without. */
const findArguments = new Set(
  "-name -iname -path -ipath -wholename -type -maxdepth -mindepth -size -mtime -mmin -newer -regex -iregex -printf".split(
    " ",
  ),
);
const findAlone = new Set("! ( ) -not -o -or -a -and -empty -print -print0 -prune -depth -ls -quit".split(" "));
// Not yarn, pnpm, cargo or rustc: a file of the project can name another program that they run instead.
const versioned = new Set("node npm npx bun deno tsc convex python python3 ruby php java".split(" "));

/** Why a command line is not known to only read; undefined if it is. */
export function whyNotReadOnly(line: unknown): string | undefined {
  if (typeof line !== "string") return "it is not text";
  const read = shellWords(line);
  if ("problem" in read) return `it contains ${read.problem}`;
  // A subfolder can be a separate repository, whose settings can run programs.
  const names = new Set(read.commands.map(([name]) => name?.text));
  if (names.has("cd") && names.has("git")) return "git may only be used in the project folder";
  for (const words of read.commands) {
    const shown = words.slice(0, 3).map(({ text }) => text);
    if (!isReadOnly(words)) return `"${shown.join(" ")}" is not on the list of read-only commands`;
  }
  return undefined;
}

function isReadOnly(words: readonly ShellWord[]): boolean {
  const [name, ...args] = words.map(({ text }) => text) as [string, ...string[]];
  const hasPattern = words.some(({ pattern }) => pattern !== undefined);
  // Not every shell knows `\(`: without a backslash, what is inside runs. So it has to be what `find` takes.
  if (words.some(({ isOperator }) => isOperator) && !["find", "test", "["].includes(name)) return false;
  // It only prints, whatever it gets.
  if (name === "echo") return true;
  if (name === "find") return isReadOnlyFind(words.slice(1));
  while (name === "git" && args[0] === "--no-pager") args.shift();
  const rule = lookUp(rules, name === "git" ? `git ${args[0] ?? ""}` : name);
  if (rule === undefined) return !hasPattern && isOneOfAKind(name, args);
  if (name === "git") args.shift();
  // Checking a signature runs the program that the settings name.
  if (name === "git" && args.some((arg) => /%[-+ ]?G/.test(arg))) return false;
  const { short = "", valued = "", long = "", most = Number.POSITIVE_INFINITY, isHarmless = false } = rule;
  const end = args.indexOf("--");
  // A pattern may match a file whose name is an option, and more files than one.
  const given = words.slice(words.length - args.length);
  const isLoose = given.some(({ pattern }, at) => pattern === "free" && !(name === "git" && end >= 0 && at > end));
  if ((isLoose && !isHarmless) || (hasPattern && most < Number.POSITIVE_INFINITY)) return false;
  const options = (end < 0 ? args : args.slice(0, end)).filter((arg) => arg.startsWith("-") && arg !== "-");
  const others = args.length - options.length - (end < 0 ? 0 : 1);
  return (
    others <= most &&
    options.every((option) => {
      // Long options must be complete, because programs accept prefixes.
      if (option.startsWith("--")) return long.split(" ").includes(option.slice(2).replace(/=.*$/s, ""));
      const letters = [...option.slice(1)];
      const value = letters.findIndex((letter) => valued.includes(letter));
      const own = value < 0 ? letters : letters.slice(0, value);
      return own.every((letter) => short.includes(letter) || /\d/.test(letter));
    })
  );
}

/** Commands of which only one form is known to read. */
function isOneOfAKind(name: string, args: readonly string[]): boolean {
  const [first = "", second = "", ...more] = args;
  switch (name) {
    case "sed":
      // Other sed scripts can write files and run programs.
      return first === "-n" && /^\d+(,(\d+|\$))?p$/.test(second) && more.every((file) => !file.startsWith("-"));
    case "[":
    case "test": {
      // `-v` and numbers are evaluated by some shells, and what they evaluate can run programs.
      const tested = args.slice(first === "!" ? 1 : 0, name === "[" && args.at(-1) === "]" ? -1 : args.length);
      const isClosed = (args.at(-1) === "]") === (name === "[");
      return isClosed && tested.length === 2 && /^-[efdrwxsLhzn]$/.test(tested[0]!) && !/^[-(!]/.test(tested[1]!);
    }
    case "command":
      return first === "-v" && args.length === 2 && /^\w[\w.-]*$/.test(second);
    case "go":
      return args.length === 1 && first === "version";
    case "git":
      if (first === "config") return args.length === 3 && second === "--get" && !more[0]!.startsWith("-");
      return args.join(" ") === "stash list" || args.join(" ") === "--version";
    default:
      return versioned.has(name) && args.length === 1 && /^(--version|-v)$/.test(first);
  }
}

/** Paths, then tests with their arguments. A pattern among the tests could change which word is an argument. */
function isReadOnlyFind(words: readonly ShellWord[]): boolean {
  const isPath = ({ text, pattern }: ShellWord): boolean => !/^[-!(),]/.test(text) && pattern !== "free";
  const first = words.findIndex(({ text }) => !/^-[LHP]$/.test(text));
  const args = words.slice(Math.max(0, first));
  const tests = args.findIndex((word) => !isPath(word));
  for (let at = tests < 0 ? args.length : tests; at < args.length; at++) {
    const { text, pattern } = args[at]!;
    if (pattern !== undefined) return false;
    if (findAlone.has(text)) continue;
    const argument = args[at + 1];
    const isKnown = findArguments.has(text) && argument !== undefined && argument.pattern === undefined;
    if (!isKnown || !(/^-\d+[A-Za-z]?$/.test(argument.text) || !argument.text.startsWith("-"))) return false;
    at += 1;
  }
  return true;
}
