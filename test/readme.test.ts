// README and the tour's page are promises like any other: their commands are run, the transcript is compared, links are followed.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = dirname(import.meta.dir);
const pages = ["README.md", "docs/guide/tour.md"].map((page) => readFileSync(join(root, page), "utf8"));

const commands = blocks("sh").flatMap((block) => block.split("\n").filter((line) => line && !line.startsWith("#")));

/** How each command shown in README is run here. A command without an entry fails the test below. */
const runs: Record<string, () => void> = {
  ...installed("npm install -g hugo-pm @atomic/cli magnus-opus", "atomic setup"),
  ...installed("atomic graph release", "atomic run release 1.4.0"),
  "npm start": () => {
    const { exitCode, stdout, stderr } = Bun.spawnSync(["npm", "start", "--silent"], { cwd: root, stdin: "ignore" });
    expect({ exitCode, stderr: exitCode === 0 ? "" : stderr.toString() }).toEqual({ exitCode: 0, stderr: "" });
    expectShown(steady(asAnswered(stdout.toString())), steady(transcriptOf("npm start")));
  },
};

/** Commands for daily use need installed packages: test/journeys/setup.test.ts types each of them, in this order. */
function installed(...typed: readonly string[]): Record<string, () => void> {
  const journey = readFileSync(join(root, "test/journeys/setup.test.ts"), "utf8");
  return Object.fromEntries(typed.map((command) => [command, () => expect(journey).toContain(`"${command}"`)]));
}

test("every command shown there has a test", () => {
  expect(commands.toSorted()).toEqual(Object.keys(runs).toSorted());
});

for (const [command, run] of Object.entries(runs)) {
  test(`README: ${command}`, run, 600_000);
}

test("every file and heading that the documents link to exists", () => {
  const documents = Bun.spawnSync(["git", "ls-files", "*.md"], { cwd: root }).stdout.toString().trim().split("\n");
  const dead = documents.flatMap((document) => {
    const text = readFileSync(join(root, document), "utf8");
    const links = [...text.matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    return links.flatMap(([, path = "", heading]) => {
      const target = path === "" ? join(root, document) : join(root, dirname(document), path);
      const isThere = existsSync(target) && (heading === undefined || headingsOf(target).includes(heading));
      return isThere ? [] : [`${document}: ${path}${heading === undefined ? "" : `#${heading}`}`];
    });
  });
  expect(dead).toEqual([]);
});

/** The headings of a page, as hosting sites write them in addresses. */
function headingsOf(path: string): readonly string[] {
  const headings = readFileSync(path, "utf8").matchAll(/^#+ (.+)$/gm);
  return Array.from(headings, ([, heading = ""]) => {
    const words = heading.toLowerCase().replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
    return words.replaceAll(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
  });
}

/** The fenced blocks of one language; "" for those without. */
function blocks(language: string): string[] {
  const fenced = pages.flatMap((page) => page.split(/^```/m).filter((_, index) => index % 2 === 1));
  return fenced.flatMap((block) => (block.startsWith(`${language}\n`) ? [block.slice(language.length + 1)] : []));
}

function transcriptOf(command: string): string {
  const transcript = blocks("").find((block) => block.startsWith(`$ ${command}\n`));
  if (transcript === undefined) throw new Error(`There is no transcript of ${command}`);
  return transcript.slice(`$ ${command}\n`.length);
}

/** The page shows the questions as a terminal does; test/tour.test.ts types the answers. */
function asAnswered(printed: string): string {
  return printed.replaceAll(
    / \(The tour says yes for you: this\sis\snot\san\sinteractive\sterminal\.\)/g,
    "\nyes or no? yes",
  );
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

/** Hugo shows a step that takes more than a second, as all of them may on a busy machine. */
const progress = /^(?:Asking|Downloading|Fetching|Looking|Reading|Unpacking) [^.:]*$/;

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
      .filter((line) => line.trim() !== "" && !progress.test(line))
      .map((line) => line.replaceAll(/ {2,}/g, "  ").trimEnd())
      .join("\n")
  );
}
