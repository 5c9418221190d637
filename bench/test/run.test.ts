import { describe, expect, test } from "bun:test";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import type { Report } from "../harness/summary.ts";
import { notes } from "./notes.ts";
import { ended } from "./process-end.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { xmlProblems } from "./xml.ts";

const program = join(import.meta.dirname, "../run.ts");
const fixtures = join(import.meta.dirname, "fixtures");

async function run(...args: string[]) {
  const child = Bun.spawn([process.execPath, program, "--dir", fixtures, ...args], { stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { stdout, stderr, exitCode };
}

describe("npm run bench", () => {
  test("writes JSON, Markdown and SVG of what it measured, and nothing that names the machine", async () => {
    await using out = await temporaryFolder();
    const { stdout, exitCode } = await run("claims", "--rounds", "2", "--out", out.path);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("wrote claims.json, claims.md, claims.svg");
    expect((await readdir(out.path)).sort()).toEqual(["claims.json", "claims.md", "claims.svg"]);

    const [json, md, svg] = await Promise.all(
      ["json", "md", "svg"].map((kind) => readFile(join(out.path, `claims.${kind}`), "utf8")),
    );
    const report = JSON.parse(json!) as Report;
    expect(report).toMatchObject({ bench: "claims", rounds: 2, seed: 1 });
    expect(report.machine.versions).toMatchObject({ bun: Bun.version, peer: "1.2.3" });
    expect(report.groups[0]!.rows.map((row) => [row.name, row.byRound.wall.length])).toEqual([
      ["small", 2],
      ["big", 2],
    ]);
    expect(md).toContain("| small |");
    expect(xmlProblems(svg!)).toEqual([]);
    for (const text of [json!, md!, svg!]) {
      expect(text).not.toContain(fixtures);
      expect(text).not.toContain(hostname());
      expect(text).not.toContain(userInfo().homedir);
    }
  });

  test("shows plain text without a terminal: one line a round, then the table", async () => {
    const { stdout, stderr } = await run("claims", "--quick");
    expect(stderr.split("\n")).toEqual([
      "claims, allocate: a warm-up round",
      "claims, allocate: round 1 of 3",
      "claims, allocate: round 2 of 3",
      "claims, allocate: round 3 of 3",
      "",
    ]);
    expect(stdout).toContain("contestant");
    expect(stdout + stderr).not.toContain("\x1b");
  });

  test("a bench that is a program of its own gets --quick, and its failure is reported", async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, "run-steps.ts"), "console.log(process.argv.slice(2)); process.exit(3);\n");
    const { stdout, stderr, exitCode } = await run("--dir", folder.path, "run-steps", "--quick");
    expect(stdout).toContain('[ "--quick" ]');
    expect(stderr).toBe("run-steps failed (exit code 3); its earlier results stay.\n");
    expect(exitCode).toBe(1);
  });

  test("--quick writes nothing", async () => {
    await using out = await temporaryFolder();
    await run("claims", "--quick", "--rounds", "1", "--out", out.path);
    expect(await readdir(out.path)).toEqual([]);
  });

  test("a claim that does not hold is reported, and fails only with --strict", async () => {
    const relaxed = await run("claims", "--quick", "--rounds", "1");
    expect(relaxed.stdout).toContain("\nholds: rss of small is at most 1× that of big");
    expect(relaxed.stdout).toContain("does not hold: rss of big is at most 1.1× that of small");
    expect(relaxed.exitCode).toBe(0);
    expect((await run("claims", "--quick", "--rounds", "1", "--strict")).exitCode).toBe(1);
  });

  test("a failed contestant fails the run, says why, writes nothing for its bench, and the next bench still runs", async () => {
    await using out = await temporaryFolder();
    const { stdout, stderr, exitCode } = await run("fails-at-once", "claims", "--rounds", "1", "--out", out.path);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('fails-at-once: "broken" failed in a warm-up round: exit code 3\nthe disk is full');
    expect(stdout).toContain("wrote claims.json");
    expect((await readdir(out.path)).sort()).toEqual(["claims.json", "claims.md", "claims.svg"]);
  });

  test.each([
    [["nonsense"], 'There is no bench "nonsense", only: claims, consumption, endless, failing, fails-at-once'],
    [["claims", "--rounds", "0"], '--rounds takes a whole number from 1, not "0"'],
    [["--fast"], "--fast"],
  ])("%p is refused with a reason", async (args, reason) => {
    const { stderr, exitCode } = await run(...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(reason);
  });

  test("a name that no bench has is refused with each of those that there are", async () => {
    const { stderr, exitCode } = await run("nope", "--dir", join(import.meta.dirname, ".."));
    const [, listed = ""] = /^There is no bench "nope", only: (.*)$/m.exec(stderr) ?? [];
    const names = listed.split(", ");
    expect({ exitCode, twice: names.filter((name, at) => names.indexOf(name) !== at) }).toEqual({
      exitCode: 2,
      twice: [],
    });
    expect(names).toEqual(expect.arrayContaining(["jsonc-edit", "run-steps"]));
  });

  test("a folder without benches is refused", async () => {
    await using empty = await temporaryFolder();
    const { stderr, exitCode } = await run("--dir", empty.path);
    expect(stderr).toBe(`There is no *.bench.ts in ${empty.path}\n`);
    expect(exitCode).toBe(2);
  });

  test("a folder that is not there is refused", async () => {
    await using folder = await temporaryFolder();
    const { stderr, exitCode } = await run("--dir", join(folder.path, "missing"));
    expect(stderr).toBe(`There is no folder ${join(folder.path, "missing")}\n`);
    expect(exitCode).toBe(2);
  });

  test.each([
    ["no default export", "export const bench = 1;"],
    ["something else as its default export", "export default 1;"],
  ])("a file with %s is refused in one sentence", async (_, source) => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, "odd.bench.ts"), source);
    const { stderr, exitCode } = await run("--dir", folder.path);
    expect(stderr).toBe("odd.bench.ts has no bench as its default export: write `export default bench({ … })`\n");
    expect(exitCode).toBe(2);
  });

  test("a program that is missing is named in one sentence", async () => {
    await using folder = await temporaryFolder();
    const harness = JSON.stringify(join(import.meta.dirname, "../harness/bench.ts"));
    const group = `{ title: "all", baseline: "a", contestants: [{ name: "a", command: ["no-such-program"] }] }`;
    const source = `import { bench } from ${harness};
      export default bench({ title: "Missing", about: "", groups: [${group}] });`;
    await writeFile(join(folder.path, "missing.bench.ts"), source);
    const { stderr, exitCode } = await run("--dir", folder.path, "--quick");
    expect(stderr.split("\n").slice(-2)).toEqual([
      'missing: "a" failed in a warm-up round: there is no program "no-such-program"',
      "",
    ]);
    expect(exitCode).toBe(1);
  });

  test("an interrupt ends the contestant that is running", async () => {
    await using written = await notes();
    const command = [process.execPath, program, "--dir", fixtures, "endless"];
    const child = Bun.spawn(command, { env: process.env, stdout: "ignore", stderr: "pipe" });
    const pid = Number((await written.line("pid ")).slice(4));
    child.kill("SIGINT");
    expect(await child.exited).toBe(130);
    expect(await child.stderr.text()).toEndWith("Interrupted.\n");
    await ended(pid);
  });

  test("--help shows every flag", async () => {
    const { stdout, exitCode } = await run("--help");
    expect(exitCode).toBe(0);
    for (const flag of ["--rounds", "--quick", "--strict", "--seed", "--out", "--dir"]) expect(stdout).toContain(flag);
  });
});
