// The help of a program and of its commands, wrapped to the terminal.
import {
  argumentTerm,
  type CommandSpec,
  type Example,
  flagTerm,
  longFlag,
  type MoreHelp,
  type OptionSpec,
  type OptionSpecs,
} from "./command.ts";
import { exitCodesOf } from "./exit-codes.ts";
import { type Page, withRunner } from "./page.ts";
import { painter } from "./paint.ts";
import { safeLine } from "./safe-text.ts";
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
  readonly runsWorkflows?: boolean;
  readonly remarks: readonly string[];
  /** It does something without a command, too. */
  readonly isCommandOptional: boolean;
}

export function rootHelp(topic: HelpTopic, page: Page): string {
  const text = textFor(page);
  const { name } = topic;
  const commands = topic.commands.map(({ group, spec }) => ({
    group,
    row: [usageOf(spec, true), sentence(spec.summary)] as Row,
  }));
  const width = Math.max(0, ...commands.map(({ row: [term] }) => displayWidth(term)));
  const grouped = Object.entries(topic.groups).map(([key, heading]) => {
    const rows = commands.flatMap(({ group, row }) => (group === key ? [row] : []));
    return text.list(`${heading}:`, rows, width);
  });
  const specs = new Map(topic.commands.map(({ spec }) => [spec.name, spec]));
  const parts = [
    text.usage(`${name} ${topic.isCommandOptional ? "[command]" : "<command>"} [options]`),
    text.plain(topic.about),
    ...grouped,
    text.options("Common options:", topic.everywhere),
    text.options("Options without a command:", topic.withoutCommand),
    text.examples(topic.firstSteps.flatMap((step) => specs.get(step)?.examples.slice(0, 1) ?? [])),
    text.list(
      "Exit codes:",
      exitCodesOf(topic).map(({ code, means }): Row => [String(code), means]),
    ),
    ...topic.remarks.map((remark) => text.plain(remark)),
    text.plain(
      `Run \`${name} help <command>\` for details on a command. Set NO_COLOR to turn colors off, or FORCE_COLOR to turn them on.`,
    ),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

export interface CommandTopic {
  readonly program: string;
  readonly spec: CommandSpec;
  readonly options: OptionSpecs;
  readonly more?: MoreHelp | undefined;
}

export function commandHelp({ program, spec, options, more }: CommandTopic, page: Page): string {
  const text = textFor(page);
  const { aliases = [], details = [], examples } = spec;
  const also = aliases.length === 0 ? "" : ` Also: ${aliases.map((alias) => `${program} ${alias}`).join(", ")}.`;
  const [first, ...others] =
    typeof details === "string"
      ? [`${sentence(spec.summary)}. ${details}`]
      : [`${sentence(spec.summary)}.`, ...details];
  const rows = Object.entries(spec.arguments).map((argument): Row => [argumentTerm(argument), meaningOf(argument[1])]);
  const parts = [
    text.usage(`${program} ${usageOf(spec)} [options]`),
    text.plain(`${first}${also}`),
    ...others.map((detail) => text.plain(detail)),
    text.list("Arguments:", rows),
    text.options("Options:", options),
    text.examples(examples),
  ];
  if (more !== undefined) {
    const safeRows = more.arguments.rows.map(([term, meaning]): Row => [safeLine(term), safeLine(meaning)]);
    parts.push(
      text.titled(safeLine(more.title), safeLine(more.about ?? "")),
      text.usage(safeLine(more.usage)),
      text.list(safeLine(more.arguments.heading), safeRows),
      ...more.remarks.map((remark) => text.plain(safeLine(remark))),
    );
  }
  return parts.filter((part) => part !== "").join("\n");
}

/** The same for programs. */
export function rootHelpJson(topic: HelpTopic): object {
  const { name, about, groups, commands, everywhere, withoutCommand } = topic;
  return {
    name,
    about,
    usage: `${name} <command> [options]`,
    commands: commands.map(({ group = "", spec }) => ({
      name: spec.name,
      aliases: spec.aliases ?? [],
      group: groups[group],
      summary: sentence(spec.summary),
      usage: `${name} ${usageOf(spec)} [options]`,
    })),
    options: Object.entries({ ...everywhere, ...withoutCommand }).map(optionJson),
    exitCodes: exitCodesOf(topic),
  };
}

export function commandHelpJson({ program, spec, options, more }: CommandTopic): object {
  const { name, aliases = [], summary, details = [], examples } = spec;
  return {
    name,
    aliases,
    summary: sentence(summary),
    details: typeof details === "string" ? [details] : details,
    usage: `${program} ${usageOf(spec)} [options]`,
    arguments: Object.entries(spec.arguments).map((argument) => ({
      name: argument[0],
      term: argumentTerm(argument),
      summary: argument[1].summary,
      ...(argument[1].choices !== undefined && { choices: argument[1].choices }),
    })),
    options: Object.entries(options).map(optionJson),
    examples,
    ...(more !== undefined && {
      more: { ...more, arguments: more.arguments.rows.map(([term, meaning]) => ({ term, summary: meaning })) },
    }),
  };
}

function optionJson([name, spec]: readonly [string, OptionSpec]): object {
  const { summary } = spec;
  if (spec.kind === "flag") {
    const short = spec.short === undefined ? {} : { short: `-${spec.short}` };
    const value = spec.value === undefined ? {} : { value: spec.value.term, optional: true };
    return { flag: longFlag(name), ...short, ...value, summary };
  }
  const choices = spec.kind === "choice" ? { choices: spec.choices } : {};
  return { flag: longFlag(name), value: spec.value, many: spec.many === true, ...choices, summary };
}

function usageOf({ name, aliases = [], arguments: terms }: CommandSpec, withAliases = false): string {
  const names = withAliases ? [name, ...aliases].join(", ") : name;
  return [names, ...Object.entries(terms).map(argumentTerm)].join(" ");
}

function meaningOf(spec: { readonly summary: string; readonly choices?: readonly string[] } | OptionSpec): string {
  const choices = "choices" in spec ? spec.choices : undefined;
  if (choices === undefined || choices.every((choice) => spec.summary.includes(choice))) return spec.summary;
  return `${spec.summary}: ${choices.join(", ")}`;
}

function sentence(summary: string): string {
  return summary.replace(/\.$/, "");
}

/** People read help even through a pipe, and lines of 200 columns are hard to read. */
const usualColumns = 80;
const mostColumns = 100;
/** With less room than this beside its term, a meaning goes below it. */
const leastMeaning = 28;
/** A list whose terms are wider than this has its meanings below all of them. */
const widestTerm = 40;

function textFor({ columns = usualColumns, colour, runner, named }: Page) {
  const page: Page = { columns: Math.min(columns, mostColumns), colour, runner, named };
  const paint = painter(colour);
  const wrap = (text: string, lead: string, indent: string): string =>
    paragraph(text, page, { lead, indent, breakWords: true });
  /** Before it is painted, because colours hide where a command begins. */
  const typed = (command: string): string => (named === undefined ? command : withRunner(command, named.inTexts, page));
  /** Separate words, so a line can break between them. */
  const paintWords = (name: "cyan" | "bold", text: string): string =>
    text
      .split(" ")
      .map((word) => paint(name, word))
      .join(" ");
  /** The terms are as wide as the widest of them, unless others are to be aligned with them. */
  const list = (heading: string, rows: readonly Row[], wanted?: number): string => {
    if (rows.length === 0) return "";
    const width = wanted ?? Math.max(0, ...rows.map(([term]) => displayWidth(term)));
    const isNarrow = (page.columns ?? 0) - width - 4 < leastMeaning || width > widestTerm;
    const lines = rows.map(([term, meaning]) => {
      if (isNarrow) return wrap(paintWords("cyan", term), "  ", "    ") + wrap(meaning, "      ", "      ");
      const lead = `  ${paint("cyan", term)}${" ".repeat(width - displayWidth(term))}  `;
      return wrap(meaning, lead, " ".repeat(width + 4));
    });
    return `${paint("bold", heading)}\n${lines.join("")}`;
  };
  return {
    plain: (text: string) => wrap(text, "", ""),
    usage: (text: string) => wrap(text, `${paint("bold", "Usage:")} `, "  "),
    /** A bold title and what it is about, in one paragraph. */
    titled: (title: string, text: string) =>
      wrap(`${paintWords("bold", text === "" ? title : `${title}:`)} ${text}`.trimEnd(), "", "  "),
    list,
    options: (heading: string, options: OptionSpecs) =>
      list(
        heading,
        Object.entries(options).map((option): Row => [flagTerm(option), meaningOf(option[1])]),
      ),
    examples: (examples: readonly Example[]) => {
      const lines = examples.map(
        ({ command, shows }) =>
          wrap(paintWords("cyan", typed(command)), "  $ ", "      ") + wrap(shows, "    ", "    "),
      );
      return lines.length === 0 ? "" : `${paint("bold", "Examples:")}\n${lines.join("")}`;
    },
  };
}
