import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/schema.ts";
import type { SettledCommand } from "../run/evidence.ts";

/** How to run the project's tests, or why that is unknown. */
export type TestCommand = Known | { readonly unknown: string };

interface Known {
  readonly argv: readonly [string, ...string[]];
  readonly timeoutMs: number;
  /** The package.json scripts that it runs: if a building agent changes them, that is detected. */
  readonly script?: string;
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
  if (said !== undefined) return withScript({ argv: said, timeoutMs }, scripts);
  if (scripts.test === undefined || /no test specified/.test(scripts.test)) {
    return { unknown: `package.json has no "test" script. ${howToSay}` };
  }
  const manager = managers.find(([lockFile]) => existsSync(join(project, lockFile)));
  return withScript({ argv: manager?.[1] ?? ["npm", "test"], timeoutMs }, scripts);
}

/** The command that is fixed when a run starts; omitted if the project has no tests yet. */
export function settledTests(project: string, settings: Config["tests"]): { readonly testCommand?: SettledCommand } {
  const command = testCommand(project, settings);
  if ("unknown" in command) return {};
  const { argv, script } = command;
  return { testCommand: { argv: [...argv], ...(script !== undefined && { script }) } };
}

/** As in `npm run -s unit`, `pnpm unit`, `run-s unit`. */
const scriptCall = /\b(?:npm|pnpm|yarn|bun|npm-run-all|run-[sp])\s+(?:(?:-\S+|run|run-script)\s+)*([\w:.-]+)/g;

type Scripts = Readonly<Record<string, string>>;

function withScript(command: Known, scripts: Scripts): Known {
  const [program, ...words] = command.argv;
  const named = /^(?:npm|pnpm|yarn|bun)$/.test(program) ? words.filter((word) => Object.hasOwn(scripts, word)) : [];
  let all: readonly string[] = [];
  for (const name of named) all = withCalled(all, name, scripts);
  return all.length === 0 ? command : { ...command, script: all.map((name) => `${name}: ${scripts[name]}`).join("; ") };
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
