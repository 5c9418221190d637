// The prompt line as a person sees it: the real program in a real terminal, on Node and on Bun.

import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { symlink } from "node:fs/promises";
import type { Terminal } from "@atomic/testing/terminal";
import { toolNode, waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { build } from "../program.ts";
import { begin, newGraph, projectWith } from "../runs/begun.ts";
import { both, childOf, files, longWait, node, opened, ready, sampled, screen } from "./opened.ts";

setDefaultTimeout(180_000);
beforeAll(build);

describe.each(both)("on $name", ({ command }) => {
  test.each([
    [
      40,
      [
        "> /sh",
        "> /ship           <version> [--dry-run]",
        "  /show           [run] [node]",
        "  /schedule       <cron> <workflow> [a…",
        "  /research-cod…  <question or topic>",
      ],
    ],
    [
      80,
      [
        "> /sh",
        "> /ship               <version> [--dry-run]   Ships a version to the registry,…",
        "  /show               [run] [node]            Show what a run did, what it cos…",
        "  /schedule           <cron> <workflow> [ar…  Start a workflow on a schedule",
        "  /research-codebase  <question or topic>     skill: Answers a question about…",
      ],
    ],
    [
      200,
      [
        "> /sh",
        "> /ship               <version> [--dry-run]           Ships a version to the registry, after all checks",
        "  /show               [run] [node]                    Show what a run did, what it cost, and what it is waiting for",
        "  /schedule           <cron> <workflow> [arguments…]  Start a workflow on a schedule",
        "  /research-codebase  <question or topic>             skill: Answers a question about a codebase with evidence from the code and writes the findings to a research document. Use before planning a cha…",
      ],
    ],
  ])("at %i columns suggestions, hint and arguments follow what is typed", async (cols, list) => {
    await using project = await sampled();
    await using term = await opened(project, command, { cols });
    await ready(term);
    term.type("/sh");
    await term.waitFor(/^> \/ship +</m, longWait);
    expect(screen(term)).toEqual(list);
    expect(term.cursor).toEqual({ x: 5, y: 0 });
    term.press("tab");
    await term.waitFor("> /ship <version> [--dry-run]", longWait);
    expect(term.cursor).toEqual({ x: 8, y: 0 });
    expect(term.cell(8, 0)).toMatchObject({ char: "<", dim: true });
    term.type("1");
    await term.waitFor(/^> \/ship 1$/m, longWait);
    term.press("backspace");
    await term.waitFor("> /ship <version> [--dry-run]", longWait);
    term.press("ctrl+u");
    term.type("/日");
    await term.waitFor("> /日本", longWait);
    expect(term.cursor).toEqual({ x: 5, y: 0 });
    term.press("ctrl+c", "ctrl+c", "ctrl+c");
    expect((await term.exit).exitCode).toBe(0);
    expect(screen(term)).toEqual([]);
    expect(term.isAlternate).toBe(false);
  });

  test("a resize redraws the picture, and leaves nothing of the one before", async () => {
    await using project = await sampled();
    await using term = await opened(project, command);
    await ready(term);
    term.type("/sh");
    await term.waitFor("/research-codebase", longWait);
    for (const cols of [40, 200, 60, 80]) {
      term.resize(cols, 24);
      const isDrawn = (): boolean => {
        const lines = screen(term);
        return (
          lines.length === 5 && lines.every((line) => line.length < cols) && lines[1]?.includes("<version>") === true
        );
      };
      await term.waitFor(isDrawn, longWait);
      expect(screen(term).filter((line) => line.includes("/ship"))).toHaveLength(1);
    }
    term.resize(80, 5);
    await term.waitFor(() => screen(term).length < 5 && screen(term)[0] === "> /sh", longWait);
  });

  test("at every size the run above, the line and its list are there once", async () => {
    await using project = await sampled();
    await using term = await opened(project, command);
    await ready(term);
    term.type("/asking\r");
    await term.waitFor("? Publish 1.4.0?", longWait);
    term.type("/日");
    await term.waitFor("> /日本", longWait);
    const sizes = [
      [80, 12],
      [80, 6],
      [40, 6],
      [40, 3],
      [40, 24],
      [20, 24],
      [20, 5],
      [80, 5],
      [80, 4],
      [200, 50],
      [30, 8],
      [80, 24],
    ] as const;
    for (const [cols, rows] of sizes) {
      const before = term.output.length;
      term.resize(cols, rows);
      await term.waitFor(() => term.output.length > before && term.output.endsWith("\x1b[?2026l"), longWait);
      const lines = screen(term);
      const at = lines.indexOf("> /日");
      expect({ cols, rows, at: term.cursor }).toEqual({ cols, rows, at: { x: 5, y: at } });
      expect(lines.length).toBeLessThan(rows);
      for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThan(cols);
      expect(lines.slice(at + 1).every((line) => line.startsWith("> /日本"))).toBe(true);
      // One row for the line, one for its list, one below, and for the run a headline, a tree and a question.
      for (const each of ["asking ", "? Publish", "> /日本"]) {
        const count = lines.filter((line) => line.includes(each)).length;
        expect({ each, cols, rows, count }).toEqual({ each, cols, rows, count: rows > 6 ? 1 : Math.min(1, count) });
      }
    }
    // What was entered has scrolled away, and time has passed.
    expect(screen(term).map((line) => line.replace(/ +[\d.]+m?s$/, ""))).toEqual([
      expect.stringMatching(/^asking [a-z]+-[a-z]+ {2}waiting for an answer$/),
      "  ✓ build     tool",
      "  ? approval  question",
      "  · say       tool",
      expect.stringMatching(/^ {2}\? Publish 1\.4\.0\? {2}\/answer [a-z]+-[a-z]+$/),
      "> /日",
      "> /日本  日本語の説明",
    ]);
  });

  test("a terminal that was lower for a moment is drawn anew", async () => {
    await using project = await sampled();
    await using term = await opened(project, command);
    await ready(term);
    term.type("/sh");
    await term.waitFor("/research-codebase", longWait);
    const whole = screen(term);
    process.kill(term.pid, "SIGSTOP");
    term.resize(80, 2);
    term.resize(80, 24);
    expect(screen(term)).not.toEqual(whole);
    process.kill(term.pid, "SIGCONT");
    await term.waitFor(() => screen(term).join() === whole.join(), longWait);
  });

  test("a workflow runs above, is answered here, and says its answer", async () => {
    await using project = await sampled();
    await using term = await opened(project, command, { rows: 30 });
    await ready(term);
    term.type("/asking");
    await term.waitFor("workflow: Asks and says", longWait);
    term.press("enter");
    await term.waitFor(/\? approval +question[\s\S]*\? Publish 1\.4\.0\? {2}\/answer [a-z]+-[a-z]+/, longWait);
    term.type("/answer");
    await term.waitFor("Answer the questions of a run", longWait);
    term.press("enter");
    await term.waitFor("yes or no:", longWait);
    // Every key reaches the question: nothing else reads them.
    term.type("maybe not\r");
    await term.waitFor(/"maybe not" is neither yes nor no\.\n {2}yes or no:/, longWait);
    term.type("yes\r");
    await term.waitFor(/✓ say[^\n]*\nsaid true\n> Type a task/, longWait);
    term.press("ctrl+d");
    expect((await term.exit).exitCode).toBe(0);
  });

  test.each([
    ["xterm-256color", "Your tasks now go to Claude Code."],
    // What is typed before the next prompt is there is echoed above it.
    ["dumb", /Your tasks now go to Claude Code\.\n> /],
  ])("Ctrl-D at a question leads back to the prompt line, with TERM=%s", async (TERM, said) => {
    await using project = await sampled();
    await begin(project, newGraph().start(waitNode({ id: "approval", prompt: "Publish 1.4.0?" })));
    await using term = await opened(project, command, { env: { TERM } });
    await term.waitFor("? Publish 1.4.0?", longWait);
    term.type("/answer\r");
    await term.waitFor("yes or no:", longWait);
    term.press("ctrl+d");
    await term.waitFor(/You can also answer it[\s\S]*\n> /, longWait);
    term.type("/host claude\r");
    await term.waitFor(said, longWait);
    term.type("/answer\r");
    await term.waitFor(/> \/host claude[\s\S]*> \/answer[\s\S]*yes or no:/, longWait);
    term.type("no\r");
    await term.waitFor(/yes or no: no[\s\S]*\n> /, longWait);
    term.press("ctrl+d");
    expect((await term.exit).exitCode).toBe(0);
  });

  test("a run is left to the background, and is there again the next time", async () => {
    await using project = await sampled();
    await using term = await opened(project, command);
    await ready(term);
    term.type("/asking\r");
    await term.waitFor("? Publish 1.4.0?", longWait);
    term.press("ctrl+d");
    await term.exit;
    expect(screen(term).at(-1)).toMatch(/^Still running: [a-z]+-[a-z]+\. `atomic runs` lists them\.$/);
    await using again = await opened(project, command);
    await again.waitFor(/asking [a-z]+-[a-z]+ {2}waiting for an answer/, longWait);
    // Ctrl-P goes through the history, here as in a shell.
    again.press("ctrl+p");
    await again.waitFor("> /asking", longWait);
    again.press("ctrl+u");
    again.type("/attach\r");
    await again.waitFor(/Ctrl-C detaches; the run continues\.[\s\S]*yes or no:/, longWait);
    again.press("ctrl+c");
    await again.waitFor(/yes or no:[\s\S]*waiting for an answer[\s\S]*> Type a task/, longWait);
    const [, runId = ""] = /asking ([a-z]+-[a-z]+)/.exec(again.screen().join("\n")) ?? [];
    again.type(`/cancel ${runId.slice(0, 3)}`);
    again.press("tab");
    await again.waitFor(`/cancel ${runId}`, longWait);
    again.press("enter");
    await again.waitFor(/cancelled[\s\S]*> Type a task/, longWait);
    again.press("ctrl+d");
    await again.exit;
  });

  test.each([
    ["is left with Ctrl-D", (term: Terminal) => term.press("ctrl+d"), 0],
    [
      "is left with Ctrl-C in the middle of a line",
      (term: Terminal) => {
        term.type("/sh");
        term.press("ctrl+c", "ctrl+c", "ctrl+c");
      },
      0,
    ],
    ["gets SIGTERM", (_: Terminal, pid: number) => process.kill(pid, "SIGTERM"), 143],
    ["gets SIGINT", (_: Terminal, pid: number) => process.kill(pid, "SIGINT"), 130],
    ["is killed", (_: Terminal, pid: number) => process.kill(pid, "SIGKILL"), 137],
  ])("the terminal is sane after it %s", async (_title, end, code) => {
    await using project = await sampled();
    await using shell = await opened(project, ["bash", "--norc", "--noprofile", "-i"], { env: { PS1: "$ " } });
    await shell.waitFor("$ ", longWait);
    shell.type("stty -g > before\r");
    shell.type(`${command.map((word) => `'${word}'`).join(" ")}\r`);
    await ready(shell);
    shell.type("half a line");
    await shell.waitFor("half a line", longWait);
    shell.press("ctrl+u");
    await shell.waitFor("Type a task", longWait);
    end(shell, await childOf(shell.pid));
    await shell.waitFor(() => screen(shell).at(-1)?.startsWith("$") === true, longWait);
    shell.type(
      "echo ended with $?; stty -g > after; stty -a | grep -ow 'icanon\\|echo\\|isig\\|icrnl\\|opost' | tr '\\n' ' '\r",
    );
    await shell.waitFor(`ended with ${code}`, longWait);
    await shell.waitFor(/isig icrnl|icrnl opost/, longWait);
    // What is typed is shown, and nothing else.
    shell.type("echo still $((40 + 2))\r");
    await shell.waitFor(/^still 42$/m, longWait);
    expect(shell.screen().join("\n")).toContain("$ echo still $((40 + 2))");
    expect(await project.read("after")).toBe(await project.read("before"));
    expect(shell.isAlternate).toBe(false);
    // The cursor was shown last.
    expect(shell.output.lastIndexOf("\x1b[?25h")).toBeGreaterThan(shell.output.lastIndexOf("\x1b[?25l"));
  });
});

test("an uncaught error is reported below, and the terminal is sane", async () => {
  await using project = await sampled();
  await using shell = await opened(project, ["bash", "--norc", "--noprofile", "-i"], { env: { PS1: "$ " } });
  await shell.waitFor("$ ", longWait);
  const broken = "data:text/javascript,process.once(`SIGUSR2`,()=>{throw%20new%20Error(`boom`)})";
  shell.type(
    `stty -g > before; ${[node?.command[0], "--import", broken, ...(node?.command.slice(1) ?? [])].map((word) => `'${word}'`).join(" ")}\r`,
  );
  await ready(shell);
  process.kill(await childOf(shell.pid), "SIGUSR2");
  await shell.waitFor("Error: boom", longWait);
  shell.type("echo ended with $?; stty -g > after\r");
  await shell.waitFor("ended with 70", longWait);
  await shell.waitFor(/ended with 70\n\$/, longWait);
  expect(await project.read("after")).toBe(await project.read("before"));
});

test.each([
  ["", {}],
  [" with TERM=dumb", { TERM: "dumb" }],
])("a name that is new since the start is found when it is entered%s", async (_title, env) => {
  await using project = await sampled();
  await using term = await opened(project, undefined, { env });
  await term.waitFor(/^>/m, longWait);
  term.type("/planner\r");
  await term.waitFor("There is no /planner.", longWait);
  await project.write(".claude/agents/planner.md", "---\nname: planner\ndescription: Plans\n---\nPlan.\n");
  if (!("TERM" in env)) term.press("ctrl+u");
  term.type("/planner\r");
  await term.waitFor("OpenCode does not have the agent planner", longWait);
});

test("pasted lines are one text, and nothing of them is entered", async () => {
  await using project = await sampled();
  await using term = await opened(project);
  await ready(term);
  term.paste("first line\rsecond \x1b[31mline\r");
  await term.waitFor("second [31mline", longWait);
  expect(screen(term).slice(0, 2)).toEqual(["> first line", "  second [31mline"]);
});

test("NO_COLOR shows the same without colors", async () => {
  await using project = await sampled();
  await using term = await opened(project, node?.command, { env: { NO_COLOR: "1" } });
  await ready(term);
  term.type("/sh");
  await term.waitFor(/^> \/ship +</m, longWait);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors are made of them
  expect(term.output).not.toMatch(/\x1b\[\d+m/);
});

test("with TERM=dumb it prints line after line, without any escape sequence", async () => {
  await using project = await sampled();
  await using term = await opened(project, node?.command, { env: { TERM: "dumb" } });
  const isAsked = (): boolean => screen(term).at(-1)?.trimEnd() === ">";
  await term.waitFor(isAsked, longWait);
  term.type("/shipp\r");
  await term.waitFor("There is no /shipp. Did you mean /ship?", longWait);
  await term.waitFor(isAsked, longWait);
  term.type("/host\r");
  await term.waitFor("Your tasks go to OpenCode.", longWait);
  await term.waitFor(isAsked, longWait);
  term.type("/exit\r");
  expect((await term.exit).exitCode).toBe(0);
  expect(term.output).not.toContain("\x1b");
});

test("with less motion the picture stands still", async () => {
  const holding = `{ name: "holding" }, (graph) => graph
    .start(toolNode({ id: "hold", run: (_state, { signal }) => new Promise((_, reject) => { const timer = setInterval(() => undefined, 1000); signal.addEventListener("abort", () => { clearInterval(timer); reject(signal.reason); }); }) }))`;
  await using project = await projectWith({ holding }, files);
  await using term = await opened(project, node?.command, { env: { ATOMIC_REDUCED_MOTION: "1" } });
  await ready(term);
  term.type("/holding\r");
  await term.waitFor("• hold", longWait);
  expect(term.output).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
});

test("Tab completes files beside links that lead in circles or nowhere", async () => {
  await using project = await sampled();
  for (const [link, target] of [
    ["note-circle", "note-circle"],
    ["note-gone", "gone"],
  ] as const)
    await symlink(target, project.path(link));
  await project.write("note-to-read.md", "");
  await using term = await opened(project);
  await ready(term);
  term.type("look at @note-t");
  term.press("tab");
  await term.waitFor("> look at @note-to-read.md", longWait);
});

test("Tab completes workflows, and runs that have ended", async () => {
  await using project = await sampled();
  await begin(project, newGraph().start(toolNode({ id: "build", run: () => "built" })));
  await using term = await opened(project);
  await ready(term);
  for (const [typed, line] of [
    ["/run as", "> /run asking"],
    ["/graph as", "> /graph asking"],
    ["/schedule daily as", "> /schedule daily asking"],
    ["/show calm", "> /show calm-otter"],
    ["/ralph --resume c", "> /ralph --resume calm-otter"],
  ] as const) {
    term.type(typed);
    term.press("tab");
    await term.waitFor(line, longWait);
    term.press("ctrl+u");
  }
  term.type("/cancel c");
  term.press("tab");
  await term.waitFor("Nothing to complete here.", longWait);
});
