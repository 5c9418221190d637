import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/schema.ts";
import type { SettledCommand } from "../run/evidence.ts";
import { isTestFile } from "../run/test-files.ts";

/** How to run the project's tests, or why that is unknown. */
export type TestCommand = Known | { readonly unknown: string };

interface Known extends Omit<SettledCommand, "argv"> {
  readonly argv: readonly [string, ...string[]];
  readonly timeoutMs: number;
}

const managers: readonly (readonly [lockFile: string, argv: readonly [string, ...string[]]])[] = [
  ["bun.lock", ["bun", "run", "test"]],
  ["bun.lockb", ["bun", "run", "test"]],
  ["pnpm-lock.yaml", ["pnpm", "test"]],
  ["yarn.lock", ["yarn", "test"]],
];

const usualMinutes = 10;
const howToSay = 'Set "tests": { "command": ["npm", "test"] } in .opencode/magnus-opus.json.';

/** The configured command; otherwise the `test` script in package.json, run by the project's package manager. */
export function testCommand(project: string, settings: Config["tests"]): TestCommand {
  const scripts = scriptsIn(join(project, "package.json"));
  const said = settings?.command as [string, ...string[]] | undefined;
  const timeoutMs = (settings?.timeoutMinutes ?? usualMinutes) * 60_000;
  if (said !== undefined) return complete(project, { argv: said, timeoutMs, setBy: "settings" }, scripts);
  if (scripts.test === undefined || /no test specified/.test(scripts.test)) {
    return { unknown: `package.json has no "test" script. ${howToSay}` };
  }
  const manager = managers.find(([lockFile]) => existsSync(join(project, lockFile)));
  return complete(project, { argv: manager?.[1] ?? ["npm", "test"], timeoutMs, setBy: "stack" }, scripts);
}

/** The command that is fixed when a run starts; omitted if the project has no tests yet. */
export function settledTests(project: string, settings: Config["tests"]): { readonly testCommand?: SettledCommand } {
  const command = testCommand(project, settings);
  if ("unknown" in command) return {};
  const { timeoutMs: _, argv, ...rest } = command;
  return { testCommand: { argv: [...argv], ...rest } };
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

/** A hash of the recipes and scripts that the words of a command name. Test files are not among them: agents write those. */
function definitionOf(project: string, words: readonly string[]): string | undefined {
  const names = words.flatMap((word) => [...(Object.hasOwn(recipes, word) ? recipes[word]! : []), word]);
  const files = [...new Set(names)].filter((name) => {
    const isCandidate = name !== "" && !name.includes("node_modules") && !isTestFile(name);
    return isCandidate && statSync(join(project, name), { throwIfNoEntry: false })?.isFile() === true;
  });
  if (files.length === 0) return undefined;
  const hash = createHash("sha256");
  for (const name of files)
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(project, name)))
      .update("\0");
  return `sha256:${hash.digest("hex")}`;
}

/** Adds a script, its pre and post scripts, and the scripts that it calls. */
function withCalled(known: readonly string[], name: string, scripts: Scripts): readonly string[] {
  if (known.includes(name) || !Object.hasOwn(scripts, name)) return known;
  const called = Array.from(scripts[name]!.matchAll(scriptCall), ([, script = ""]) => script);
  let all: readonly string[] = [...known, name];
  for (const each of [`pre${name}`, ...called, `post${name}`]) all = withCalled(all, each, scripts);
  return all;
}

function scriptsIn(file: string): Scripts {
  if (!existsSync(file)) return {};
  try {
    const { scripts } = JSON.parse(readFileSync(file, "utf8")) as { readonly scripts?: object | null };
    return Object.fromEntries(Object.entries(scripts ?? {}).filter(([, text]) => typeof text === "string"));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return {};
    throw error;
  }
}
