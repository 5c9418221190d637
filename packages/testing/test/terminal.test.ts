import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { longRunningCommand } from "@atomic/testing/long-running-command";
import { terminal } from "@atomic/testing/terminal";

function fixture(name: string): string[] {
  return [process.execPath, join(import.meta.dirname, "fixtures/terminal", name)];
}

test("a program sees a terminal of the size that was asked for", async () => {
  const script = "test -t 0 && test -t 1 && test -t 2 && stty size && echo $TERM $COLORTERM";
  await using term = await terminal(["sh", "-c", script], { cols: 50, rows: 7 });
  expect(await term.exit).toEqual({ exitCode: 0, signal: undefined });
  expect(term.screen()).toEqual(["7 50", "xterm-256color truecolor", "", "", "", "", ""]);
});

test("typed text is echoed and answered", async () => {
  await using term = await terminal(["cat"], { cols: 20, rows: 4 });
  term.type("hello");
  await term.waitFor("hello");
  expect(term.screen()).toEqual(["hello", "", "", ""]);
  expect(term.cursor).toEqual({ x: 5, y: 0 });
  term.press("enter");
  await term.waitFor("hello\nhello");
  term.press("ctrl+d");
  expect(await term.exit).toEqual({ exitCode: 0, signal: undefined });
});

test("ctrl+c ends a program with its signal", async () => {
  await using term = await terminal(["cat"]);
  term.type("waiting");
  await term.waitFor("waiting");
  term.press("ctrl+c");
  expect(await term.exit).toEqual({ exitCode: 130, signal: "SIGINT" });
  expect(term.screen()[0]).toBe("waiting^C");
});

for (const runtime of ["Bun", "Node"]) {
  test(`a question of ${runtime}'s line editor is answered with editing keys`, async () => {
    const [bun, script] = fixture("question.mjs");
    await using term = await terminal([runtime === "Bun" ? bun! : "node", script!], { cols: 40, rows: 5 });
    await term.waitFor("Name? ");
    term.type("Adda");
    await term.waitFor("Name? Adda");
    term.press("left", "backspace");
    await term.waitFor("Name? Ada");
    expect(term.cursor).toEqual({ x: "Name? Ad".length, y: 0 });
    term.press("enter");
    await term.waitFor("Hello, Ada!");
    expect((await term.exit).exitCode).toBe(0);
  });
}

test("the program gets a signal when the window changes size", async () => {
  await using term = await terminal(fixture("size.mjs"), { cols: 60, rows: 10 });
  await term.waitFor("60 columns, 10 rows");
  term.resize(33, 12);
  await term.waitFor("33 columns, 12 rows");
  expect([term.cols, term.rows]).toEqual([33, 12]);
  expect(term.screen()).toHaveLength(12);
});

test("a full-screen program leaves the screen as it was", async () => {
  const script =
    "echo before; read x; printf '\\033[?1049h\\033[H\\033[2Jall mine'; read x; printf '\\033[?1049l'; read x";
  await using term = await terminal(["sh", "-c", script], { cols: 20, rows: 4 });
  await term.waitFor("before");
  expect(term.isAlternate).toBe(false);
  term.press("enter");
  await term.waitFor("all mine");
  expect(term.isAlternate).toBe(true);
  expect(term.screen()).toEqual(["all mine", "", "", ""]);
  term.press("enter");
  await term.waitFor(({ isAlternate }) => !isAlternate);
  expect(term.screen()).toContain("before");
  expect(term.screen()).not.toContain("all mine");
});

test("whether the cursor is shown, and whether a frame is being drawn, is known", async () => {
  const script =
    "echo one; read x; printf '\\033[?25l\\033[?2026htwo'; read x; printf '\\033[?2026l\\033[?25h'; read x";
  await using term = await terminal(["sh", "-c", script], { cols: 20, rows: 4 });
  await term.waitFor("one");
  expect([term.isCursorShown, term.isInFrame]).toEqual([true, false]);
  term.press("enter");
  await term.waitFor("two");
  expect([term.isCursorShown, term.isInFrame]).toEqual([false, true]);
  term.press("enter");
  await term.waitFor(({ isCursorShown, isInFrame }) => isCursorShown && !isInFrame);
});

test("scrolled lines are still in the history and in the output", async () => {
  await using term = await terminal(["seq", "1", "20"], { cols: 10, rows: 4 });
  await term.exit;
  expect(term.screen()).toEqual(["18", "19", "20", ""]);
  expect(term.history().slice(0, 3)).toEqual(["1", "2", "3"]);
  expect(term.output).toStartWith("1\r\n2\r\n");
});

test("all of a long output is there when the program has ended", async () => {
  await using term = await terminal(["seq", "1", "30000"]);
  await term.exit;
  expect(term.screen().at(-2)).toBe("30000");
  expect(term.output.trimEnd().split("\r\n")).toHaveLength(30_000);
});

test("a program has ended even when something it started keeps the terminal open", async () => {
  await using term = await terminal(["sh", "-c", "cat <&1 & echo $!"]);
  expect((await term.exit).exitCode).toBe(0);
  expect(term.screen()[0]).toMatch(/^\d+$/);
});

test("the deadline of a wait shows what was waited for and the last screen", async () => {
  await using term = await terminal(["sh", "-c", "echo something else; cat"], { cols: 16, rows: 2 });
  await term.waitFor("something else");
  const wait = term.waitFor(/never/, { deadline: 1 });
  await expect(wait).rejects.toThrow(
    [
      "1 ms passed while waiting for /never/. The screen is:",
      "┌────────────────┐",
      "│something else  │",
      "│                │",
      "└────────────────┘",
    ].join("\n"),
  );
});

test("a wait ends with the program, not with the deadline", async () => {
  await using term = await terminal(["sh", "-c", "echo oops; exit 3"], { cols: 10, rows: 2 });
  await expect(term.waitFor("ready")).rejects.toThrow('The program ended with exit code 3 while waiting for "ready"');
});

test("a condition that throws fails the wait", async () => {
  await using term = await terminal(["cat"]);
  const wait = term.waitFor(() => {
    throw new Error("a mistake in the test");
  });
  await expect(wait).rejects.toThrow("a mistake in the test");
});

test("leaving the scope ends the program, its jobs, and processes that ignore the hangup", async () => {
  const pids: number[] = [];
  {
    // With job control each job is a group of its own.
    const script = "trap '' HUP INT TERM; set -m; sleep 1000 & echo $$ $!; cat";
    await using term = await terminal(["bash", "-c", script]);
    await term.waitFor(/^\d+ \d+$/m);
    pids.push(...term.screen()[0]!.split(" ").map(Number));
  }
  expect(pids).toHaveLength(2);
  expect(pids.filter(isRunning)).toEqual([]);
});

test.skipIf(process.platform !== "linux")("leaving the scope ends processes in separate sessions", async () => {
  await using running = await longRunningCommand();
  {
    await using term = await terminal(["sh", "-c", 'setsid bash -c "$1" & cat', "sh", running.command]);
    await running.started;
    term.press("ctrl+c");
  }
  await running.ended;
});

test("a program that cannot be started is an error at once", async () => {
  await expect(terminal(["no-such-program"])).rejects.toThrow("no-such-program");
});

function isRunning(pid: number): boolean {
  const status = `/proc/${pid}/status`;
  return existsSync(status) && !/^State:\s+Z/m.test(readFileSync(status, "utf8"));
}

test("a folder and variables are passed on, switches for robots are not", async () => {
  const script = 'pwd; echo "$MINE,$CI,$NO_COLOR,"';
  process.env.NO_COLOR = "1";
  try {
    await using term = await terminal(["sh", "-c", script], { cwd: "/", env: { MINE: "yes" } });
    await term.exit;
    expect(term.screen().slice(0, 2)).toEqual(["/", "yes,,,"]);
  } finally {
    delete process.env.NO_COLOR;
  }
});
