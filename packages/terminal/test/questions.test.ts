import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { type Terminal, terminal } from "@atomic/testing/terminal";
import { readChoice, readChoices, readText, readYesNo } from "../src/questions.ts";

const labels = ["SQLite", "Postgres", "PostGIS"];

test.each([
  ["y", true],
  [" Yes ", true],
  ["allow", true],
  ["YES!", true],
  ["ok.", true],
  ["\tOkay\n", true],
  ["yes!!", true],
  ["n", false],
  ["Deny", false],
  ["Nope.", false],
  ["no, thanks", undefined],
  ["yes but", undefined],
  ["yes?", undefined],
  ["yes…", undefined],
  ["yes...", undefined],
  ["yes,", undefined],
  ["no;", undefined],
  ["cancel", undefined],
  ["nein", undefined],
  ["please wait, I found a bug", undefined],
  ["1", undefined],
  ["!", undefined],
  ["", undefined],
  ["maybe", undefined],
])("%j is %p", (words, meaning) => expect(readYesNo(words)).toBe(meaning as boolean));

test.each([
  ["sqlite", { value: "SQLite" }],
  ["s", { problem: expect.stringContaining('"s" is not one of SQLite, Postgres, PostGIS') }],
  ["2", { value: "Postgres" }],
  ["post", { problem: expect.stringContaining('"post" is not one of SQLite, Postgres, PostGIS') }],
  ["4", { problem: '"4" is not one of SQLite, Postgres, PostGIS.' }],
  ["Postgers", { problem: '"Postgers" is not one of SQLite, Postgres, PostGIS (did you mean Postgres?).' }],
  [" ", { problem: "Choose one of SQLite, Postgres, PostGIS." }],
])("the choice %j is %j", (words, reading) => expect(readChoice(words, labels)).toEqual(reading as never));

test("several choices have commas between them, unless a label has one itself", () => {
  expect(readChoices("1, postgis", labels)).toEqual({ value: ["SQLite", "PostGIS"] });
  expect(readChoices("yes, all", ["yes, all", "no"])).toEqual({ value: ["yes, all"] });
  expect(readChoices("1,", labels)).toEqual({ problem: "Choose one of SQLite, Postgres, PostGIS." });
});

test("a text is kept as it is typed", () => {
  expect(readText("  two words ")).toEqual({ value: "  two words " });
  expect(readText(" ")).toEqual({ problem: "Type some text." });
});

describe("on a terminal", () => {
  const source = (name: string): string => JSON.stringify(join(import.meta.dirname, "../src", name));

  /** Waits until there is the file, then asks for a choice. A signal is reported, and ends the question. */
  const asking = `
import { existsSync, writeFileSync } from "node:fs";
import { consoleOf } from ${source("console.ts")};
import { ask, readChoice } from ${source("questions.ts")};
const console_ = consoleOf(process, "asking");
const stop = new AbortController();
const stopListening = console_.signals.listen((signal) => {
  writeFileSync(process.argv[2] + ".heard", signal);
  process.stdout.write("heard " + signal + "\\n");
  stop.abort();
});
process.stdout.write("busy\\n");
while (!existsSync(process.argv[2])) await new Promise((resolve) => setTimeout(resolve, 5));
const answer = await ask(console_, "number or name: ", stop.signal, (words) => readChoice(words, ["SQLite", "Postgres"]));
process.stdout.write("answer " + answer + "\\n");
stopListening();
`;

  /** `ready` lets the program ask. */
  async function question(act: (term: Terminal, ready: () => Promise<unknown>) => Promise<void>): Promise<void> {
    await using folder = await temporaryFolder("questions-");
    const [script, file] = [join(folder.path, "asking.ts"), join(folder.path, "ready")];
    await Bun.write(script, asking);
    await using term = await terminal([process.execPath, script, file]);
    await term.waitFor("busy");
    await act(term, () => Bun.write(file, ""));
  }

  test("it is asked again until the answer is one", () =>
    question(async (term, ready) => {
      await ready();
      await term.waitFor("number or name: ");
      term.type("\r");
      await term.waitFor(/Type an answer\.\n *number or name:/);
      term.type("mysql\r");
      await term.waitFor(/"mysql" is not one of SQLite, Postgres\.\n *number or name:/);
      term.type("2\r");
      await term.waitFor("answer Postgres");
      expect((await term.exit).exitCode).toBe(0);
    }));

  test.each(["1\r", "1"])("%j typed before it is shown does not answer it", (typed) =>
    question(async (term, ready) => {
      term.type(typed);
      await term.waitFor(/^1/m);
      await ready();
      await term.waitFor("number or name: ");
      term.type("2\r");
      await term.waitFor("answer Postgres");
    }),
  );

  test.each([
    ["ctrl+c", "heard SIGINT"],
    ["ctrl+d", "answer undefined"],
  ])("%s is not an answer", (key, seen) =>
    question(async (term, ready) => {
      await ready();
      await term.waitFor("number or name: ");
      term.press(key);
      await term.waitFor(seen);
      await term.waitFor("answer undefined");
      expect((await term.exit).exitCode).toBe(0);
    }),
  );

  test("Ctrl-C before it is shown counts", () =>
    question(async (term, ready) => {
      term.press("ctrl+c");
      await term.waitFor("heard SIGINT");
      await ready();
      await term.waitFor("answer undefined");
      expect(term.output).not.toContain("number or name");
    }));

  test("a terminal that is closed is like SIGHUP", async () => {
    await using folder = await temporaryFolder("questions-");
    const [script, file] = [join(folder.path, "asking.ts"), join(folder.path, "ready")];
    await Bun.write(script, asking);
    await Bun.write(file, "");
    const asked = Promise.withResolvers<void>();
    let output = "";
    const child = Bun.spawn([process.execPath, script, file], {
      terminal: {
        data: (_, bytes) => {
          output += new TextDecoder().decode(bytes);
          if (output.includes("number or name: ")) asked.resolve();
        },
      },
    });
    await asked.promise;
    child.terminal?.close();
    await child.exited;
    expect(await Bun.file(`${file}.heard`).text()).toBe("SIGHUP");
  });
});
