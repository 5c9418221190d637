// What holds for every command that there is, and for those to come.
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { longFlag, optionsOf as optionsIn } from "@atomic/terminal/command";
import { readCommandLine as readLine, refuser } from "@atomic/terminal/read-command-line";
import { displayWidth } from "@atomic/terminal/width";
import type { HugoCommand } from "../../src/commands/shared/hugo-command.ts";
import { yesToReports } from "../../src/commands/shared/hugo-command.ts";
import { commands, findCommand } from "../../src/commands.ts";
import { hugoWith } from "../../src/main.ts";
import { hugo } from "./hugo.ts";

const program = hugoWith(commands);
const optionsOf = (command: HugoCommand) => optionsIn(program, command);
const readCommandLine = (command: HugoCommand, words: readonly string[]) =>
  readLine(command, words, { options: optionsOf(command), refuse: refuser("hugo", command.name) });
const table = await Promise.all(commands.map(async (row) => ({ row, command: await row.load() })));

test("every command is in the table", () => {
  const files = readdirSync(join(import.meta.dirname, "../../src/commands")).flatMap((file) =>
    file.endsWith(".ts") ? file.slice(0, -3) : [],
  );
  expect(commands.map(({ name }) => name).sort()).toEqual(files.sort());
});

test("no two commands share a name", () => {
  const words = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect(words).toEqual([...new Set(words)]);
  expect(words).not.toContain("help");
  for (const word of words) expect(findCommand(word)?.name).toBeString();
});

test.each(table)("$row.name is called the same in the table and in its own file", ({ row, command }) => {
  expect({ name: row.name, aliases: row.aliases }).toEqual({ name: command.name, aliases: command.aliases });
});

test.each(table)("the options of $row.name differ in all their letters", ({ command }) => {
  const options = Object.entries(optionsOf(command));
  const flags = options.flatMap(([name, spec]) => [
    longFlag(name),
    ...(spec.kind === "flag" && spec.short ? [spec.short] : []),
  ]);
  expect(flags).toEqual([...new Set(flags)]);
  const common = ["global", "json", "help", "dryRun", "yes"];
  // A command that shows a report takes its hash with --yes.
  const own = Object.keys(command.options).filter((name) => command.options[name] !== yesToReports);
  const names = [...own, ...Object.keys(command.arguments)];
  expect(names.filter((name) => common.includes(name))).toEqual([]);
  expect(names).toEqual([...new Set(names)]);
});

test.each([
  ["init", "-g"],
  ["init", "--global"],
  ["build", "-g"],
  ["setup", "-g"],
  ["completion", "-g"],
])("hugo %s %s is refused: the command has no workspace", async (name, option) => {
  const { code, stdout, stderr } = await hugo([name, option], { table: commands });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(`unknown option ${option}`);
  expect((await hugo([name, "--help"], { table: commands })).stdout).not.toContain("--global");
});

describe.each(table)("the help of $row.name", ({ row, command }) => {
  test("shows examples that hugo understands", () => {
    expect(command.examples.length).toBeGreaterThan(0);
    for (const { command: example, shows } of command.examples) {
      const [typed = ""] = example.split(/ [>|&]/);
      const [program, name, ...words] = typed.split(" ");
      expect(program).toBe(command.name === "setup" ? "hugo-pm" : "hugo");
      expect(findCommand(name ?? "")?.name).toBe(row.name);
      readCommandLine(
        command,
        words.map((word) => word.replace(/^(["'])(.*)\1$/, "$2")),
      );
      expect(shows).not.toBe("");
    }
  });

  test("fits, begins with its own verb, and says nothing twice", async () => {
    const { stdout } = await hugo([row.name, "--help"], { table: commands, columns: 80 });
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
    expect(command.summary).toMatch(/^[A-Z]\w+ /);
    expect(command.summary).not.toEndWith(".");
  });
});

test("in 80 columns each command is one line of the help", async () => {
  const { stdout } = await hugo(["--help"], { table: commands, columns: 80 });
  const lines = stdout.split("\n");
  for (const { command } of table)
    expect(lines.filter((line) => line.endsWith(`  ${command.summary}`))).toHaveLength(1);
});

test("the examples of the help are the first steps of a newcomer", async () => {
  const { stdout } = await hugo(["--help"], { table: commands, columns: 100 });
  const typed = [...stdout.matchAll(/^ {2}\$ (.*)$/gm)].map(([, command]) => command);
  expect(typed).toEqual([
    "hugo search code review",
    "hugo info @some-org/code-review",
    "hugo install @some-org/code-review",
    "hugo list",
    "hugo undo",
  ]);
});

test("every command describes its examples in the same voice", () => {
  const shown = table.flatMap(({ command }) => command.examples.map(({ shows }) => shows));
  expect(shown.filter((shows) => !/^(?:OpenCode|[a-z0-9])/.test(shows) || shows.endsWith("."))).toEqual([]);
});

test("the help lists every command with its summary", async () => {
  const { stdout } = await hugo(["--help"], { table: commands, columns: 100 });
  const words = stdout.replace(/\s+/g, " ");
  for (const { row, command } of table) {
    expect(stdout).toContain(`\n  ${[row.name, ...(row.aliases ?? [])].join(", ")} `);
    expect(words).toContain(command.summary);
  }
});
