// Every command's output in a narrow window: each line fits, unless it ends with a long word that cannot be broken.
import { expect, setDefaultTimeout, test } from "bun:test";
import { displayWidth } from "@atomic/terminal/width";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { commands } from "../../../src/commands.ts";
import { hugo } from "../../cli/hugo.ts";
import { agent, copy, plugin } from "../hugo-project.ts";

setDefaultTimeout(180_000);

const claude = {
  ".claude-plugin/plugin.json": JSON.stringify({ name: "x", version: "1.0.0" }),
  "agents/c.md": "---\nname: c\ndescription: Looks\ntools: Read, Grep\nmodel: sonnet\n---\nHi\n",
};
const notes = {
  "agents/a-long-name-of-an-agent.md": agent("one\ntwo\nthree"),
  "agents/deleted.md": agent("Gone."),
  "commands/list-all-the-notes.md": "List !`git log --oneline -n 20 --graph --all | head -50` and @README.md\n",
};
const changed = {
  ...notes,
  "agents/a-long-name-of-an-agent.md": agent("one\n2\nthree"),
  "commands/list-all-the-notes.md": "List !`git log --oneline -n 20` and !`make all the notes`\n",
};

const commandLines: readonly string[] = [
  "list",
  "info @org/notes-of-the-team",
  "search",
  "outdated",
  "status",
  "verify",
  "health --all --static",
  "update --dry-run",
  "update --yes",
  "status",
  "disable --all",
  "status review",
  "enable --all",
  "switch review",
  "undo --dry-run",
  "undo",
  "ci",
  "remove notes-of-the-team --dry-run",
  "init my-own-workflow --dry-run",
  "init my-own-workflow",
  "build my-own-workflow",
];

test.each([30, 40, 60])("in %i columns no command has a line that is cut", async (columns) => {
  await using registry = await npmRegistry();
  registry.publish(copy("1.0.0", notes, "@org/notes-of-the-team"), plugin("1.0.0"), copy("1.0.0", claude, "claude"));
  await using project = await tmpProject({ registry });
  const { dir: cwd, home, env } = project;
  const said: [command: string, line: string][] = [];
  const run = async (command: string): Promise<void> => {
    const around = { table: commands, cwd, home, env: { ...env, HUGO_MINIMUM_RELEASE_AGE: "0" }, columns };
    const { stdout, stderr } = await hugo(command.split(" "), around);
    expect(stderr).not.toContain("bug in hugo");
    expect(stdout + stderr).not.toBe("");
    said.push(...`${stdout}${stderr}`.split("\n").map((line): [string, string] => [command, line]));
  };
  await run("install @org/notes-of-the-team @org/review claude --yes");
  registry.publish(copy("1.1.0", changed, "@org/notes-of-the-team"), plugin("1.1.0"));
  await project.write(".opencode/agents/a-long-name-of-an-agent.md", agent("one\nTWO\nthree"));
  await project.remove(".opencode/agents/deleted.md");
  for (const command of commandLines) await run(command);
  const isWord = (line: string): boolean => displayWidth(line.split(" ").at(-1) ?? "") > columns / 2;
  // Commands for a shell stay in one piece.
  const isCommand = (line: string): boolean => /^ {2}(compare|keep yours|take the new): |^ *`[^`]+`\S*$/.test(line);
  const cut = said.filter(([, line]) => displayWidth(line) > columns && !isWord(line) && !isCommand(line));
  expect(cut).toEqual([]);
});
