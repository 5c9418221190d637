import { exitCodes } from "@atomic/terminal/exit-codes";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { displayWidth } from "@atomic/terminal/width";
import { paragraph } from "@atomic/terminal/wrap";
import { argumentTerm, everywhere, flagTerm, optionsOf, withoutCommand } from "../cli/flags.ts";
import type { Example, Operation, OptionSpec, OptionSpecs } from "../operation.ts";
import { type OperationRow, operationGroups } from "../operations.ts";

type Row = readonly [term: string, meaning: string];

export interface LoadedRow {
  readonly row: OperationRow;
  readonly operation: Operation;
}

export function rootHelp(loaded: readonly LoadedRow[], page: Page): string {
  const text = textFor(page);
  const commands = loaded.map(({ row: { group, aliases }, operation }) => {
    return { group, row: [usageOf(operation, aliases), sentence(operation.summary)] as Row };
  });
  const width = widest(commands.map(({ row }) => row));
  const groups = Object.entries(operationGroups).map(([name, heading]) => {
    const rows = commands.flatMap(({ group, row }) => (group === name ? [row] : []));
    return text.list(`${heading}:`, rows, width);
  });
  return sections([
    text.usage("hugo <command> [options]"),
    text.plain("Hugo installs workflows for OpenCode: agents, commands, skills and plugins that come as one package."),
    ...groups,
    text.list("Options of every command:", optionRows(everywhere)),
    text.list("Options without a command:", optionRows(withoutCommand)),
    text.examples(firstExamples(loaded)),
    text.list("Exit codes:", [
      ...exitCodes.map(({ code, means }): Row => [String(code), means]),
      ["130", "stopped by Ctrl-C (143 by SIGTERM, 129 by SIGHUP); nothing is half changed"],
    ]),
    text.plain(
      "`hugo help <command>` tells more. Colours are for terminals only, and never shown where NO_COLOR is set.",
    ),
  ]);
}

/** What a newcomer does, in this order; the last one takes the fear of all others. */
const firstSteps: readonly string[] = ["search", "info", "install", "list", "undo"];

function firstExamples(loaded: readonly LoadedRow[]): Example[] {
  const known = new Map(loaded.map(({ row, operation }) => [row.name, operation]));
  return firstSteps.flatMap((name) => known.get(name)?.examples.slice(0, 1) ?? []);
}

export function commandHelp(operation: Operation, page: Page): string {
  const text = textFor(page);
  const { aliases = [], details, examples } = operation;
  const also = aliases.length === 0 ? "" : ` Also: ${aliases.map((alias) => `hugo ${alias}`).join(", ")}.`;
  const rows = Object.entries(operation.arguments).map(
    (argument): Row => [argumentTerm(argument), argument[1].summary],
  );
  return sections([
    text.usage(`hugo ${usageOf(operation)} [options]`),
    text.plain(`${sentence(operation.summary)}.${details === undefined ? "" : ` ${details}`}${also}`),
    text.list("Arguments:", rows),
    text.list("Options:", optionRows(optionsOf(operation))),
    text.examples(examples),
  ]);
}

function usageOf({ name, arguments: terms }: Operation, aliases: readonly string[] = []): string {
  return [[name, ...aliases].join(", "), ...Object.entries(terms).map(argumentTerm)].join(" ");
}

function widest(rows: readonly Row[]): number {
  return Math.max(0, ...rows.map(([term]) => displayWidth(term)));
}

function optionRows(options: OptionSpecs): Row[] {
  return Object.entries(options).map((option): Row => [flagTerm(option), meaningOf(option[1])]);
}

function meaningOf(spec: OptionSpec): string {
  return spec.kind === "choice" ? `${spec.summary}: ${spec.choices.join(", ")}` : spec.summary;
}

function sentence(summary: string): string {
  return summary.replace(/\.$/, "");
}

function sections(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n");
}

/** Help is read by people even where it goes into a pipe, and nobody reads lines of 200 columns. */
const usualColumns = 80;
const mostColumns = 100;
/** With less room than this beside its term, a meaning goes below it. */
const leastMeaning = 28;

interface HelpText {
  usage(text: string): string;
  plain(text: string): string;
  /** The terms are as wide as the widest of them, unless others are to be aligned with them. */
  list(heading: string, rows: readonly Row[], width?: number): string;
  examples(examples: readonly Example[]): string;
}

function textFor({ columns = usualColumns, colour }: Page): HelpText {
  const page: Page = { columns: Math.min(columns, mostColumns), colour };
  const paint = painter(colour);
  const titled = (heading: string, lines: readonly string[]): string =>
    lines.length === 0 ? "" : `${paint("bold", heading)}\n${lines.join("")}`;
  const plain = (text: string): string => paragraph(text, page, { indent: "" });
  return {
    plain,
    usage: (text) => paragraph(text, page, { lead: `${paint("bold", "Usage:")} `, indent: "  " }),
    list: (heading, rows, width = widest(rows)) => {
      const isNarrow = (page.columns ?? 0) - width - 4 < leastMeaning;
      const lines = rows.map(([term, meaning]) => {
        if (isNarrow)
          return `  ${paint("cyan", term)}\n${paragraph(meaning, page, { lead: "      ", indent: "      " })}`;
        const lead = `  ${paint("cyan", term)}${" ".repeat(width - displayWidth(term))}  `;
        return paragraph(meaning, page, { lead, indent: " ".repeat(width + 4) });
      });
      return titled(heading, lines);
    },
    examples: (examples) =>
      titled(
        "Examples:",
        examples.map(
          ({ command, shows }) =>
            `  $ ${paint("cyan", command)}\n${paragraph(shows, page, { lead: "    ", indent: "    " })}`,
        ),
      ),
  };
}
