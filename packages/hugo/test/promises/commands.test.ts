// The command lines that the designs show, on the real table of commands.
import { expect, test } from "bun:test";
import { optionsOf as optionsIn } from "@atomic/terminal/command";
import { readCommandLine as readLine, refuser } from "@atomic/terminal/read-command-line";
import type { HugoCommand } from "../../src/commands/shared/hugo-command.ts";
import { commands, findCommand } from "../../src/commands.ts";
import { hugoWith } from "../../src/main.ts";

const program = hugoWith(commands);
const optionsOf = (command: HugoCommand) => optionsIn(program, command);
const readCommandLine = (command: HugoCommand, words: readonly string[]) =>
  readLine(command, words, { options: optionsOf(command), refuse: refuser("hugo", command.name) });

test.each([
  ["hugo i @some-org/code-review-workflow", "install"],
  ["hugo i @some-org/code-review-workflow@^2.0.0", "install"],
  ["hugo i github:org/code-review-workflow", "install"],
  ["hugo i github:org/code-review-workflow#v1.0.0", "install"],
  ["hugo i git+ssh://git@github.com:org/repo.git", "install"],
  ["hugo install @org/code-review", "install"],
  ["hugo install @org/code-review --force", "install"],
  ["hugo status", "status"],
  ["hugo update", "update"],
  ["hugo update code-review", "update"],
  ["hugo remove code-review", "remove"],
  ["hugo rm code-review", "remove"],
  ["hugo enable code-review debugging", "enable"],
  ["hugo enable --all", "enable"],
  ["hugo disable code-review debugging", "disable"],
  ["hugo disable --all", "disable"],
  ["hugo switch code-review debugging", "switch"],
  ["hugo list", "list"],
  ["hugo list code-review", "list"],
  ["hugo ls", "list"],
  ["hugo ls code-review", "list"],
  ["hugo health", "health"],
  ["hugo health code-review", "health"],
  ["hugo health --all", "health"],
  ["hugo build", "build"],
])("%s is a command line of %s", async (line, name) => {
  const [, word = "", ...words] = line.split(" ");
  const row = findCommand(word);
  expect(row?.name).toBe(name);
  const { help, input } = readCommandLine(await row!.load(), words);
  expect(help).toBe(false);
  const named = Object.values(input).flat();
  expect(named).toEqual(expect.arrayContaining(words.map((given) => (given.startsWith("--") ? true : given))));
});

test("--force is for install alone", async () => {
  const all = await Promise.all(commands.map((row) => row.load()));
  const forcing = all.filter((command) => "force" in optionsOf(command));
  expect(forcing.map(({ name }) => name)).toEqual(["install"]);
});

test("every command that changes something has --dry-run and --yes, and no other has", async () => {
  const all = await Promise.all(commands.map((row) => row.load()));
  const changing = all.filter(({ mutates }) => mutates).map(({ name }) => name);
  const rehearsable = all.filter((each) => "dryRun" in optionsOf(each) && "yes" in optionsOf(each));
  expect(rehearsable.map(({ name }) => name)).toEqual(changing);
  expect(changing).toEqual(expect.arrayContaining(["install", "remove", "update", "enable", "disable", "switch"]));
});
