// Command lines that only read. This is an allowlist, including options: an option that is not listed may write or run something.

import { shellWords } from "./shell-words.ts";
import { lookUp } from "./state.ts";

interface Rule {
  /** Letters of short options. */
  readonly short?: string;
  readonly long?: string;
  /** The most arguments that are not options. */
  readonly most?: number;
}

const seen = "stat name-only name-status numstat shortstat patch no-color color unified word-diff diff-filter";
const searching =
  "include exclude exclude-dir recursive line-number ignore-case files-with-matches files-without-match count " +
  "invert-match word-regexp only-matching extended-regexp fixed-strings perl-regexp context after-context " +
  "before-context max-count no-messages color no-filename with-filename";
const commits =
  "oneline graph decorate all since until after before author grep format pretty max-count reverse follow no-merges " +
  "merges first-parent date abbrev-commit branches tags count";

const grep: Rule = { short: "rRnilLcvwxoEFPHhsqeABCmIa", long: searching };

const rules: Readonly<Record<string, Rule>> = {
  pwd: {},
  cd: { most: 1 },
  ls: { short: "aAlhRtrS1dFpi", long: "all almost-all human-readable recursive reverse" },
  cat: { short: "nbsAET" },
  head: { short: "ncqv", long: "lines bytes" },
  tail: { short: "ncqv", long: "lines bytes" },
  wc: { short: "lwcmL", long: "lines words bytes chars" },
  nl: { short: "ba" },
  echo: { short: "n" },
  true: { most: 0 },
  date: { most: 0 },
  whoami: { most: 0 },
  uname: { short: "asrm", most: 0 },
  basename: {},
  dirname: {},
  realpath: {},
  readlink: { short: "f" },
  stat: {},
  file: { short: "b" },
  which: { short: "a" },
  du: { short: "shadcm", long: "summarize human-readable max-depth" },
  df: { short: "h" },
  tree: { short: "aLdIPfh", long: "gitignore dirsfirst prune" },
  sort: { short: "rnukhVf", long: "reverse numeric-sort unique" },
  uniq: { short: "cdui", most: 1 },
  cut: { short: "dfc" },
  tr: { short: "dsc" },
  diff: { short: "rqubwBiN", long: "brief recursive unified" },
  cmp: { short: "s" },
  grep,
  egrep: grep,
  fgrep: grep,
  rg: {
    short: "nilcvwoFSsLHNuUePgtTABCm",
    long: `${searching} files glob type type-not hidden no-ignore stats max-depth sort`,
  },
  jq: { short: "rcsnSeMC", long: "raw-output compact-output slurp arg" },
  "git status": { short: "sbu", long: "short branch porcelain untracked-files ignored" },
  "git log": { short: "npSGLi", long: `${commits} ${seen}` },
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

const finding =
  "-name -iname -path -ipath -wholename -type -maxdepth -mindepth -not -o -or -a -and -size -mtime -newer -empty " +
  "-print -print0 -prune -regex -iregex -L -H -P -depth";
const findWords = new Set(finding.split(" "));
const versioned = new Set(["node", "npm", "npx", "pnpm", "yarn", "bun", "deno", "tsc", "git", "convex"]);

/** Why a command line is not known to only read; undefined if it is. */
export function whyNotReadOnly(line: unknown): string | undefined {
  if (typeof line !== "string") return "it is not text";
  const read = shellWords(line);
  if ("problem" in read) return `it contains ${read.problem}`;
  // A subfolder can be a separate repository, whose settings can run programs.
  const names = new Set(read.commands.map(([name]) => name));
  if (names.has("cd") && names.has("git")) return "git may only be used in the project folder";
  for (const words of read.commands) {
    if (!isReadOnly(words)) return `"${words.slice(0, 3).join(" ")}" is not on the list of read-only commands`;
  }
  return undefined;
}

function isReadOnly(words: readonly string[]): boolean {
  const [name, ...args] = words as [string, ...string[]];
  if (versioned.has(name) && args.length === 1 && /^(--version|-v)$/.test(args[0]!)) return true;
  if (name === "find") return args.every((arg) => !arg.startsWith("-") || findWords.has(arg));
  if (name === "sed") {
    // Only `sed -n 10,20p file`: other sed scripts can write files and run programs.
    const [option, script, ...files] = args;
    return option === "-n" && /^\d+(,(\d+|\$))?p$/.test(script ?? "") && files.every((file) => !file.startsWith("-"));
  }
  let rule = lookUp(rules, name);
  if (name === "git") {
    while (args[0] === "--no-pager") args.shift();
    const command = args.shift() ?? "";
    if (command === "stash") return args.length === 1 && args[0] === "list";
    if (command === "config") return args.length === 2 && args[0] === "--get" && !args[1]!.startsWith("-");
    rule = lookUp(rules, `git ${command}`);
  }
  if (rule === undefined) return false;
  const { short = "", long = "", most = Number.POSITIVE_INFINITY } = rule;
  const end = args.indexOf("--");
  const options = (end < 0 ? args : args.slice(0, end)).filter((arg) => arg.startsWith("-") && arg !== "-");
  const others = args.length - options.length - (end < 0 ? 0 : 1);
  return (
    others <= most &&
    options.every((option) =>
      // Long options must be complete, because programs accept prefixes.
      option.startsWith("--")
        ? long.split(" ").includes(option.slice(2).replace(/=.*$/s, ""))
        : [...option.slice(1)].every((letter) => short.includes(letter) || /\d/.test(letter)),
    )
  );
}
