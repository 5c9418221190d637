// What cannot be read, written or passed on is said, and everything else works.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Project, tmpProject } from "@atomic/testing/project";
import { type Terminal, terminal } from "@atomic/testing/terminal";
import { build, runtimes } from "../program.ts";

setDefaultTimeout(120_000);
beforeAll(build);

const longWait = { deadline: 60_000 };
const usual = {
  "bin/opencode": "#!/bin/sh\n",
  ".claude/commands/ship.md": "---\ndescription: Ships a version\n---\nShip\n",
};

async function opened(
  words: readonly string[],
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<AsyncDisposable & { readonly term: Terminal; readonly project: Project }> {
  const project = await tmpProject({ git: false, files: { ...usual, ...files } });
  await chmod(join(project.dir, "bin/opencode"), 0o755);
  const all = { ...project.env, PATH: `${join(project.dir, "bin")}:/usr/bin:/bin`, ATOMIC_HOST: "opencode", ...env };
  const term = await terminal([...words], { cols: 140, rows: 30, cwd: project.dir, env: all });
  const end = async (): Promise<void> => {
    await term[Symbol.asyncDispose]();
    await project[Symbol.asyncDispose]();
  };
  return { term, project, [Symbol.asyncDispose]: end };
}

describe.each(runtimes.filter(({ name }) => name === "Node" || name === "Bun"))("on $name", ({ command: words }) => {
  test("without a place for the history, lines are entered nevertheless, and it says so", async () => {
    await using open = await opened(words, { state: "a file" }, { XDG_STATE_HOME: "state" });
    const { term } = open;
    await term.waitFor("Type a task", longWait);
    term.type("/sh");
    await term.waitFor("Ships a version", longWait);
    term.press("ctrl+u");
    term.type("/host claude\r");
    await term.waitFor("Your tasks now go to Claude Code.", longWait);
    // The message is folded, and how depends on the project's path.
    expect(term.screen().join("\n")).toMatch(/Your history cannot be saved: [\s\S]*state/);
    term.type("/help ship\r");
    await term.waitFor(/^ {2}command: Ships a version/m, longWait);
    // Once is enough.
    expect(term.screen().filter((row) => row.includes("history cannot be saved"))).toHaveLength(1);
  });

  test("without the runs, because a setting is wrong, everything can be typed, and it says so", async () => {
    await using open = await opened(words, { ".atomic/config.json": "{ engine" });
    const { term } = open;
    await term.waitFor("config.json:1:3: expected a property name", longWait);
    term.type("/sh");
    await term.waitFor("Ships a version", longWait);
  });

  test("a host's file that may not be executed is not called missing", async () => {
    await using open = await opened(words, { "bin/claude": "#!/bin/sh\n" }, { ATOMIC_HOST: "claude" });
    const { term } = open;
    await term.waitFor("Type a task", longWait);
    term.type("hello\r");
    await term.waitFor('Claude Code cannot be started: the file "claude" may not be executed.', longWait);
  });

  test("a text that is too long for a program is refused in a sentence, and only its beginning is shown", async () => {
    await using open = await opened(words, {});
    const { term } = open;
    await term.waitFor("Type a task", longWait);
    term.paste(`first line\r${"wörd 日 ".repeat(20_000)}\r${"another\r".repeat(100)}`);
    await term.waitFor("another", longWait);
    term.press("enter");
    await term.waitFor("This is too long to pass to another program.", longWait);
    expect(term.find("> first line")).toBeDefined();
    expect(term.find("Save it to a file and mention the file in your prompt.")).toBeDefined();
    expect(term.find("> Type a task")).toBeDefined();
    // Nothing of it is left to continue.
    term.type('/run "');
    term.paste("wörd 日 ".repeat(20_000));
    term.type('"');
    await term.waitFor('日 "', longWait);
    term.press("enter");
    await term.waitFor(/> \/run "wörd[\s\S]*This is too long to pass to another program\./, longWait);
    term.press("ctrl+d");
    expect((await term.exit).exitCode).toBe(0);
    expect(term.find("Still running")).toBeUndefined();
  });

  test("a command whose file is gone or unreadable is refused when it is entered, not while you type", async () => {
    const [gone, large] = [".claude/commands/gone.md", ".claude/commands/large.md"];
    await using open = await opened(words, { [gone]: "Do $1\n", [large]: `${"Do it. ".repeat(200_000)} $1\n` });
    const { term, project } = open;
    await term.waitFor("Type a task", longWait);
    term.type("/sh");
    await term.waitFor("Ships a version", longWait);
    await rm(project.path(gone));
    term.press("ctrl+u");
    for (const [name, said] of [
      ["gone", "/gone no longer exists."],
      ["large", "The command large cannot be used: The file is larger than 1048576 bytes."],
    ] as const) {
      term.type(`/${name}`);
      await term.waitFor(`> /${name}`, longWait);
      term.type(" now\r");
      await term.waitFor(said, longWait);
    }
    term.type("/sh");
    await term.waitFor("Ships a version", longWait);
  });
});
