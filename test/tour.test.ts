// `npm start` in a terminal: who decides, what Ctrl-C leaves, what it refuses, and what `--keep` keeps.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { withoutColour } from "@atomic/terminal/paint";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import { type Terminal, terminal } from "@atomic/testing/terminal";

setDefaultTimeout(300_000);

const root = dirname(import.meta.dir);
const tour = [process.execPath, join(root, "scripts/tour.ts")];
const slow = { deadline: 240_000 };

describe("at a terminal, the user decides", () => {
  const approval = join(root, "scripts/tour/approval.ts");
  const program = (hasSaidYes: boolean): string => `const { isApproved } = await import(${JSON.stringify(approval)});
console.log("approved:", await isApproved("May the agents build it now?", ${hasSaidYes}));`;

  test.each([
    [["yes"], true],
    [["y"], true],
    [["no"], false],
    [["maybe", "", "no"], false],
    [["why?", "yes!"], true],
  ])("%j", async (answers, isApproved) => {
    await using screen = await terminal([process.execPath, "-e", program(false)], { cols: 80, rows: 20 });
    for (const [at, answer] of answers.entries()) {
      await screen.waitFor(() => count(screen, "yes or no?") === at + 1, slow);
      screen.type(`${answer}\r`);
    }
    await screen.exit;
    expect(screen.history().join("\n")).toContain(`approved: ${isApproved}`);
  });

  test("what is neither yes nor no is asked again", async () => {
    await using screen = await terminal([process.execPath, "-e", program(false)], { cols: 80, rows: 20 });
    await screen.waitFor("yes or no?", slow);
    screen.type("maybe\r");
    await screen.waitFor('"maybe" is neither yes nor no.', slow);
  });

  test("--yes skips the question", async () => {
    await using screen = await terminal([process.execPath, "-e", program(true)], { cols: 80, rows: 20 });
    await screen.exit;
    expect(screen.history().join(" ")).toContain("(The tour says yes for you: --yes was given.)");
    expect(screen.history().join("\n")).toContain("approved: true");
  });

  test("without a terminal, the tour says yes, and says so", () => {
    const { stdout } = Bun.spawnSync([process.execPath, "-e", program(false)], { stdin: "ignore" });
    expect(stdout.toString().replaceAll("\n", " ")).toContain("yes for you: this is not an interactive terminal.)");
    expect(stdout.toString()).toContain("approved: true");
  });
});

describe("Ctrl-C ends the tour and leaves nothing", () => {
  const points: readonly (readonly [string, readonly string[], string | RegExp])[] = [
    ["at its first line", tour, "A lemonade stand needs"],
    ["while Hugo installs", tour, "$ hugo install @example/commit-helper"],
    ["while OpenCode starts for Ralph", tour, "starting opencode"],
    ["while a killed run continues", tour, /attempt 2/],
    ["while Magnus Opus works", tour, /Now: Requirements Gathering/],
    ["at a question", tour, "yes or no?"],
    ["under npm", ["npm", "start"], "$ atomic run ralph"],
  ];
  test.each(points)("%s", async (_when, command, shown) => {
    await using folder = await temporaryFolder("tour-");
    const options = { cols: 80, rows: 40, cwd: root, env: { TMPDIR: folder.path } };
    await using screen = await terminal(command, options);
    await screen.waitFor(shown, slow);
    screen.press("ctrl+c");
    const { exitCode } = await screen.exit;
    const said = screen.history().join("\n");
    expect({ exitCode, said: said.trimEnd().split("\n").at(-1) }).toEqual({
      exitCode: 130,
      said: "Stopped. The tour's processes and its project are gone.",
    });
    expect(said).not.toMatch(/\berror\b|^ +at |Exception|expectations/im);
    expect(readdirSync(folder.path)).toEqual([]);
    await isAlone(folder);
  });
});

test("npm start leaves no cache of Bun's in the home folder", async () => {
  await using home = await temporaryFolder("home-");
  await using screen = await terminal(["npm", "start"], { cols: 80, rows: 40, cwd: root, env: { HOME: home.path } });
  await screen.waitFor("$ hugo install @example/commit-helper", slow);
  screen.press("ctrl+c");
  await screen.exit;
  expect(readdirSync(home.path, { recursive: true }).filter((path) => path.includes(".bun"))).toEqual([]);
});

test("a whole tour fits 80 columns, shows runs as they happen, and --keep keeps what its five things need", async () => {
  await using folder = await temporaryFolder("tour-");
  const options = { cols: 80, rows: 40, cwd: root, env: { TMPDIR: folder.path } };
  await using screen = await terminal([...tour, "--yes", "--keep"], options);
  expect(await screen.exit).toEqual({ exitCode: 0, signal: undefined });
  const lines = screen.output.split(/\r?\n|\r/).map((line) => plain(line));
  expect(lines.filter((line) => Bun.stringWidth(line) > 80)).toEqual([]);
  const isColoured = screen.output.includes("\x1b[36m$ atomic run ralph");
  expect({ isColoured, isLive: lines.some((line) => /⠋ implement {2}agent/.test(line)) }).toEqual({
    isColoured: true,
    isLive: true,
  });
  const said = screen.history().join("\n");
  expect(said).toContain("export function delivery(cart) {");
  expect(said).toContain("If it does two things, suggest two commits.\n\n!`git diff --cached`\n\nName the issue");

  const [, shell = ""] = /^ {2}(\S+\/shell)$/m.exec(said) ?? [];
  const [, list = ""] = /Five things to try there:\n\n([\s\S]*?)\n\n/.exec(said) ?? [];
  const things = [...list.matchAll(/^ {2}(\S.*?) {2,}\S/gm)].map(([, command = ""]) => command);
  expect(things).toHaveLength(5);
  const expected: Readonly<Record<string, string>> = {
    "git diff HEAD": "+  return total(cart) >= 1000 ? 0 : 300;",
    "hugo status": "commands/commit-message.md       modified",
    "hugo undo": "Undid: install magnus-opus",
    "magnus-opus status": "✓ User Acceptance",
  };
  for (const thing of things) {
    const { exitCode, stdout, stderr } = Bun.spawnSync([shell, "-c", thing], { stdin: "ignore" });
    expect({ thing, exitCode, stderr: exitCode === 0 ? "" : stderr.toString() }).toEqual({
      thing,
      exitCode: 0,
      stderr: "",
    });
    expect(stdout.toString()).toContain(expected[thing] ?? "done (attempt 2)");
  }
  const [, page = ""] = /your browser:\n\n {2}(\S+)$/m.exec(said) ?? [];
  expect(readFileSync(page, "utf8")).toContain("a module for free delivery");
  await isAlone(folder);
});

test("without git it says so in a line, and leaves nothing", async () => {
  await using folder = await temporaryFolder("tour-");
  const { exitCode, stderr } = Bun.spawnSync(tour, { env: { PATH: "/nowhere", TMPDIR: folder.path } });
  const said = "\nThe tour needs git. Install it, then run `npm start` again.\n";
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 1, stderr: said });
  expect(readdirSync(folder.path)).toEqual([]);
});

describe("arguments", () => {
  const start = ["node", join(root, "scripts/start.mjs")];

  test("--help lists the options, and starts neither the setup nor the tour", () => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([...start, "--help"]);
    expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: "" });
    for (const flag of ["--yes", "--keep", "--help"]) expect(stdout.toString()).toContain(`npm start -- ${flag}`);
    expect(stdout.toString()).not.toContain("lemonade");
  });

  test.each([["--nonsense"], ["-x"], ["word"], ["--keep=yes"]])("%s is refused before the setup", (argument) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([...start, argument]);
    expect({ exitCode, stdout: stdout.toString() }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr.toString()).not.toContain("setup:");
    expect(stderr.toString()).toContain("npm start -- --help");
    expect(stderr.toString()).toContain(argument.replace(/=.*/, ""));
    expect(stderr.toString()).toMatch(/^[^\n]+\.\n\nnpm start /);
  });
});

function count(screen: Terminal, text: string): number {
  return screen.history().join("\n").split(text).length - 1;
}

/** Without colours and the movements of the cursor. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
  return withoutColour(text).replaceAll(/\x1b\[[\d;?]*[A-Za-z]/g, "");
}

/** The guard with which Atomic ends OpenCode when Atomic is killed may need a moment more than the tour. */
async function isAlone(folder: TemporaryFolder): Promise<void> {
  const end = performance.now() + 10_000;
  while (processesOf(folder).length > 0 && performance.now() < end) await new Promise((next) => setImmediate(next));
  expect(processesOf(folder)).toEqual([]);
}

/** Processes with something in this folder in their environment or arguments: everything that the tour starts. */
function processesOf({ path }: TemporaryFolder): string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return ["environ", "cmdline"].some((file) => readFileSync(`/proc/${name}/${file}`, "utf8").includes(`${path}/`));
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (["ENOENT", "ESRCH", "EACCES"].includes(code)) return false; // it has ended, or is not ours
      throw error;
    }
  });
}
