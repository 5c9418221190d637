// What a person sees and types while a workflow runs: the real program in a real terminal.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Project } from "@atomic/testing/project";
import { type Terminal, type TerminalOptions, terminal } from "@atomic/testing/terminal";
import { build, runtimes } from "../program.ts";
import { projectWith } from "./begun.ts";

setDefaultTimeout(180_000);
beforeAll(build);

const [node] = runtimes;
const longWait = { deadline: 30_000 };

const asking = `{ name: "asking" }, (graph) => graph
  .start(toolNode({ id: "build", run: () => "built" }))
  .then(askUserNode({ id: "database", header: "Storage", question: "Which database?", options: [{ label: "SQLite", description: "one file" }, { label: "Postgres" }] }))
  .then(toolNode({ id: "say", run: ({ outputs }) => \`said \${outputs.database}\` }))`;

/** Runs until it is aborted; with \`deaf\` it does not even stop then. */
const holding = (deaf: boolean): string => `{ name: "holding" }, (graph) => graph
  .start(toolNode({ id: "build", run: () => 1 }))
  .parallel({ id: "look", branches: {
    a: toolNode({ id: "one", run: (_state, { signal, note }) => new Promise((_, reject) => {
      note("reading \\u001b[2Jfiles");
      setInterval(() => undefined, 1000);
      if (!${deaf}) signal.addEventListener("abort", () => reject(signal.reason));
    }) }),
    b: toolNode({ id: "two", run: () => 2 }),
  } })
  .then(toolNode({ id: "end", run: () => 3 }))`;

async function shown(project: Project, argv: readonly string[], options: TerminalOptions = {}): Promise<Terminal> {
  return await terminal([...(node?.command ?? []), ...argv], {
    cols: 60,
    rows: 20,
    cwd: project.dir,
    ...options,
    env: { ...project.env, ...options.env },
  });
}

/** The screen without times, ids and what moves. */
function picture(term: Terminal): string[] {
  const lines = term.screen().map((line) =>
    line
      .replace(/ {2,}\d[\dhms. ]*s\b.*$/, "")
      .replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "*")
      .replace(/(asking|holding) [a-z]+-[a-z]+/, "$1 ID")
      .trimEnd(),
  );
  return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}

test("progress is drawn in place, with questions below it", async () => {
  await using project = await projectWith({ asking });
  await using term = await shown(project, ["run", "asking"]);
  await term.waitFor("number or name:", longWait);
  expect(picture(term)).toEqual([
    "asking ID  waiting for an answer",
    "  ✓ build     tool",
    "  ? database  question",
    "  · say       tool",
    "? Storage Which database?",
    "  1 SQLite  one file",
    "  2 Postgres",
    "  number or name:",
  ]);
  term.type("mysql\r");
  await term.waitFor(/is not one of SQLite, Postgres\.\n {2}number or name:/, longWait);
  term.type("2\r");
  expect((await term.exit).exitCode).toBe(0);
  expect(picture(term).slice(7)).toEqual([
    "  number or name: mysql",
    '  "mysql" is not one of SQLite, Postgres.',
    "  number or name: 2",
    "asking ID  done",
    "  ✓ build     tool",
    "  ✓ database  question",
    "  ✓ say       tool",
    "said Postgres",
  ]);
  const { x, y } = term.find("✓ say") ?? { x: 0, y: 0 };
  expect(term.cell(x, y).fg).toBe("green");
});

test("text typed before a question does not answer it, and neither does an empty line", async () => {
  const later = `{ name: "asking" }, (graph) => graph
  .start(toolNode({ id: "hold", run: (_state, { note }) => new Promise((resolve) => {
    note("holding on");
    const look = setInterval(() => { if (existsSync("go")) { clearInterval(look); resolve(1); } }, 20);
  }) }))
  .wait(waitNode({ id: "approval", prompt: "Ship it?" }))
  .then(toolNode({ id: "say", run: ({ outputs }) => \`said \${outputs.approval}\` }))`;
  await using project = await projectWith({ asking: later });
  await using term = await shown(project, ["run", "asking"]);
  await term.waitFor("holding on", longWait);
  term.type("yes\r");
  await project.write("go", "");
  await term.waitFor("yes or no:", longWait);
  term.type("\r");
  await term.waitFor(/Type an answer\.\n {2}yes or no:/, longWait);
  term.type("no\r");
  expect((await term.exit).exitCode).toBe(0);
  expect(term.screen().join("\n")).toContain("\nsaid false\n");
});

test("a question that is longer than the screen is shown page by page", async () => {
  const reading = `{ name: "asking" }, (graph) => graph
  .wait(waitNode({ id: "plan", prompt: "# The plan\\n\\n" + Array.from({ length: 40 }, (_, n) => \`- step **\${n + 1}**\`).join("\\n") }))`;
  await using project = await projectWith({ asking: reading });
  await using term = await shown(project, ["run", "asking"]);
  await term.waitFor("line 17 of 42; Enter for more, or answer no:", longWait);
  expect(term.screen().slice(-18, -14)).toEqual(["? The plan", "", "  • step 1", "  • step 2"]);
  // It has not been read to its end.
  term.type("yes\r");
  await term.waitFor(/answer no: yes\n {2}Read the rest first: press Enter for more\.\n {2}line 17 of 42;/, longWait);
  term.type("\r");
  await term.waitFor("line 34 of 42; Enter for more, or answer no:", longWait);
  term.type("\r");
  await term.waitFor(/ {2}• step 40\n {2}yes or no:/, longWait);
  term.type("\r");
  await term.waitFor(/Type an answer\.\n {2}yes or no:/, longWait);
  term.type("no\r");
  expect((await term.exit).exitCode).toBe(0);
});

test("in a narrow terminal, the prompt below a page is broken between words, and the page is still whole", async () => {
  const reading = `{ name: "asking" }, (graph) => graph
  .wait(waitNode({ id: "plan", prompt: "# The plan\\n\\n" + Array.from({ length: 40 }, (_, n) => \`- step \${n + 1}\`).join("\\n") }))`;
  await using project = await projectWith({ asking: reading });
  await using term = await shown(project, ["run", "asking"], { cols: 40 });
  await term.waitFor(/^ {2}line 16 of 42; Enter for more, or\n {2}answer no:/m, longWait);
  term.type("\r");
  await term.waitFor(/^ {2}line 32 of 42; Enter for more, or\n {2}answer no:/m, longWait);
  expect(term.screen().slice(-4, -2)).toEqual(["  • step 29", "  • step 30"]);
  expect(term.screen()).toContain("  • step 15");
  term.type("no\r");
  expect((await term.exit).exitCode).toBe(0);
});

test("a question answered elsewhere is no longer asked", async () => {
  await using project = await projectWith({ asking });
  await using term = await shown(project, ["run", "asking"]);
  await term.waitFor("number or name:", longWait);
  const [, id = ""] = /asking ([a-z]+-[a-z]+)/.exec(term.screen().join("\n")) ?? [];
  term.type("may");
  await term.waitFor("number or name: may", longWait);
  await project.run([...(node?.command ?? []), "approve", id, "sqlite"]);
  expect((await term.exit).exitCode).toBe(0);
  expect(term.screen().join("\n")).toContain("number or name: may\n  answered elsewhere\n");
  expect(term.screen().join("\n")).toContain("\nsaid SQLite\n");
});

test("Ctrl-C stops the run and shows how to resume it", async () => {
  await using project = await projectWith({ holding: holding(false) });
  await using term = await shown(project, ["run", "holding"]);
  // Both branches run at once: the note of one may be drawn before the other is done.
  await term.waitFor(/reading[\s\S]*✓ b/, longWait);
  expect(picture(term)).toEqual([
    "holding ID  running",
    "  ✓ build    tool",
    "  * look     parallel",
    "    * a",
    "      * one  tool",
    "        reading \\x1b[2Jfiles",
    "    ✓ b",
    "  · end      tool",
  ]);
  term.press("ctrl+c");
  expect((await term.exit).exitCode).toBe(130);
  const screen = term.screen().join("\n");
  expect(screen).toContain("Stopping… press Ctrl-C again to quit.\n");
  expect(screen).toMatch(/‖ holding [a-z-]+ was stopped and can be resumed/);
  expect(screen).toMatch(/\n {4}atomic resume [a-z-]+\n/);
  expect(term.output).toEndWith("\n");
  expect(term.output.lastIndexOf("\x1b[?25h")).toBeGreaterThan(term.output.lastIndexOf("\x1b[?25l"));
});

test("Ctrl-C at a question also stops the run", async () => {
  await using project = await projectWith({ asking });
  // Wide enough for the longest name that a run can get.
  await using term = await shown(project, ["run", "asking"], { cols: 100 });
  await term.waitFor("number or name:", longWait);
  term.press("ctrl+c");
  expect((await term.exit).exitCode).toBe(130);
  expect(term.screen().join("\n")).toMatch(
    /atomic approve [a-z-]+ SQLite --key \S+ +# or any other option\n {4}atomic resume/,
  );
});

test("Ctrl-C twice quits immediately, even if something refuses to stop", async () => {
  await using project = await projectWith({ holding: holding(true) });
  await using term = await shown(project, ["run", "holding"]);
  await term.waitFor("reading", longWait);
  term.press("ctrl+c");
  await term.waitFor("Stopping", longWait);
  term.press("ctrl+c");
  expect((await term.exit).exitCode).toBe(130);
  expect(term.output.lastIndexOf("\x1b[?25h")).toBeGreaterThan(term.output.lastIndexOf("\x1b[?25l"));
  const runs = await project.run([...(node?.command ?? []), "runs"]);
  expect(runs.stdout).toContain("interrupted");
});

test("after a window is resized, frames fit its new size", async () => {
  await using project = await projectWith({ holding: holding(false) });
  await using term = await shown(project, ["run", "holding"], { cols: 70 });
  await term.waitFor("reading", longWait);
  // How much of a word fits beside the time depends on how long the step has been running.
  for (const [cols, label] of [
    [24, /^ {2}\* look +p[aral]*…$/],
    [64, /^ {2}\* look +parallel$/],
  ] as const) {
    term.resize(cols, 20);
    await term.waitFor((each) => {
      const tree = picture(each).slice(-8);
      return label.test(tree[2] ?? "") && tree[7] === "  · end      tool";
    }, longWait);
  }
  term.press("ctrl+c");
  await term.exit;
});

test("a terminal that cannot draw gets lines", async () => {
  await using project = await projectWith({ asking });
  await using term = await shown(project, ["run", "asking"], { env: { TERM: "dumb" } });
  await term.waitFor("number or name:", longWait);
  term.type("1\r");
  expect((await term.exit).exitCode).toBe(0);
  expect(term.screen().join("\n")).toContain("✓ build ");
  expect(term.screen().join("\n")).toContain("\nsaid SQLite\n");
  expect(term.output).not.toContain("\x1b[?25l");
});
