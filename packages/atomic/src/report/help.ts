import { exitCodes } from "@atomic/terminal/exit-codes";
import { painter } from "@atomic/terminal/paint";
import { type AnyCommand, type Example, flagOf, isLive, type OptionSpec, termOf } from "../command.ts";

// Commander takes the colours out again where there are none.
const paint = painter(true);

type Row = readonly [term: string, meaning: string];

const helpRow: Row = ["-h, --help", "Show this help"];
const jsonRow: Row = ["--json", "Print one JSON document instead of text"];
const jsonLinesRow: Row = ["--json", "Print one JSON document a line: all that happens, and how it ended"];

/** Commands whose first example stands in the help of all: where a newcomer would begin. */
const shown: readonly string[] = ["run", "show", "approve", "entities", "which", "lint"];

export function rootHelp(commands: readonly AnyCommand[]): string {
  return sections([
    `${title("Usage:")} atomic <command> [options]`,
    "Run workflows of coding agents, and see the agents, skills and commands that they see,\nwhoever's format they are written in.",
    list("Commands:", [
      ...commands.map((command): Row => [usageOf(command), command.summary]),
      ["help [command]", "Show this help, or that of a command"],
    ]),
    list("Options:", [helpRow, ["-v, --version", "Show the version"]]),
    examplesOf(commands.filter(({ name }) => shown.includes(name)).flatMap(({ examples }) => examples.slice(0, 1))),
    list(
      "Exit codes:",
      exitCodes.map(({ code, means }): Row => [String(code), means]),
    ),
    "Colours are for terminals only, and never shown where NO_COLOR is set.",
  ]);
}

export function commandHelp(command: AnyCommand): string {
  return sections([
    `${title("Usage:")} atomic ${usageOf(command)} [options]`,
    `${command.summary}.`,
    list(
      "Arguments:",
      Object.entries(command.arguments).map(([name, { summary }]): Row => [name, summary]),
    ),
    list("Options:", [
      ...Object.entries(command.options).map((option): Row => [flagOf(option), meaningOf(option[1])]),
      isLive(command) && command.name !== "show" ? jsonLinesRow : jsonRow,
      helpRow,
    ]),
    ...(command.remarks ?? []),
    examplesOf(command.examples),
  ]);
}

function usageOf(command: AnyCommand): string {
  return [command.name, ...Object.entries(command.arguments).map(termOf)].join(" ");
}

function meaningOf(spec: OptionSpec): string {
  return spec.kind === "choice" ? `${spec.summary}: ${spec.choices.join(", ")}` : spec.summary;
}

function examplesOf(examples: readonly Example[]): string {
  const lines = examples.map(({ command, shows }) => `  $ ${paint("cyan", command)}\n    ${shows}`);
  return lines.length === 0 ? "" : [title("Examples:"), ...lines].join("\n");
}

function list(heading: string, rows: readonly Row[]): string {
  const width = Math.max(0, ...rows.map(([term]) => term.length));
  const lines = rows.map(([term, meaning]) => `  ${paint("cyan", term)}${" ".repeat(width - term.length)}  ${meaning}`);
  return lines.length === 0 ? "" : [title(heading), ...lines].join("\n");
}

function title(text: string): string {
  return paint("bold", text);
}

function sections(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}
