import { expect, test } from "bun:test";
import { exitCodes } from "@atomic/terminal/exit-codes";
import { displayWidth } from "@atomic/terminal/width";
import { commands } from "../../src/commands.ts";
import { hugo } from "./hugo.ts";
import { sampleOperations } from "./sample-commands.ts";

test.each([[["--help"]], [["-h"]], [["help"]], [["help", "help"]], [["help", "--help"]], [["-g", "--help"]]])(
  "%j shows the same help",
  async (argv) => {
    const { stdout, stderr, code } = await hugo(argv);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toBe((await hugo(["--help"])).stdout);
  },
);

test("the help teaches", async () => {
  const [text] = (await hugo(["--help"], { table: commands })).stdout.split("Exit codes:");
  expect(text).toMatchSnapshot();
});

test("the help says that hugo is short for the command that npm installs", async () => {
  expect((await hugo(["--help"])).stdout).toContain("`hugo` is short for `hugo-pm`; `hugo-pm setup` adds it.");
});

test("the help of a command teaches", async () => {
  expect((await hugo(["echo", "--help"])).stdout).toMatchSnapshot();
});

test.each([[["echo", "-h"]], [["help", "echo"]], [["help", "e"]], [["e", "--help"]], [["--help", "echo"]]])(
  "%j shows the help of the command, however much of it is missing",
  async (argv) => {
    expect(await hugo(argv)).toEqual(await hugo(["echo", "--help"]));
  },
);

test("without a command it shows the help as an error", async () => {
  const { stdout, stderr, code } = await hugo([]);
  expect(stderr).toStartWith("Usage: hugo <command> [options]\n");
  expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
});

test("every exit code is explained, without those of runs, which Hugo does not have", async () => {
  const { stdout } = await hugo(["help"], { columns: 100 });
  const ofRuns = [5, 7, 8];
  for (const { code, means } of exitCodes) {
    if (ofRuns.includes(code)) expect(stdout).not.toContain(means);
    else expect(stdout).toContain(`  ${code}`.padEnd(7) + means);
  }
  const { exitCodes: ofHugo } = JSON.parse((await hugo(["help", "--json"])).stdout);
  expect(ofHugo).toEqual(exitCodes.filter(({ code }) => !ofRuns.includes(code)));
  for (const code of ["130", "143", "129"]) expect(stdout).toContain(code);
});

test.each([30, 40, 60, 80, 100])("in %i columns no line is cut", async (columns) => {
  for (const topic of [[], ...sampleOperations.map(({ name }) => [name])]) {
    const { stdout } = await hugo(["help", ...topic], { columns });
    const long = stdout.split("\n").filter((line) => displayWidth(line) > columns && !line.trimStart().startsWith("-"));
    expect(long.filter((line) => line.trim().includes(" "))).toEqual([]);
  }
});

test("the help is colored only where colors are shown", async () => {
  expect((await hugo(["--help"], { columns: 80, colour: true })).stdout).toStartWith("\x1b[1mUsage:\x1b[22m hugo");
  expect((await hugo(["--help"], { columns: 80 })).stdout).not.toContain("\x1b");
});

test("the version is available as JSON", async () => {
  const { version } = await Bun.file(`${import.meta.dirname}/../../package.json`).json();
  const { stdout, code } = await hugo(["-v", "--json"]);
  expect([JSON.parse(stdout), code]).toEqual([{ ok: true, version }, 0]);
});

test.each([["--version"], ["-v"]])("%s is that of the package", async (flag) => {
  const { version } = await Bun.file(`${import.meta.dirname}/../../package.json`).json();
  expect(await hugo([flag])).toEqual({ stdout: `${version}\n`, stderr: "", code: 0 });
});
