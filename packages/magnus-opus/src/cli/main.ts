// `magnus-opus`: what a person decides and looks at outside of OpenCode. The only place here that catches.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isExplained } from "@atomic/durable-files/explained-error";
import { formatJson } from "@atomic/terminal/json";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { didYouMean } from "@atomic/terminal/suggest";
import { UsageError } from "@atomic/terminal/usage-error";
import { packageRoot } from "../package-root.ts";
import { actCommands } from "./act-commands.ts";
import type { Command, Given } from "./command.ts";
import { type Context, contextOf } from "./context.ts";
import { commandHelp, rootHelp } from "./help.ts";
import { lookCommands } from "./look-commands.ts";
import { findProject } from "./project.ts";

/** What `bin/magnus-opus.js` calls. */
export async function start(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", endQuietly);
  process.exitCode = await main(process.argv.slice(2), contextOf(process));
}

/** `magnus-opus list | head -1`: the reader has what it wanted. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

const commands: readonly Command[] = [...actCommands, ...lookCommands];

/** The whole program: arguments in, exit code out. */
export async function main(argv: readonly string[], context: Context): Promise<number> {
  const isJson = argv.includes("--json");
  try {
    await run(argv, context);
    return 0;
  } catch (error) {
    const { code, message, hint } = explained(error);
    if (isJson && code < 70) context.stdout.write(formatJson({ error: { code, message, hint } }));
    const next = hint === "" ? "" : `${hint.split("\n").map(safeLine).join("\n")}\n`;
    const lines = message.split("\n").map(safeLine).join("\n  ");
    context.stderr.write(`${painter(context.stderr.colour)("red", "magnus-opus:")} ${lines}\n${next}`);
    return code;
  }
}

async function run(argv: readonly string[], context: Context): Promise<void> {
  const [name, ...words] = argv;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    const about = commands.find((command) => command.name === words[0]);
    return context.stdout.write(about === undefined ? rootHelp(commands) : commandHelp(about));
  }
  if (name === "--version" || name === "-v") return context.stdout.write(`${version()}\n`);
  const command = commands.find((each) => each.name === name);
  if (command === undefined)
    throw new UsageError(`unknown command "${name}"${meant(name, names())}`, { hint: helpHint() });
  const found = read(command, words);
  const { help, json, project, ...options } = found.options;
  if (help === true) return context.stdout.write(commandHelp(command));
  const given: Given = { words: counted(command, found.words), options };
  const report = await command.run(findProject(context.cwd, project as string | undefined), given, context);
  context.stdout.write(json === true ? formatJson(report.json) : report.text(context.stdout));
}

function read(command: Command, words: readonly string[]): Given {
  const own = Object.entries(command.options).map(([name, { value }]) => [
    name,
    { type: value === undefined ? "boolean" : "string" },
  ]);
  const options = {
    ...(Object.fromEntries(own) as Record<string, { type: "boolean" | "string" }>),
    json: { type: "boolean" },
    help: { type: "boolean", short: "h" },
    project: { type: "string" },
  } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
    return { words: positionals, options: values as Given["options"] };
  } catch (error) {
    if (!(error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS")))
      throw error;
    const option = words.find((word) => word.startsWith("--") && !Object.hasOwn(options, word.slice(2).split("=")[0]!));
    const said = error.message.split(/[.;] /)[0]!;
    throw new UsageError(
      option === undefined
        ? said
        : `unknown option ${option}${meant(
            option,
            Object.keys(options).map((each) => `--${each}`),
          )}`,
      { hint: helpHint(command) },
    );
  }
}

function counted(command: Command, words: readonly string[]): readonly string[] {
  const { least, most } = command.words;
  if (words.length >= least && words.length <= most) return words;
  const what = words.length < least ? "something is missing" : `there is a word too many: ${words[most]}`;
  throw new UsageError(`${what}: magnus-opus ${command.name} ${command.usage}`.trimEnd(), { hint: helpHint(command) });
}

function explained(error: unknown): { code: number; message: string; hint: string } {
  if (isExplained(error)) return { code: error.exitCode, message: error.message, hint: error.hint ?? "" };
  const stack = (error instanceof Error && error.stack) || String(error);
  return { code: 70, message: `internal error: this is a bug in magnus-opus.\n${stack}`, hint: "" };
}

function names(): readonly string[] {
  return commands.map(({ name }) => name);
}

function meant(word: string, known: readonly string[]): string {
  const [best] = didYouMean(word, known);
  return best === undefined ? "" : ` (did you mean ${best}?)`;
}

function helpHint(command?: Command): string {
  return `\`magnus-opus ${command === undefined ? "" : `${command.name} `}--help\` shows what there is.`;
}

function version(): string {
  return (JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string }).version;
}
