import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Config } from "../config/schema.ts";
import type { SettledCommand } from "../run/evidence.ts";
import { isTestFile } from "../run/test-files.ts";
import { fits, type Stack } from "../stacks/stack.ts";
import { namesRunner } from "./test-counts.ts";

/** How to run the project's tests, or why that is unknown. */
export type TestCommand = Known | { readonly unknown: string };

interface Known extends Omit<SettledCommand, "argv"> {
  readonly argv: readonly [string, ...string[]];
  readonly timeoutMs: number;
}

const usualMinutes = 10;

/** Package managers run the project's own script, if there is one. */
const managers: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"]);

/** The configured command; otherwise the first one of the stack that fits the project. */
export function testCommand(project: string, settings: Config["tests"], stack: Stack): TestCommand {
  const { scripts, isBroken } = scriptsIn(join(project, "package.json"));
  const said = settings?.command as [string, ...string[]] | undefined;
  const timeoutMs = (settings?.timeoutMinutes ?? usualMinutes) * 60_000;
  if (said !== undefined) return complete(project, { argv: said, timeoutMs, setBy: "settings" }, scripts);
  const hasScript = scripts.test !== undefined && !/no test specified/.test(scripts.test);
  for (const [condition, text] of Object.entries(stack.tests ?? {})) {
    const argv = text.split(/\s+/) as [string, ...string[]];
    if (!fits(project, condition) || (managers.has(argv[0]) && argv.includes("test") && !hasScript)) continue;
    return complete(project, { argv, timeoutMs, setBy: "stack" }, scripts);
  }
  const isPackage = existsSync(join(project, "package.json"));
  const inSettings =
    'et "tests": { "command": ["…", "…"] } in .opencode/magnus-opus.json, for example ["make", "test"].';
  if (isBroken) return { unknown: "package.json is not valid JSON, so its scripts are unknown. Correct it." };
  if (isPackage) return { unknown: `package.json has no "test" script. Add one, or s${inSettings}` };
  return { unknown: `no test command is known for this project (stack: ${stack.name}). S${inSettings}` };
}

/** The command that is fixed when a run starts; omitted if the project has no tests yet. */
export function settledTests(
  project: string,
  settings: Config["tests"],
  stack: Stack,
): { readonly testCommand?: SettledCommand; readonly testFiles?: string[] } {
  const command = testCommand(project, settings, stack);
  const testFiles = stack.testFiles.length === 0 ? {} : { testFiles: [...stack.testFiles] };
  if ("unknown" in command) return testFiles;
  const { timeoutMs: _, argv, ...rest } = command;
  return { testCommand: { argv: [...argv], ...rest }, ...testFiles };
}

/** As in `npm run -s unit`, `pnpm unit`, `run-s unit`. */
const scriptCall = /\b(?:npm|pnpm|yarn|bun|npm-run-all|run-[sp])\s+(?:(?:-\S+|run|run-script)\s+)*([\w:.-]+)/g;

type Scripts = Readonly<Record<string, string>>;

/** With all that says what the command does: if a building agent changes that, it is detected. */
function complete(project: string, command: Known, scripts: Scripts): Known {
  const [program, ...words] = command.argv;
  const named = /^(?:npm|pnpm|yarn|bun)$/.test(program) ? words.filter((word) => Object.hasOwn(scripts, word)) : [];
  let all: readonly string[] = [];
  for (const name of named) all = withCalled(all, name, scripts);
  const script = all.length === 0 ? undefined : all.map((name) => `${name}: ${scripts[name]}`).join("; ");
  const definition = definitionOf(project, [...command.argv, ...(script ?? "").split(/[\s;&|]+/)]);
  return { ...command, ...(script !== undefined && { script }), ...(definition !== undefined && { definition }) };
}

/** Where these programs read what to do. */
const recipes: Readonly<Record<string, readonly string[]>> = {
  make: ["Makefile", "makefile", "GNUmakefile"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml"],
  composer: ["composer.json"],
  deno: ["deno.json", "deno.jsonc"],
  rake: ["Rakefile"],
  tox: ["tox.ini"],
  nox: ["noxfile.py"],
};

/** What the project does not write itself. */
const dependencies = /(?:^|\/)(?:node_modules|vendor|\.?venv)\//;

/** Programs that run a file. */
const interpreters = /^(?:(?:ba|da|z)?sh|node|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|env|exec|time|cross-env|npx)$/;
/** Their options that take a value. */
const valued = /^(?:-r|-e|-P|--require|--import|--loader|--env-file)$/;

/**
 * Whether only the project's own files say which runner a command starts: no part of it starts one itself. `make jest` and
 * `sh scripts/jest.sh` may print what they like.
 */
export function isDecidedByProject(
  project: string,
  { argv, script }: { readonly argv: readonly string[]; readonly script?: string | undefined },
): boolean {
  // What `npm run jest` starts is in its script. `bun test` is a runner, also where there is a script of that name.
  const own = script === undefined || argv.slice(0, 2).join(" ") === "bun test" ? [argv.join(" ")] : [];
  const parts = (script ?? "").split(/[;&|]+/).map((part) => part.replace(/^\s*[\w:.-]+:\s/, ""));
  return ![...own, ...parts].some((part) => namesRunner(part) && !startsOwnFile(project, part));
}

function startsOwnFile(project: string, part: string): boolean {
  const words = part.split(/\s+/).filter((word) => word !== "" && !/^\w+=/.test(word));
  const isOwn = (word: string): boolean => !dependencies.test(word) && !isTestFile(word) && isFile(join(project, word));
  const at = words.findIndex((word, index) => {
    const isInterpreter = interpreters.test(basename(word)) && !isOwn(word);
    return !isInterpreter && !word.startsWith("-") && !valued.test(words[index - 1] ?? "");
  });
  const program = words[at];
  // The file in `node --test shop.js` is what the runner gets.
  if (program === undefined || namesRunner(words.slice(0, at).join(" "))) return false;
  if (program === "deno") return words[at + 1] === "task";
  return Object.hasOwn(recipes, program) || isOwn(program);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** A hash of the recipes and scripts that the words of a command name. Test files are not among them: agents write those. */
function definitionOf(project: string, words: readonly string[]): string | undefined {
  const names = words.flatMap((word) => [...(Object.hasOwn(recipes, word) ? recipes[word]! : []), word]);
  const files = [...new Set(names)].filter((name) => {
    const isCandidate = name !== "" && !name.includes("node_modules") && !isTestFile(name);
    return isCandidate && isFile(join(project, name));
  });
  if (files.length === 0) return undefined;
  const hash = createHash("sha256");
  for (const name of files)
    hash
      .update(`${name}\0`)
      .update(name === "composer.json" ? composerScripts(join(project, name)) : readFileSync(join(project, name)))
      .update("\0");
  return `sha256:${hash.digest("hex")}`;
}

/** Its dependencies may change. */
function composerScripts(file: string): string {
  const text = readFileSync(file, "utf8");
  try {
    return JSON.stringify((JSON.parse(text) as { readonly scripts?: unknown } | null)?.scripts ?? null);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

/** Adds a script, its pre and post scripts, and the scripts that it calls. */
function withCalled(known: readonly string[], name: string, scripts: Scripts): readonly string[] {
  if (known.includes(name) || !Object.hasOwn(scripts, name)) return known;
  const called = Array.from(scripts[name]!.matchAll(scriptCall), ([, script = ""]) => script);
  let all: readonly string[] = [...known, name];
  for (const each of [`pre${name}`, ...called, `post${name}`]) all = withCalled(all, each, scripts);
  return all;
}

function scriptsIn(file: string): { readonly scripts: Scripts; readonly isBroken?: boolean } {
  if (!existsSync(file)) return { scripts: {} };
  try {
    const { scripts } = JSON.parse(readFileSync(file, "utf8")) as { readonly scripts?: object | null };
    const texts = Object.entries(scripts ?? {}).filter(([, text]) => typeof text === "string");
    return { scripts: Object.fromEntries(texts) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return { scripts: {}, isBroken: true };
    throw error;
  }
}
