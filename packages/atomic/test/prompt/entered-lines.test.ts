// What happens between two lines: what is typed while one is worked on, and what stays of those that came to nothing.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { chmod, rm } from "node:fs/promises";
import type { Project } from "@atomic/testing/project";
import type { Terminal } from "@atomic/testing/terminal";
import { within } from "@atomic/testing/waiting";
import { toolNode, waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { build } from "../program.ts";
import { begin, newGraph, projectWith } from "../runs/begun.ts";
import { both, longWait, node, opened, ready, sampled, screen } from "./opened.ts";
import { silentDatabase } from "./silent-database.ts";

setDefaultTimeout(180_000);
beforeAll(build);

/** A host that lists its models when it is told to. */
const slowHost = "#!/bin/sh\necho listing > began\nuntil [ -e list ]; do sleep 0.02; done\necho test/model\n";

/** A host that says what it was given, and waits for a line if the text asks it to. */
const sayingHost = '#!/bin/sh\necho "got $*"\ncase "$*" in *wait*) read line ;; esac\n';

async function withHost(script: string): Promise<Project> {
  const project = await sampled();
  await project.write("bin/opencode", script);
  await chmod(project.path("bin/opencode"), 0o755);
  return project;
}

function hostEnv(project: Project): { readonly PATH: string; readonly ATOMIC_HOST: string } {
  return { PATH: `${project.path("bin")}:${project.env.PATH}`, ATOMIC_HOST: "opencode" };
}

/** What a program writes into `began`, a pipe with that name. */
async function begun(project: Project): Promise<string | undefined> {
  await using reader = Bun.spawn(["cat", "began"], { cwd: project.dir, stdout: "pipe" });
  return await within(30_000, new Response(reader.stdout).text());
}

/** How often a row of the screen begins with that. */
function rowsWith(term: Terminal, start: string): number {
  return term.history().filter((row) => row.startsWith(start)).length;
}

describe.each(both)("on $name", ({ command }) => {
  test("what is typed while a line is worked on waits, unseen, and is entered after it", async () => {
    await using project = await withHost(slowHost);
    execFileSync("mkfifo", [project.path("began")]);
    await using term = await opened(project, command, { env: hostEnv(project) });
    await ready(term);
    term.type("/model list\r");
    expect(await begun(project)).toBe("listing\n");
    term.type("/host claude\rhalf a line");
    await project.write("list", "");
    await term.waitFor("> half a line", longWait);
    expect(screen(term)).toEqual([
      "> /model list",
      "  test/model",
      "> /host claude",
      "  Your tasks now go to Claude Code.",
      "> half a line",
      "  claude  ·  /help",
    ]);
  });

  test("what is typed while a command of atomic works waits, too", async () => {
    await using database = await silentDatabase();
    await using project = await sampled();
    await using term = await opened(project, command, { env: database.env });
    await database.connected(1);
    database.hangUp();
    await ready(term);
    term.type("/graph asking\r/runs\r");
    await database.connected(2);
    term.type("/host claude\rhalf a line");
    database.hangUp();
    await term.waitFor("> half a line", longWait);
    const rows = screen(term);
    expect(rows.filter((row) => /half|host|claude/i.test(row)).slice(-4)).toEqual([
      "> /host claude",
      "  Your tasks now go to Claude Code.",
      "> half a line",
      "  claude  ·  /help",
    ]);
  });

  test("Ctrl-C takes back a line that has not begun, and one that waits for a database", async () => {
    await using database = await silentDatabase();
    await using project = await withHost(sayingHost);
    await using term = await opened(project, command, { env: { ...hostEnv(project), ...database.env } });
    await term.waitFor("Type a task", longWait);
    term.type("too early\r");
    await term.waitFor("> too early", longWait);
    term.type("\x03again\r\x03");
    await database.connected(1);
    await term.waitFor("Type a task", longWait);
    database.hangUp();
    await ready(term);
    term.type("in one go\r\x03");
    await term.waitFor("Type a task", longWait);
    term.type("/answer calm-otter\r");
    await database.connected(2);
    await term.waitFor(() => screen(term).at(-1) === "> /answer calm-otter", longWait);
    term.type("ahead\x03");
    await term.waitFor("Interrupted.", longWait);
    term.type("the end\r");
    await term.waitFor(/^got .*the end/m, longWait);
    expect(rowsWith(term, "got ")).toBe(1);
  });

  test("a text that looks like a command is still a text when it is recalled", async () => {
    await using project = await withHost(sayingHost);
    await using term = await opened(project, command, { env: hostEnv(project) });
    await ready(term);
    term.type(" /asking is what I do\r");
    await term.waitFor(/^got .*what I do/m, longWait);
    await term.waitFor("Type a task", longWait);
    term.press("up", "enter");
    await term.waitFor(() => rowsWith(term, "got ") === 2, longWait);
  });

  test("Enter right after Tab enters what Tab completes", async () => {
    await using project = await withHost(sayingHost);
    await project.write("README.md", "Hello\n");
    await using term = await opened(project, command, { env: hostEnv(project) });
    await ready(term);
    term.type("look at READ\t\r");
    await term.waitFor(/^got .*look at README\.md/m, longWait);
    await term.waitFor("Type a task", longWait);
    term.type("/host cl\t\r");
    await term.waitFor("Your tasks now go to Claude Code.", longWait);
    expect(screen(term).at(-2)).toBe("> Type a task, or / for commands");
  });

  test("what is typed behind a line that is refused is a line of its own", async () => {
    await using project = await withHost(sayingHost);
    await using term = await opened(project, command, { env: hostEnv(project) });
    await ready(term);
    term.type("/nothing a\rplain text\r");
    await term.waitFor(/^got .*plain text/m, longWait);
    expect(rowsWith(term, "> /nothing a")).toBe(1);
    expect(rowsWith(term, "  There is no /nothing.")).toBe(1);
    expect(screen(term).join("\n")).not.toContain("aplain");
  });

  test("what is typed before a question can be read is neither its answer nor a task", async () => {
    await using project = await withHost(sayingHost);
    await using term = await opened(project, command, { env: hostEnv(project) });
    await ready(term);
    term.type("/asking\r");
    await term.waitFor("? Publish 1.4.0?", longWait);
    term.type("/answer\ryes\r");
    await term.waitFor(/^ {2}yes or no:/m, longWait);
    term.press("ctrl+c");
    await term.waitFor("Type a task", longWait);
    term.type("the end\r");
    await term.waitFor(/^got .*the end/m, longWait);
    expect(rowsWith(term, "got ")).toBe(1);
  });

  test("with TERM=dumb, too, what is typed before a question is not its answer", async () => {
    await using project = await sampled();
    await begin(project, newGraph().start(waitNode({ id: "approval", prompt: "Publish 1.4.0?" })));
    await using term = await opened(project, command, { env: { TERM: "dumb" } });
    await term.waitFor(/\? Publish 1\.4\.0\?.*\n> /, longWait);
    term.type("/answer\ryes\r");
    await term.waitFor(/^ {2}yes or no:/m, longWait);
    term.press("ctrl+d");
    await term.waitFor(/You can also answer it[\s\S]*\n> /, longWait);
    term.press("ctrl+d");
    expect((await term.exit).exitCode).toBe(0);
    expect(term.output).toContain("atomic approve calm-otter --key approval");
  });

  test("lines that were typed while a host had the terminal are entered one after the other", async () => {
    await using project = await withHost('#!/bin/sh\necho "got $*"\nuntil [ -e go ]; do sleep 0.02; done\n');
    await using term = await opened(project, command, { env: hostEnv(project) });
    await ready(term);
    term.type("first\r");
    await term.waitFor(/^got .*first/m, longWait);
    term.type("/host claude\rhalf");
    await term.waitFor(/^half$/m, longWait);
    await project.write("go", "");
    await term.waitFor("> half", longWait);
    expect(rowsWith(term, "  Your tasks now go to Claude Code.")).toBe(1);
  });

  test.each([
    ["that takes too long", "#!/bin/sh\necho listing > began\nexec sleep 600\n"],
    ["that a program below the host's holds open", '#!/bin/sh\nsh -c "echo listing > began; sleep 600"\n:\n'],
  ])("Ctrl-C ends a list of models %s, and the prompt line stays", async (_, script) => {
    await using project = await withHost(script);
    execFileSync("mkfifo", [project.path("began")]);
    await using term = await opened(project, command, { env: hostEnv(project) });
    await ready(term);
    term.type("/model list\r");
    expect(await begun(project)).toBe("listing\n");
    await term.waitFor("Looking up the models… Ctrl-C stops it.", longWait);
    term.press("ctrl+c");
    await term.waitFor("`opencode models` was interrupted.", longWait);
    expect(term.find("Looking up")).toBeUndefined();
    term.type("/sh");
    await term.waitFor("Ships a version", longWait);
  });

  test("a command is handed over as its file is now, with its limits", async () => {
    await using project = await withHost(sayingHost);
    await project.write(".claude/commands/asking.md", "Ask $1\n");
    await using term = await opened(project, command, { env: hostEnv(project) });
    await ready(term);
    term.type("/ship 1\r");
    await term.waitFor("got --prompt=Ship $1", longWait);
    await term.waitFor(/got [\s\S]*Type a task/, longWait);
    const file = ".claude/commands/ship.md";
    await project.write(file, (await project.read(file)).replace("Ship $1", "Launch it"));
    term.type("/ship 2\r");
    await term.waitFor("got --prompt=Launch it", longWait);
    await term.waitFor(/Launch it[\s\S]*Type a task/, longWait);
    await project.write(file, "---\nallowed-tools: Read\n---\nOnly read $1\n");
    term.type("/ship 3\r");
    await term.waitFor("and would ignore the limits", longWait);
    await rm(project.path(file));
    term.type("/ship 4\r");
    await term.waitFor("/ship no longer exists.", longWait);
    // The workflow of that name is not what was chosen.
    await rm(project.path(".claude/commands/asking.md"));
    term.type("/asking 1\r");
    await term.waitFor("/asking no longer exists.", longWait);
  });

  test("a dry run prints its plan, and a folder that is gone is named once", async () => {
    await using project = await sampled();
    await using term = await opened(project, command);
    await ready(term);
    term.type("/asking --dry-run\r");
    await term.waitFor(/^Nothing was started\.$/m, longWait);
    expect(term.find("host       opencode")).toBeDefined();
    await rm(project.dir, { recursive: true });
    term.type("/asking\r");
    await term.waitFor("no longer exists.", longWait);
    term.type("/host\r");
    await term.waitFor("Your tasks go to OpenCode.", longWait);
    expect(
      term
        .history()
        .join("\n")
        .match(/error: .*/g),
    ).toHaveLength(1);
  });

  test("a run without a question, and a workflow's help, get an answer", async () => {
    await using project = await sampled();
    await begin(project, newGraph().start(toolNode({ id: "build", run: () => "built" })));
    await using term = await opened(project, command);
    await ready(term);
    term.type("/answer calm-otter\r");
    await term.waitFor("calm-otter has no question for you.", longWait);
    term.type("/asking --help\r");
    await term.waitFor(/^Usage: atomic run/m, longWait);
  });

  test("nothing is entered after the line that leaves", async () => {
    await using project = await sampled();
    await using term = await opened(project, command);
    await ready(term);
    term.type("/exit\r/asking\r");
    expect((await term.exit).exitCode).toBe(0);
    expect(screen(term)).toEqual(["> /exit"]);
  });

  test("a workflow that has only just been started is named when the prompt line is left", async () => {
    await using project = await sampled();
    await using term = await opened(project, command);
    await ready(term);
    term.type("/asking\r\x04");
    expect((await term.exit).exitCode).toBe(0);
    expect(screen(term)).toEqual(["> /asking", "Still running: asking (starting). `atomic runs` lists them."]);
  });

  test("a command with wrong arguments says how to read about it here", async () => {
    await using project = await sampled();
    await using term = await opened(project, command);
    await ready(term);
    term.type("/cancel one two\r");
    await term.waitFor("`/help cancel` shows how to use it.", longWait);
  });

  test("the reason why a run was refused stays on the screen", async () => {
    await using project = await sampled();
    await using term = await opened(project, command);
    await ready(term);
    term.type("/run nothing-like-it\r");
    await term.waitFor(
      /^error: .*nothing-like-it[\s\S]*`\/entities --type workflow`\s+lists\s+the\s+workflows\./m,
      longWait,
    );
    term.type("x");
    await term.waitFor("> x", longWait);
    expect(term.find("error: ")).toBeDefined();
  });

  test("a run does not wait for a prompt line that is stopped", async () => {
    const noisy = `{ name: "noisy" }, (graph) => graph.start(toolNode({ id: "say", run: async () => {
      while (!existsSync("stopped")) await new Promise((resolve) => setTimeout(resolve, 20));
      for (let line = 0; line < 20; line++) writeSync(2, "x".repeat(100_000) + "\\n");
      appendFileSync("said", "all");
    } }))`;
    await using project = await projectWith(
      { noisy },
      { ".claude/commands/ship.md": "---\ndescription: Ships\nargument-hint: <version>\n---\nShip\n" },
    );
    await using term = await opened(project, command);
    await ready(term);
    term.type("/noisy\r");
    await term.waitFor(/^ +\S say +\d/m, longWait);
    // A pipe with a name, so that the end of the step can be waited for.
    execFileSync("mkfifo", [project.path("said")]);
    await using reader = Bun.spawn(["cat", "said"], { cwd: project.dir, stdout: "pipe" });
    process.kill(term.pid, "SIGSTOP");
    try {
      await project.write("stopped", "");
      expect(await within(30_000, new Response(reader.stdout).text())).toBe("all");
    } finally {
      process.kill(term.pid, "SIGCONT");
    }
    await term.waitFor(/✓ say/, longWait);
  });
});

test("with TERM=dumb, too, lines that were typed ahead are entered one after the other", async () => {
  await using project = await sampled();
  await using term = await opened(project, node?.command, { env: { TERM: "dumb" } });
  term.type("/help ship\r/host claude\r/exit\r");
  expect((await term.exit).exitCode).toBe(0);
  expect(term.output).toMatch(/Ships a version[\s\S]*Your tasks now go to Claude Code\./);
});

test("with TERM=dumb, too, what is still running is named when the prompt line is left", async () => {
  await using project = await sampled();
  await using term = await opened(project, node?.command, { env: { TERM: "dumb" } });
  const isAsked = (): boolean => screen(term).at(-1)?.trimEnd() === ">";
  await term.waitFor(isAsked, longWait);
  term.type("/asking\r");
  await term.waitFor(() => term.find("> /asking") !== undefined && isAsked(), longWait);
  term.type("/exit\r");
  await term.exit;
  expect(screen(term).at(-1)).toMatch(
    /^Still running: (asking \(starting\)|[a-z]+-[a-z]+)\. `atomic runs` lists them\.$/,
  );
});
