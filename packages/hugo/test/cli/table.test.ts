// What holds for every operation that there is, and for those to come.
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { longFlag, optionsOf as optionsIn } from "@atomic/terminal/command";
import { readCommandLine as readLine, refuser } from "@atomic/terminal/read-command-line";
import { displayWidth } from "@atomic/terminal/width";
import type { Operation } from "../../src/commands/shared/operation.ts";
import { findOperation, operations } from "../../src/commands.ts";
import { hugoWith } from "../../src/main.ts";
import { hugo } from "./hugo.ts";

const program = hugoWith(operations);
const optionsOf = (operation: Operation) => optionsIn(program, operation);
const readCommandLine = (operation: Operation, words: readonly string[]) =>
  readLine(operation, words, { options: optionsOf(operation), refuse: refuser("hugo", operation.name) });
const table = await Promise.all(operations.map(async (row) => ({ row, operation: await row.load() })));

test("every operation is in the table", () => {
  const files = readdirSync(join(import.meta.dirname, "../../src/commands")).flatMap((file) =>
    file.endsWith(".ts") ? file.slice(0, -3) : [],
  );
  expect(operations.map(({ name }) => name).sort()).toEqual(files.sort());
});

test("no two commands share a name", () => {
  const words = operations.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect(words).toEqual([...new Set(words)]);
  expect(words).not.toContain("help");
  for (const word of words) expect(findOperation(word)?.name).toBeString();
});

test.each(table)("$row.name is called the same in the table and in its own file", ({ row, operation }) => {
  expect({ name: row.name, aliases: row.aliases }).toEqual({ name: operation.name, aliases: operation.aliases });
});

test.each(table)("the options of $row.name differ in all their letters", ({ operation }) => {
  const options = Object.entries(optionsOf(operation));
  const flags = options.flatMap(([name, spec]) => [
    longFlag(name),
    ...(spec.kind === "flag" && spec.short ? [spec.short] : []),
  ]);
  expect(flags).toEqual([...new Set(flags)]);
  const common = ["global", "json", "help", "dryRun", "yes"];
  const names = [...Object.keys(operation.options), ...Object.keys(operation.arguments)];
  expect(names.filter((name) => common.includes(name))).toEqual([]);
  expect(names).toEqual([...new Set(names)]);
});

describe.each(table)("the help of $row.name", ({ row, operation }) => {
  test("shows examples that hugo understands", () => {
    expect(operation.examples.length).toBeGreaterThan(0);
    for (const { command, shows } of operation.examples) {
      const [typed = ""] = command.split(/ [>|&]/);
      const [program, name, ...words] = typed.split(" ");
      expect(program).toBe(operation.name === "setup" ? "hugo-pm" : "hugo");
      expect(findOperation(name ?? "")?.name).toBe(row.name);
      readCommandLine(
        operation,
        words.map((word) => word.replace(/^(["'])(.*)\1$/, "$2")),
      );
      expect(shows).not.toBe("");
    }
  });

  test("fits, begins with a verb of its own, and says nothing twice", async () => {
    const { stdout } = await hugo([row.name, "--help"], { table: operations, columns: 80 });
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
    expect(operation.summary).toMatch(/^[A-Z]\w+ /);
    expect(operation.summary).not.toEndWith(".");
  });
});

test("in 80 columns each command is one line of the help", async () => {
  const { stdout } = await hugo(["--help"], { table: operations, columns: 80 });
  const lines = stdout.split("\n");
  for (const { operation } of table)
    expect(lines.filter((line) => line.endsWith(`  ${operation.summary}`))).toHaveLength(1);
});

test("the examples of the help are the first steps of a newcomer", async () => {
  const { stdout } = await hugo(["--help"], { table: operations, columns: 100 });
  const typed = [...stdout.matchAll(/^ {2}\$ (.*)$/gm)].map(([, command]) => command);
  expect(typed).toEqual([
    "hugo search code review",
    "hugo info @some-org/code-review",
    "hugo install @some-org/code-review",
    "hugo list",
    "hugo undo",
  ]);
});

test("every command says what its examples show in the same voice", () => {
  const shown = table.flatMap(({ operation }) => operation.examples.map(({ shows }) => shows));
  expect(shown.filter((shows) => !/^(?:OpenCode|[a-z0-9])/.test(shows) || shows.endsWith("."))).toEqual([]);
});

test("the help lists every command with its summary", async () => {
  const { stdout } = await hugo(["--help"], { table: operations, columns: 100 });
  const words = stdout.replace(/\s+/g, " ");
  for (const { row, operation } of table) {
    expect(stdout).toContain(`\n  ${[row.name, ...(row.aliases ?? [])].join(", ")} `);
    expect(words).toContain(operation.summary);
  }
});
