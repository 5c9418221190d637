// The guide to the prompt line is true: its keys are pressed in a real terminal, and its screens are compared.
// `UPDATE=1 bun test test/guide-prompt-line.test.ts` writes into it what is really shown.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import { type Terminal, terminal } from "@atomic/testing/terminal";
import { offerAtomic } from "./guides/atomic.ts";
import { installPrograms, removePrograms } from "./guides/installed-programs.ts";
import { buildAtomic } from "./journeys/atomic.ts";

setDefaultTimeout(240_000);
beforeAll(async () => {
  // The project's own @atomic/workflows is this repository's.
  await Promise.all([installPrograms(), buildAtomic()]);
}, 240_000);
afterAll(removePrograms);

const root = dirname(import.meta.dir);
const file = join(root, "docs/guide/the-prompt-line.md");

interface Screen {
  /** Which line of the guide its first line is. */
  readonly line: number;
  readonly keys: string;
  readonly shown: string;
}

test("the guide shows what really happens", async () => {
  const lines = readFileSync(file, "utf8").split("\n");
  await using project = await tmpProject();
  await offerAtomic(project);
  mkdirSync(project.path("node_modules/@atomic"), { recursive: true });
  symlinkSync(join(root, "packages/workflows"), project.path("node_modules/@atomic/workflows"));
  const screens: Screen[] = [];
  for (const [at, line] of lines.entries()) {
    const [, path] = /^```(?:ts|md) (\S+)$/.exec(line) ?? [];
    const [, keys] = /^<!-- keys: (.+) -->$/.exec(line) ?? [];
    const end = lines.indexOf("```", at + (keys === undefined ? 1 : 2));
    if (path !== undefined) await project.write(path, `${lines.slice(at + 1, end).join("\n")}\n`);
    if (keys !== undefined) screens.push({ line: at + 2, keys, shown: lines.slice(at + 2, end).join("\n") });
  }
  expect(screens.length).toBeGreaterThan(6);
  const env = { ...project.env, PATH: `${project.path("~/bin")}:${project.env.PATH}`, PS1: "$ ", NO_COLOR: "1" };
  await using term = await terminal(["sh", "-i"], { cols: 90, rows: 40, cwd: project.dir, env });
  await term.waitFor("$", { deadline: 60_000 });
  const really: Screen[] = [];
  for (const screen of screens) {
    for (const part of screen.keys.split(/(\{[a-z+]+\})/)) {
      if (part.startsWith("{")) term.press(part.slice(1, -1));
      else if (part !== "") term.type(part);
    }
    if (process.env.UPDATE) await settled(term);
    else await term.waitFor(() => drawn(term) === screen.shown, { deadline: 60_000 });
    really.push({ ...screen, shown: drawn(term) });
  }
  if (!process.env.UPDATE) return;
  for (const { line, shown } of really.toReversed()) {
    lines.splice(line, lines.indexOf("```", line) - line, ...shown.split("\n"));
  }
  writeFileSync(file, lines.join("\n"));
});

/** Only to write the guide: what will be shown is not known yet. */
async function settled(term: Terminal): Promise<void> {
  for (let seen = ""; seen !== drawn(term); ) {
    seen = drawn(term);
    await Bun.sleep(4000);
  }
}

/** Times differ, and with them nothing else. */
function drawn(term: Terminal): string {
  const text = term.screen().join("\n").trimEnd();
  return text.replaceAll(/\b(?:\d+m )?\d+(?:\.\d+)?m?s\b/g, "3s").replaceAll(/ +$/gm, "");
}
