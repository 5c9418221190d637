import { expect, test } from "bun:test";
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
process.stdout.write("busy\\n");
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
  await term.waitFor("busy");
  term.type(typed);
  // The terminal echoes what is typed, so it has arrived.
  await term.waitFor(/y/);
  await Bun.write(ready, "");
  await term.waitFor("Go ahead? [y/N]");
  expect(term.output).not.toContain("answered");
  term.type("\r");
  await term.waitFor("answered false");
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
