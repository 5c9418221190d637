// What only a real terminal can show: questions, keys, and a line that comes and goes.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { dirname } from "node:path";
import { type Terminal, type TerminalOptions, terminal } from "@atomic/testing/terminal";
import { bundleSampleProgram, type Runtime, runtimes, type SampleProgram } from "./programs.ts";

setDefaultTimeout(180_000);

let sample: SampleProgram;
beforeAll(async () => {
  sample = await bundleSampleProgram();
});
afterAll(() => sample[Symbol.asyncDispose]());

function run(runtime: Runtime, argv: readonly string[], options: TerminalOptions = {}): Promise<Terminal> {
  const env = { ...runtime.env, ...options.env };
  // Away from this repository's bunfig.toml, which the program would refuse.
  const cwd = dirname(sample.script);
  return terminal([...runtime.command, sample.script, ...argv], { cols: 60, rows: 12, cwd, ...options, env });
}

/** What is on the screen, without the empty rows below. */
function shown(term: Terminal): string[] {
  return term.screen().join("\n").trimEnd().split("\n");
}

const question = [
  "Install review 1.0.0 from @org/review \\x1b[31m",
  "  The project's .npmrc sends @org to another registry.",
  "What it can do:",
  "  shell        git push --force (commands/ship.md)",
];

describe.each([...runtimes])("on $name", (runtime) => {
  test.each([
    ["y", ["y", "enter"], 0, ["Go ahead? [y/N] y", '"approved"']],
    ["no more than Enter", ["enter"], 5, ["Go ahead? [y/N] ", '"declined"']],
    ["a corrected y", ["n", "backspace", "y", "enter"], 0, ["Go ahead? [y/N] y", '"approved"']],
    ["Ctrl-D", ["ctrl+d"], 5, ["Go ahead? [y/N] ", '"declined"']],
    ["Ctrl-C", ["ctrl+c"], 130, ["Go ahead? [y/N] ^C", '"declined"']],
  ])("a question accepts %s as an answer", async (_, keys, exitCode, lines) => {
    await using term = await run(runtime, ["ask"]);
    await term.waitFor("Go ahead? [y/N]", { deadline: 20_000 });
    term.press(...keys);
    expect(await term.exit).toMatchObject({ exitCode });
    expect(shown(term)).toEqual([...question, ...lines]);
  });

  test.each([
    ["a whole answer", "y\r", ["enter"]],
    ["a key that Enter would send later", "y", ["enter"]],
    ["many lines", "y\r".repeat(50), ["n", "enter"]],
  ])("%s typed before the question is shown does not answer it", async (_, early, keys) => {
    await using term = await run(runtime, ["ask"], { rows: 80 });
    term.type(early);
    await term.waitFor("Go ahead? [y/N]", { deadline: 20_000 });
    term.press(...keys);
    expect(await term.exit).toMatchObject({ exitCode: 5 });
    expect(shown(term).at(-1)).toBe('"declined"');
  });

  test("a question fits a narrow terminal", async () => {
    await using term = await run(runtime, ["ask"], { cols: 30 });
    await term.waitFor("Go ahead? [y/N]", { deadline: 20_000 });
    const rows = shown(term);
    expect(rows.slice(0, 3)).toEqual([
      "Install review 1.0.0 from",
      "@org/review \\x1b[31m",
      "  The project's .npmrc sends",
    ]);
    expect(rows.at(-1)).toStartWith("Go ahead? [y/N]");
  });

  test("a progress line is shown during a slow step, and removed when it is done", async () => {
    await using server = slowServer();
    await using term = await run(runtime, ["fetch", server.address, `${server.address}second`]);
    await term.waitFor(new RegExp(`^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] Fetching ${server.address}$`, "m"), { deadline: 20_000 });
    const frame = term.screen()[0];
    await term.waitFor((it) => it.screen()[0] !== frame);
    server.answer();
    await term.waitFor(/Fetching .*second$/m);
    server.answer();
    expect(await term.exit).toMatchObject({ exitCode: 0 });
    expect(shown(term)).toEqual(['"fetched"']);
  });

  test("Ctrl-C stops a slow step", async () => {
    await using server = slowServer();
    await using term = await run(runtime, ["fetch", server.address]);
    await term.waitFor("Fetching", { deadline: 20_000 });
    term.press("ctrl+c");
    expect(await term.exit).toMatchObject({ exitCode: 130 });
    expect(shown(term).join("\n")).toMatch(/^(\^C)?hugo: stopped before it finished\nNothing was changed\. Run/);
  });

  test.each(["SIGTERM", "SIGHUP"] as const)("%s ends the programs that were started, and tidies up", async (signal) => {
    await using term = await run(runtime, ["program"]);
    await term.waitFor(/Running \d+/, { deadline: 20_000 });
    const child = Number(/Running (\d+)/.exec(term.output)?.[1]);
    process.kill(term.pid, signal);
    expect(await term.exit).toMatchObject({ exitCode: signal === "SIGTERM" ? 143 : 129 });
    expect(term.output).toContain("tidied SIGTERM");
    expect(() => process.kill(child, 0)).toThrow("ESRCH");
  });

  test("a second Ctrl-C does not wait", async () => {
    await using term = await run(runtime, ["stubborn"]);
    await term.waitFor("Doing it", { deadline: 20_000 });
    term.press("ctrl+c");
    await term.waitFor("^C");
    term.press("ctrl+c");
    expect(await term.exit).toMatchObject({ exitCode: 130 });
  });
});

const [node = runtimes[0]!] = runtimes;

test.each([
  ["NO_COLOR", { NO_COLOR: "1" }],
  ["a terminal that has none", { TERM: "dumb" }],
])("with %s there are no colors, but the lines still fit", async (_, env) => {
  await using term = await run(node, ["ecko"], { cols: 30, env });
  await term.exit;
  expect(term.output).not.toContain("\x1b");
  expect(shown(term)).toEqual([
    'hugo: unknown command "ecko"',
    '  (did you mean "echo"?)',
    "Run `hugo --help` for usage.",
  ]);
});

test("what is wrong is red", async () => {
  await using term = await run(node, ["ecko"]);
  await term.exit;
  expect(term.cell(0, 0)).toMatchObject({ char: "h", fg: "red" });
});

/** Gives the requested number of answers, in order of arrival. */
function slowServer() {
  const waiting: (() => void)[] = [];
  let allowed = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async () => {
      if (allowed === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      else allowed -= 1;
      return new Response("here");
    },
  });
  return {
    address: `http://127.0.0.1:${server.port}/`,
    answer: () => {
      const next = waiting.shift();
      if (next === undefined) allowed += 1;
      else next();
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
