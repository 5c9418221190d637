import { exitCodes } from "@atomic/terminal/exit-codes";
import type { Command } from "./command.ts";

type Row = readonly [term: string, meaning: string];

const commonOptions: readonly Row[] = [
  ["--project <folder>", "Where OpenCode runs; without it, the nearest folder above with ai-docs/sessions"],
  ["--json", "One JSON document instead of text"],
  ["-h, --help", "Show this help"],
];

export function rootHelp(commands: readonly Command[]): string {
  return sections([
    "Usage: magnus-opus <command> [options]",
    "Decide what a run of Magnus Opus waits for, and see what happened in it. Runs are started in OpenCode with\n`/implement <feature>`; this works beside it, and when no OpenCode is there.",
    list(
      "Commands:",
      commands.map((command): Row => [`${command.name} ${command.usage}`.trim(), command.summary]),
    ),
    list("Options:", [...commonOptions, ["-v, --version", "Show the version"]]),
    "A run is named by its id or by the beginning of it that no other run has.",
    "Whoever may type these commands decides for a person. A script that approves is your approval, given in advance:\nthe name of the user that it runs as is recorded with it.",
    list(
      "Exit codes:",
      exitCodes.map(({ code, means }): Row => [String(code), means]),
    ),
    "`magnus-opus <command> --help` tells more about each.",
  ]);
}

export function commandHelp({ name, usage, summary, remarks, options, examples }: Command): string {
  const own = Object.entries(options).map(
    ([option, { value, summary: meaning }]): Row => [`--${option}${value === undefined ? "" : ` <${value}>`}`, meaning],
  );
  return sections([
    `Usage: magnus-opus ${name} ${usage}`.trimEnd(),
    `${summary}.`,
    ...remarks,
    list("Options:", [...own, ...commonOptions]),
    ["Examples:", ...examples.map(({ command, shows }) => `  $ ${command}\n    ${shows}`)].join("\n"),
  ]);
}

function list(heading: string, rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([term]) => term.length));
  return [heading, ...rows.map(([term, meaning]) => `  ${term.padEnd(width)}  ${meaning}`)].join("\n");
}

function sections(parts: readonly string[]): string {
  return `${parts.join("\n\n")}\n`;
}
