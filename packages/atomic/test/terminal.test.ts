// What a person sees: the real program in a real terminal.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Project } from "@atomic/testing/project";
import { type Terminal, type TerminalOptions, terminal } from "@atomic/testing/terminal";
import { build, runtimes } from "./program.ts";
import { sampleProject } from "./sample.ts";

setDefaultTimeout(180_000);
beforeAll(build);

const [node] = runtimes;

async function shown(project: Project, argv: readonly string[], options: TerminalOptions = {}): Promise<Terminal> {
  const command = [...(node?.command ?? []), ...argv];
  const term = await terminal(command, {
    cols: 72,
    rows: 30,
    cwd: project.dir,
    ...options,
    env: { ...project.env, ...options.env },
  });
  await term.exit;
  return term;
}

test("a list fits the terminal and uses color for emphasis", async () => {
  await using project = await sampleProject();
  await using term = await shown(project, ["entities", "--type", "agent", "--type", "command"]);
  expect(term.screen().slice(0, 8)).toEqual([
    "TYPE     NAME      FROM              DESCRIPTION",
    "agent    planner   opencode:project  Plans before anybody writes",
    "agent    reviewer  claude:project    Reviews a change and lists its ris…",
    "command  commit    claude:project    Writes a commit message",
    "command  ship      opencode:project  Ships a version",
    "",
    "4 entities: 2 agents, 2 commands; 1 shadowed (see --shadowed)",
    "",
  ]);
  expect(term.cell(0, 0)).toMatchObject({ char: "T", dim: true });
  expect(term.cell(9, 1)).toMatchObject({ char: "p", bold: true, fg: "default" });
  expect(term.cell(19, 1)).toMatchObject({ char: "o", fg: "cyan" });
  expect(term.cell(37, 1)).toMatchObject({ char: "P", fg: "default", dim: false, bold: false });
  expect((await term.exit).exitCode).toBe(0);
});

test.each([30, 48, 60, 79])("at %i columns no line of a list is broken", async (cols) => {
  await using project = await sampleProject({
    ".github/agents/a-name-that-is-really-long.agent.md":
      "---\ndescription: 日本語の説明がここにあります。とても長い説明です。\n---\n",
  });
  await using term = await shown(project, ["entities", "--type", "agent"], { cols });
  const lines = term.screen().filter((line) => /^(TYPE|agent) /.test(line));
  expect(lines).toHaveLength(4);
  expect(lines.some((line) => line.includes("…"))).toBe(true); // of a narrow line a whole column may be gone
});

test("the winner is green, the loser yellow, and a broken one red", async () => {
  await using project = await sampleProject({ ".claude/commands/commit.md": "---\nallowed-tools: 7\n---\n" });
  await using term = await shown(project, ["which", "commit", "--type", "command"]);
  const colourOf = (text: string) => {
    const at = term.find(text) ?? { x: 0, y: 0 };
    return term.cell(at.x, at.y).fg;
  };
  expect(colourOf("over claude:user/commit")).toBe("green");
  expect(colourOf("to claude:project/commit")).toBe("yellow");
  expect(colourOf('"allowed-tools" cannot be read')).toBe("red");
  expect(colourOf("error: ")).toBe("red");
});

test.each([
  ["NO_COLOR", { NO_COLOR: "1" }],
  ["a terminal that has none", { TERM: "dumb" }],
])("with %s there are no colors, but the lines still fit", async (_, env) => {
  await using project = await sampleProject();
  await using term = await shown(project, ["entities"], { cols: 50, env });
  expect(term.output).not.toContain("\x1b");
  expect(term.output).toContain("…");
});

test("an empty NO_COLOR says nothing", async () => {
  await using project = await sampleProject();
  await using term = await shown(project, ["entities"], { env: { NO_COLOR: "" } });
  expect(term.output).toContain("\x1b[1m");
});

test("a misspelled command gets a suggestion in the terminal", async () => {
  await using project = await sampleProject();
  await using term = await shown(project, ["whcih", "commit"]);
  expect(term.screen().slice(0, 2)).toEqual([
    'atomic: unknown command "whcih" (did you mean "which"?)',
    "Run `atomic --help` for usage.",
  ]);
  expect(term.cell(0, 0)).toMatchObject({ char: "a", fg: "red" });
  expect((await term.exit).exitCode).toBe(2);
});

test("Ctrl-C at setup's question ends it on a line of its own, and says that nothing was changed", async () => {
  await using project = await sampleProject();
  await using term = await terminal([...(node?.command ?? []), "setup"], { cwd: project.dir, env: project.env });
  await term.waitFor(/Set up all of this\? \[y\/N.*\] ?$/m);
  term.press("ctrl+c");
  expect((await term.exit).exitCode).toBe(130);
  expect(term.screen().join("\n")).toMatch(/^atomic: stopped before it finished\nNothing was changed\.$/m);
});

test("a file cannot change the window title, the colors or the text direction", async () => {
  const evil = "\\e]0;owned\\a\\e[31mred\\e[5m \\u202Edesrever";
  await using project = await sampleProject({
    ".claude/agents/evil.md": `---\nname: evil\ndescription: "${evil}"\n---\n`,
  });
  await using term = await shown(project, ["which", "evil"]);
  expect(term.title).toBe("");
  const row = term.find("owned")?.y ?? 0;
  expect(term.screen()[row]).toBe(String.raw`  about      \x1b]0;owned\x07\x1b[31mred\x1b[5m \u{202e}desrever`);
  expect(term.cell(13, row).fg).toBe("default");
});
