import { describe, expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { terminal } from "@atomic/testing/terminal";

const source = (name: string): string => join(import.meta.dirname, "../src", name);

/** Waits until the test says that it has typed, then asks. */
const asking = `
import { consoleOf } from ${JSON.stringify(source("console.ts"))};
import { askYesNo } from ${JSON.stringify(source("questions.ts"))};
import { existsSync } from "node:fs";
const console_ = consoleOf(process, "asking");
process.stdout.write("working\\n");
while (!existsSync(process.argv[2])) await new Promise((resolve) => setTimeout(resolve, 5));
const answer = await askYesNo(console_, "Go ahead?", new AbortController().signal);
process.stdout.write("answered " + answer + "\\n");
`;

test.each(["y\r", "y"])("%j typed before a question is shown does not answer it", async (typed) => {
  await using folder = await temporaryFolder("keyboard-");
  const script = join(folder.path, "asking.ts");
  const ready = join(folder.path, "typed");
  await Bun.write(script, asking);
  await using term = await terminal([process.execPath, script, ready]);
  await term.waitFor("working");
  term.type(typed);
  // The terminal echoes what is typed, so it has arrived.
  await term.waitFor(/y/);
  await Bun.write(ready, "");
  await term.waitFor("Go ahead? [y/N]");
  expect(term.output).not.toContain("answered");
  term.type("\r");
  await term.waitFor("answered false");
});

const strangers = Bun.which("setpriv") === null || process.getuid?.() !== 0 ? "it needs root and setpriv" : undefined;
if (strangers) console.warn(`skipped: a question on the terminal of another user: ${strangers}`);

// As after `su`: with a terminal to talk to, or without one.
test.skipIf(strangers !== undefined).each([
  ["drops", [], "Go ahead? [y/N]"],
  ["refuses to ask because it cannot drop", ["setsid", "--wait"], "this terminal belongs to another user"],
] as const)("on the terminal of another user it %s what was typed before", async (_, through, shown) => {
  await using folder = await temporaryFolder("keyboard-");
  const script = join(folder.path, "asking.ts");
  const ready = join(folder.path, "typed");
  await Bun.write(script, asking);
  await chmod(folder.path, 0o755);
  const asNobody = ["setpriv", "--reuid=65534", "--clear-groups", process.execPath, script, ready];
  await using term = await terminal([...through, ...asNobody]);
  await term.waitFor("working");
  term.type("y\r");
  await term.waitFor(/y/);
  await Bun.write(ready, "");
  await term.waitFor(shown);
  if (through.length === 0) term.type("\r");
  await term.waitFor(through.length === 0 ? "answered false" : "su -");
  expect(term.output).not.toContain("answered true");
});

/** Two questions for a text, and then keys. */
const textThenKeys = `
import { consoleOf } from ${JSON.stringify(source("console.ts"))};
import { ask, readText } from ${JSON.stringify(source("questions.ts"))};
const console_ = consoleOf(process, "asking");
for (const prompt of ["first: ", "second: "]) {
  const answer = await ask(console_, prompt, new AbortController().signal, readText);
  process.stdout.write("answered " + JSON.stringify(answer ?? null) + "\\n");
}
const stop = console_.stdin.edit((keys) => {
  process.stdout.write("key " + JSON.stringify(keys ?? null) + "\\r\\n");
  stop();
  process.stdout.write("over\\n");
});
process.stdout.write("keys?\\r\\n");
`;

/** Nothing that waits may depend on what a collector finds unused. */
const collecting = "data:text/javascript,setInterval(() => globalThis.gc(), 10).unref()";
const programs = [
  ["Bun", [process.execPath]],
  ["Node", [Bun.which("node") ?? "node"]],
  ["Node that collects garbage all the time", [Bun.which("node") ?? "node", "--expose-gc", "--import", collecting]],
] as const;

describe.each(programs)("on %s", (_name, command) => {
  const asked = async (folder: string) => {
    const script = join(folder, "asking.ts");
    await Bun.write(script, textThenKeys);
    const [built] = (await Bun.build({ entrypoints: [script], target: "node" })).outputs;
    await Bun.write(join(folder, "asking.mjs"), built ?? "");
    return await terminal([...command, join(folder, "asking.mjs")]);
  };

  test("after Ctrl-D at a question, the next one and single keys are heard", async () => {
    await using folder = await temporaryFolder("keyboard-");
    await using term = await asked(folder.path);
    await term.waitFor("first:");
    term.press("ctrl+d");
    await term.waitFor("answered null");
    await term.waitFor("second:");
    term.type("words\r");
    await term.waitFor('answered "words"');
    await term.waitFor("keys?");
    term.press("ctrl+c");
    await term.waitFor('key "\\u0003"');
    await term.waitFor("over");
    expect((await term.exit).exitCode).toBe(0);
  });

  test("all lines of a pasted text are the answer, up to an empty line", async () => {
    await using folder = await temporaryFolder("keyboard-");
    await using term = await asked(folder.path);
    await term.waitFor("first:");
    term.type("one\r\rtwo\rthr");
    await term.waitFor("Your answer has several lines.");
    term.type("ee\r");
    expect(term.output).not.toContain("answered");
    term.type("\r");
    await term.waitFor(String.raw`answered "one\n\ntwo\nthree"`);
    await term.waitFor("second:");
    term.type("\r");
    await term.waitFor("Type an answer.");
    term.type("words\r");
    await term.waitFor('answered "words"');
    await term.waitFor("keys?");
  });

  test("so are two lines, of which the second one has only begun", async () => {
    await using folder = await temporaryFolder("keyboard-");
    await using term = await asked(folder.path);
    await term.waitFor("first:");
    term.type("one\rtwö");
    await term.waitFor(/to discard it\.\ntwö$/m);
    expect(term.output).not.toContain("answered");
    term.type(" more\r");
    term.type("\r");
    await term.waitFor('answered "one\\ntwö more"');
    await term.waitFor("second:");
    // Ctrl-C among the rest counts.
    term.type("one\rtwo\x03");
    expect((await term.exit).signal ?? (await term.exit).exitCode).toBeTruthy();
    expect(term.output).not.toContain('answered "one"');
  });

  test("the line that has only begun keeps its tabs and joined characters", async () => {
    await using folder = await temporaryFolder("keyboard-");
    await using term = await asked(folder.path);
    await term.waitFor("first:");
    term.type("if x:\r\tfirst\r\tlast 👩‍💻");
    await term.waitFor("to discard it.");
    term.type(" né\r");
    term.type("\r");
    await term.waitFor('answered "if x:\\n\\tfirst\\n\\tlast 👩‍💻 né"');
  });

  test("no part of a longer answer is lost, or it is none", async () => {
    await using folder = await temporaryFolder("keyboard-");
    await using term = await asked(folder.path);
    await term.waitFor("first:");
    // Longer than what Linux keeps of a line.
    term.type(`${"é".repeat(3000)}\r`);
    await term.waitFor("The line was cut");
    await term.waitFor(/into several lines\.[\s\S]*first:/);
    term.type("\r\rone\rtwo");
    await term.waitFor("Ctrl-D on an empty line");
    // What has begun is read already, so the terminal's own line is empty.
    term.press("ctrl+d");
    await term.waitFor("answered null");
    await term.waitFor("second:");
    term.type("\r\rone\r");
    await term.waitFor(/second:[\s\S]*Ctrl-D on an empty line/);
    term.type("\r");
    await term.waitFor(String.raw`answered "\n\none"`);
  });

  test("a question is there again after Ctrl-Z", async () => {
    await using folder = await temporaryFolder("keyboard-");
    await using term = await asked(folder.path);
    await term.waitFor("first:");
    process.kill(term.pid, "SIGSTOP");
    process.kill(term.pid, "SIGCONT");
    await term.waitFor("first: first:");
    term.type("words\r");
    await term.waitFor('answered "words"');
  });
});

test("an answer to a question counts", async () => {
  await using folder = await temporaryFolder("keyboard-");
  const script = join(folder.path, "asking.ts");
  await Bun.write(script, asking);
  await using term = await terminal([process.execPath, script, folder.path]);
  await term.waitFor("Go ahead? [y/N]");
  term.type("y\r");
  await term.waitFor("answered true");
});
