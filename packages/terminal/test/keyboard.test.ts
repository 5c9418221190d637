import { expect, test } from "bun:test";
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

test("an answer to a question counts", async () => {
  await using folder = await temporaryFolder("keyboard-");
  const script = join(folder.path, "asking.ts");
  await Bun.write(script, asking);
  await using term = await terminal([process.execPath, script, folder.path]);
  await term.waitFor("Go ahead? [y/N]");
  term.type("y\r");
  await term.waitFor("answered true");
});
