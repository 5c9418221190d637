// README is a promise like any other: its commands are run, its transcript is compared, its links are followed.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = dirname(import.meta.dir);
const readme = readFileSync(join(root, "README.md"), "utf8");

const commands = blocks("sh").flatMap((block) => block.split("\n").filter((line) => line && !line.startsWith("#")));

/** How each command shown in README is run here. A command without an entry fails the test below. */
const runs: Record<string, () => void> = {
  ...installed("npm install -g hugo-pm @atomic/cli magnus-opus", "hugo-pm setup"),
  ...installed("hugo install magnus-opus", "atomic init", "atomic graph release"),
  "npm start": () => {
    const { exitCode, stdout, stderr } = Bun.spawnSync(["npm", "start", "--silent"], { cwd: root, stdin: "ignore" });
    expect({ exitCode, stderr: exitCode === 0 ? "" : stderr.toString() }).toEqual({ exitCode: 0, stderr: "" });
    expectShown(steady(stdout.toString()), steady(transcriptOf("npm start")));
  },
  "npm test": () => {
    // Running it here would run this test again, forever. Under `npm test` the whole suite is the proof.
    const running = process.env.npm_lifecycle_event;
    if (running !== "test")
      console.warn(`README: "npm test" is proved by npm test itself, not by ${running ?? "bun test"}`);
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(scripts.test).toContain("bun test");
  },
};

/** Commands for daily use need installed packages: test/journeys/first-minutes.test.ts types each of them, in this order. */
function installed(...typed: readonly string[]): Record<string, () => void> {
  const journey = readFileSync(join(root, "test/journeys/first-minutes.test.ts"), "utf8");
  return Object.fromEntries(typed.map((command) => [command, () => expect(journey).toContain(`"${command}"`)]));
}

test("every command shown in README has a test", () => {
  expect(commands.toSorted()).toEqual(Object.keys(runs).toSorted());
});

for (const [command, run] of Object.entries(runs)) {
  test(`README: ${command}`, run, 600_000);
}

test("every file that the documents link to exists", () => {
  const documents = Bun.spawnSync(["git", "ls-files", "*.md"], { cwd: root }).stdout.toString().trim().split("\n");
  const dead = documents.flatMap((document) => {
    const text = readFileSync(join(root, document), "utf8");
    const links = [...text.matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)].map((link) => link[1] ?? "");
    return links
      .filter((link) => !existsSync(join(root, dirname(document), link)))
      .map((link) => `${document}: ${link}`);
  });
  expect(dead).toEqual([]);
});

/** The fenced blocks of one language; "" for those without. */
function blocks(language: string): string[] {
  const fences = readme.split(/^```/m);
  const fenced = fences.filter((_, index) => index % 2 === 1);
  return fenced.flatMap((block) => (block.startsWith(`${language}\n`) ? [block.slice(language.length + 1)] : []));
}

function transcriptOf(command: string): string {
  const transcript = blocks("").find((block) => block.startsWith(`$ ${command}\n`));
  if (transcript === undefined) throw new Error(`README has no transcript of ${command}`);
  return transcript.slice(`$ ${command}\n`.length);
}

/** A transcript line with only `…` matches any lines; the others must all appear, in this order. */
function expectShown(printed: string, transcript: string): void {
  let rest = `${printed}\n`;
  for (const [at, part] of `${transcript}\n`.split(/^…\n/m).entries()) {
    const start = at === 0 ? 0 : rest.indexOf(part);
    expect(start === -1 ? rest : rest.slice(start, start + part.length)).toBe(part);
    rest = rest.slice(start + part.length);
  }
  expect(rest).toBe("");
}

/** Times, processes, folders and the names of runs differ from one time to the next; blank lines and columns do not matter. */
function steady(output: string): string {
  const [, runId = "no run"] = /^▸ ralph (\S+)$/m.exec(output) ?? [];
  return (
    output
      .replaceAll(runId, "calm-otter")
      .replaceAll(/\bimpl-\d{8}-\d{6}-[0-9a-f]{6}-[a-z0-9-]+/g, "impl-…")
      // A terminal of 80 columns cuts the line where the run's name lets it.
      .replaceAll(/left unfinished by .*/g, "left unfinished by …")
      .replaceAll(/(?:\d+m )?\d+(?:\.\d+)?(?= s\)|m?s\b)|(?<=process )\d+|(?<=^\+)\d+:\d+/gm, "…")
      .replaceAll(/\d+-\d+-\d+ \d+:\d+:\d+ \(.*?\)/g, "…")
      .replaceAll(/…m?s/g, "…s")
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => line.replaceAll(/ {2,}/g, "  ").trimEnd())
      .join("\n")
  );
}
