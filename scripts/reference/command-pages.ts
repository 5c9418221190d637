// One page for each program, from its table of commands: the same specs as its help.
import {
  type AnyCommand,
  argumentTerm,
  flagTerm,
  longFlag,
  type OptionSpec,
  type OptionSpecs,
  optionsOf,
  type Program,
} from "@atomic/terminal/command";
import { code, prose, sentence, table } from "./markdown.ts";

/** What a page needs to know about a program; what its commands receive does not matter here. */
type AnyProgram = Pick<
  Program<never>,
  "name" | "about" | "commands" | "groups" | "options" | "optionsOfChanges" | "remarks"
>;

export async function commandPage(program: AnyProgram): Promise<string> {
  const { name, groups = {} } = program;
  const commands = await Promise.all(
    program.commands.map(async ({ group, load }) => ({ group, spec: (await load()) as AnyCommand<never> })),
  );
  const everywhere = optionsOf(program as Program);
  const shared = new Set(Object.keys({ ...everywhere, ...program.optionsOfChanges }));
  const index = Object.entries(groups).map(([key, heading]) => {
    const rows = commands.flatMap(({ group, spec }) =>
      group === key ? [[`[\`${name} ${spec.name}\`](#${anchor(`${name} ${spec.name}`)})`, prose(spec.summary)]] : [],
    );
    return `**${heading}**\n\n${table(["command", "does"], rows)}`;
  });
  return [
    `# ${code(name)}`,
    prose(program.about),
    ...index,
    "## Common options",
    optionTable(everywhere),
    ...(program.optionsOfChanges === undefined
      ? []
      : ["Commands that change something also have:", optionTable(program.optionsOfChanges)]),
    ...(program.remarks ?? []).map(prose),
    "Exit codes, `--json`, completion and environment variables are the same for all programs: [the command line](command-line.md).",
    ...commands.map(({ spec }) => section(name, spec, shared)),
  ].join("\n\n");
}

function section(program: string, spec: AnyCommand<never>, shared: ReadonlySet<string>): string {
  const { aliases = [], details = [], examples } = spec;
  const usage = [program, spec.name, ...Object.entries(spec.arguments).map(argumentTerm), "[options]"].join(" ");
  const rows = Object.entries(spec.arguments).map((each) => [code(argumentTerm(each)), meaningOf(each[1])]);
  // An option that this command describes in its own words is listed, even if others have it, too.
  const own = Object.fromEntries(Object.entries(spec.options));
  const both = [...shared].filter((name) => name !== "help" && !(name in own) && spec.without?.includes(name) !== true);
  const also = spec.mutates === true ? ` Also: ${both.map((name) => code(longFlag(name))).join(", ")}.` : "";
  return [
    `## ${code(`${program} ${spec.name}`)}`,
    `\`\`\`\n${usage}\n\`\`\``,
    [sentence(spec.summary), ...(typeof details === "string" ? [details] : [])].map(prose).join(" "),
    ...(typeof details === "string" ? [] : details.map(prose)),
    ...(aliases.length === 0 ? [] : [`Short: ${aliases.map((alias) => code(`${program} ${alias}`)).join(", ")}.`]),
    ...(rows.length === 0 ? [] : [table(["argument", "means"], rows)]),
    ...(Object.keys(own).length === 0 ? [] : [optionTable(own)]),
    ...(also === "" ? [] : [also.trim()]),
    ...(examples.length === 0
      ? []
      : [
          table(
            ["example", ""],
            examples.map(({ command, shows }) => [code(command), prose(shows)]),
          ),
        ]),
  ].join("\n\n");
}

function optionTable(options: OptionSpecs): string {
  return table(
    ["option", "means"],
    Object.entries(options).map((option) => [code(flagTerm(option)), meaningOf(option[1])]),
  );
}

function meaningOf(spec: OptionSpec | { readonly summary: string; readonly choices?: readonly string[] }): string {
  const choices = "choices" in spec ? spec.choices : undefined;
  const many = "many" in spec && spec.many === true ? " (can be given several times)" : "";
  const isComplete = choices === undefined || choices.every((choice) => spec.summary.includes(choice));
  return prose(`${spec.summary}${isComplete ? "" : `: ${choices.join(", ")}`}${many}`);
}

/** As hosting sites make one from a heading. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-");
}
