// The list in a real terminal.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import { type Terminal, terminal } from "@atomic/testing/terminal";

setDefaultTimeout(60_000);

const source = (name: string): string => JSON.stringify(join(import.meta.dirname, "../src", name));

const picking = `
import { consoleOf } from ${source("console.ts")};
import { pick } from ${source("pick.ts")};
const console_ = consoleOf(process, "picking");
const stop = new AbortController();
console_.signals.listen((interrupt) => { process.exitCode = 130; stop.abort(); });
process.stdout.write("before\\n");
const items = Array.from({ length: 500 }, (_, i) => ({ value: "skills/s" + i, group: "skill", label: "s" + i, detail: "Number " + i }));
const chosen = await pick(console_, { title: "Choose skills", items }, stop.signal);
process.stdout.write("chosen " + JSON.stringify(chosen ?? null) + "\\n");
`;

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder("picker-");
  await Bun.write(join(folder.path, "picking.ts"), picking);
});
afterAll(() => folder[Symbol.asyncDispose]());

async function picker(): Promise<Terminal> {
  const term = await terminal([process.execPath, join(folder.path, "picking.ts")], { cols: 80, rows: 24 });
  await term.waitFor("type to search", { deadline: 20_000 });
  return term;
}

describe("a list on a terminal", () => {
  test("takes the whole screen, follows the keys, and leaves the screen as it was", async () => {
    await using term = await picker();
    expect(term.isAlternate).toBe(true);
    expect(term.screen()[0]).toBe("Choose skills");
    expect(term.screen()[2]).toStartWith("> [ ] s0");
    expect(term.screen()[23]).toStartWith("type to search");
    term.type("s42");
    await term.waitFor("Search: s42");
    await term.waitFor("11 of 500 shown");
    term.press("down", "space");
    await term.waitFor(/> \[x\] s420/);
    term.press("enter");
    expect(await term.exit).toMatchObject({ exitCode: 0 });
    expect(term.isAlternate).toBe(false);
    expect(term.screen().join("\n").trimEnd()).toBe('before\nchosen ["skills/s420"]');
  });

  test("is cancelled by Esc, and an arrow is not Esc", async () => {
    await using term = await picker();
    term.press("down", "up", "down");
    await term.waitFor(/> \[ \] s1 /);
    term.press("space");
    await term.waitFor("1 selected");
    term.press("escape");
    expect(await term.exit).toMatchObject({ exitCode: 0 });
    expect(term.screen().join("\n").trimEnd()).toBe("before\nchosen null");
  });

  test("is ended by Ctrl-C", async () => {
    await using term = await picker();
    term.press("space", "ctrl+c");
    expect(await term.exit).toMatchObject({ exitCode: 130 });
    expect(term.screen().join("\n").trimEnd()).toBe("before\nchosen null");
  });

  test("is drawn again when the terminal changes its size", async () => {
    await using term = await picker();
    term.resize(50, 10);
    const isDrawn = ([first = "", ...others]: string[]): boolean =>
      first === "Choose skills" && others.at(-1)?.startsWith("type to search") === true;
    await term.waitFor((now) => isDrawn(now.screen()));
    expect(term.screen().filter((line) => /^[> ] \[/.test(line))).toHaveLength(5);
    term.press("escape");
    await term.exit;
  });
});
