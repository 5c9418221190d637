// The help of a program and of its commands, wrapped to the terminal.
import {
  argumentTerm,
  type CommandSpec,
  type Example,
  flagTerm,
  type OptionSpec,
  type OptionSpecs,
} from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import type { Page } from "./page.ts";
import { painter } from "./paint.ts";
import { displayWidth } from "./width.ts";
import { paragraph } from "./wrap.ts";

type Row = readonly [term: string, meaning: string];

export interface HelpTopic {
  readonly name: string;
  readonly about: string;
  /** Headings by group, in order. */
  readonly groups: Readonly<Record<string, string>>;
  readonly commands: readonly { readonly group: string | undefined; readonly spec: CommandSpec }[];
  readonly everywhere: OptionSpecs;
  readonly withoutCommand: OptionSpecs;
  /** Commands whose first example is shown: where a newcomer begins. */
  readonly firstSteps: readonly string[];
  readonly remarks: readonly string[];
}

export function rootHelp(topic: HelpTopic, page: Page): string {
  const text = textFor(page);
  const commands = topic.commands.map(({ group, spec }) => ({
    group,
    row: [usageOf(spec, true), sentence(spec.summary)] as Row,
  }));
  const width = widest(commands.map(({ row }) => row));
  const grouped = Object.entries(topic.groups).map(([name, heading]) => {
    const rows = commands.flatMap(({ group, row }) => (group === name ? [row] : []));
    return text.list(`${heading}:`, rows, width);
  });
  const specs = new Map(topic.commands.map(({ spec }) => [spec.name, spec]));
  const { name } = topic;
  return sections([
    text.usage(`${name} <command> [options]`),
    text.plain(topic.about),
    ...grouped,
    text.list("Options of every command:", optionRows(topic.everywhere)),
    text.list("Options without a command:", optionRows(topic.withoutCommand)),
    text.examples(topic.firstSteps.flatMap((step) => specs.get(step)?.examples.slice(0, 1) ?? [])),
    text.list(
      "Exit codes:",
      exitCodes.map(({ code, means }): Row => [String(code), means]),
    ),
    ...topic.remarks.map((remark) => text.plain(remark)),
    text.plain(
      `\`${name} help <command>\` tells more. Exit codes, --json and colours (NO_COLOR, FORCE_COLOR): docs/reference/command-line.md`,
    ),
  ]);
}

export function commandHelp(program: string, spec: CommandSpec, options: OptionSpecs, page: Page): string {
  const text = textFor(page);
  const { aliases = [], details = [], examples } = spec;
  const also = aliases.length === 0 ? "" : ` Also: ${aliases.map((alias) => `${program} ${alias}`).join(", ")}.`;
  const [first, ...others] =
    typeof details === "string"
      ? [`${sentence(spec.summary)}. ${details}`]
      : [`${sentence(spec.summary)}.`, ...details];
  const rows = Object.entries(spec.arguments).map((argument): Row => [argumentTerm(argument), meaningOf(argument[1])]);
  return sections([
    text.usage(`${program} ${usageOf(spec)} [options]`),
    text.plain(`${first}${also}`),
    ...others.map((detail) => text.plain(detail)),
    text.list("Arguments:", rows),
    text.list("Options:", optionRows(options)),
    text.examples(examples),
  ]);
}

function usageOf({ name, aliases = [], arguments: terms }: CommandSpec, withAliases = false): string {
  const names = withAliases ? [name, ...aliases].join(", ") : name;
  return [names, ...Object.entries(terms).map(argumentTerm)].join(" ");
}

function widest(rows: readonly Row[]): number {
  return Math.max(0, ...rows.map(([term]) => displayWidth(term)));
}

function optionRows(options: OptionSpecs): Row[] {
  return Object.entries(options).map((option): Row => [flagTerm(option), meaningOf(option[1])]);
}

function meaningOf(spec: { readonly summary: string; readonly choices?: readonly string[] } | OptionSpec): string {
  const choices = "choices" in spec ? spec.choices : undefined;
  if (choices === undefined || choices.every((choice) => spec.summary.includes(choice))) return spec.summary;
  return `${spec.summary}: ${choices.join(", ")}`;
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
/** A list whose terms are wider than this has its meanings below all of them. */
const widestTerm = 40;

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
  const wrap = (text: string, lead: string, indent: string): string =>
    paragraph(text, page, { lead, indent, breakWords: true });
  const titled = (heading: string, lines: readonly string[]): string =>
    lines.length === 0 ? "" : `${paint("bold", heading)}\n${lines.join("")}`;
  return {
    plain: (text) => wrap(text, "", ""),
    usage: (text) => wrap(text, `${paint("bold", "Usage:")} `, "  "),
    list: (heading, rows, width = widest(rows)) => {
      const isNarrow = (page.columns ?? 0) - width - 4 < leastMeaning || width > widestTerm;
      const lines = rows.map(([term, meaning]) => {
        if (isNarrow) return wrap(paintWords("cyan", term), "  ", "    ") + wrap(meaning, "      ", "      ");
        const lead = `  ${paint("cyan", term)}${" ".repeat(width - displayWidth(term))}  `;
        return wrap(meaning, lead, " ".repeat(width + 4));
      });
      return titled(heading, lines);
    },
    examples: (examples) =>
      titled(
        "Examples:",
        examples.map(
          ({ command, shows }) => wrap(paintWords("cyan", command), "  $ ", "      ") + wrap(shows, "    ", "    "),
        ),
      ),
  };

  /** Each by itself, so that a line can end between them. */
  function paintWords(name: "cyan", text: string): string {
    return text
      .split(" ")
      .map((word) => paint(name, word))
      .join(" ");
  }
}
