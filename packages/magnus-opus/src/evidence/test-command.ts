import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/schema.ts";

/** How the project's tests are run, or why nobody knows. */
export type TestCommand =
  | { readonly argv: readonly [string, ...string[]]; readonly from: string }
  | { readonly unknown: string };

const managers: readonly (readonly [lockFile: string, argv: readonly [string, ...string[]]])[] = [
  ["bun.lock", ["bun", "run", "test"]],
  ["bun.lockb", ["bun", "run", "test"]],
  ["pnpm-lock.yaml", ["pnpm", "test"]],
  ["yarn.lock", ["yarn", "test"]],
];

const howToSay = 'Say how, as "tests": { "command": ["npm", "test"] } in .opencode/magnus-opus.json.';

/** What the settings say; else the script `test` of package.json, by the package manager that the project uses. */
export function testCommand(project: string, settings: Config["tests"]): TestCommand {
  if (settings?.command !== undefined) {
    return { argv: settings.command as [string, ...string[]], from: "tests.command of the settings" };
  }
  const script = testScript(join(project, "package.json"));
  if (script === undefined || /no test specified/.test(script)) {
    return { unknown: `package.json has no script "test". ${howToSay}` };
  }
  const manager = managers.find(([lockFile]) => existsSync(join(project, lockFile)));
  return { argv: manager?.[1] ?? ["npm", "test"], from: 'the script "test" of package.json' };
}

function testScript(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const { scripts } = JSON.parse(readFileSync(file, "utf8")) as { readonly scripts?: { readonly test?: unknown } };
    return typeof scripts?.test === "string" ? scripts.test : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
