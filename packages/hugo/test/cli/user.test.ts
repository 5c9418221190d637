import { describe, expect, test } from "bun:test";
import { terminalUser } from "../../src/commands/shared/terminal-user.ts";
import { main } from "../../src/main.ts";
import { type ConsoleOptions, hugo, testConsole } from "./hugo.ts";
import { sampleOperations } from "./sample-commands.ts";

const approval = { title: "Install review", capabilities: [], notes: [] };
const never = new AbortController().signal;
const clear = "\r\x1b[K";

describe("a question", () => {
  test.each([
    ["y", "approved"],
    ["Y", "approved"],
    [" yes ", "approved"],
    ["YES\r", "approved"],
    ["", "declined"],
    ["n", "declined"],
    ["yess", "declined"],
    ["yes please", "declined"],
    ["ja", "declined"],
  ])("that is answered with %j is %s", async (answer, expected) => {
    const io = testConsole({ columns: 80, answers: [answer] });
    expect(await terminalUser(io.console, never).approve(approval)).toBe(expected as "approved");
    expect(io.stderr()).toBe("Install review\nGo ahead? [y/N] ");
  });

  test.each([
    [["d", "y"], "approved"],
    [["D", "details", "n"], "declined"],
    [["d"], "declined"],
  ])("with more to show is asked again after its details: %j is %s", async (answers, expected) => {
    const capabilities = ["a.js", "b.js"].map(
      (subject) => ({ kind: "code", subject, detail: "runs programs" }) as const,
    );
    const io = testConsole({ columns: 80, answers });
    expect(await terminalUser(io.console, never).approve({ ...approval, capabilities })).toBe(expected as "approved");
    const details =
      "Install review\nWhat it can do:\n  code can    a.js  runs programs\n  code can    b.js  runs programs\n";
    const question = "Go ahead? [y/N, d for details] ";
    const shown = answers.filter((answer) => /^d/i.test(answer)).map(() => question + details);
    const summary = "Install review\nWhat it can do:\n  runs code    runs programs: 2 files, such as a.js\n";
    expect(io.stderr().trimEnd()).toBe(`${summary}${shown.join("")}${question}`.trimEnd());
  });

  test("with nothing more to show takes a d for a no, and one about details offers none", async () => {
    const io = testConsole({ columns: 80, answers: ["d", "y"] });
    expect(await terminalUser(io.console, never).approve(approval)).toBe("declined");
    const capabilities = ["a.js", "b.js"].map(
      (subject) => ({ kind: "code", subject, detail: "runs programs" }) as const,
    );
    const detailed = testConsole({ columns: 80, answers: ["d", "y"] });
    await terminalUser(detailed.console, never).approve({ ...approval, capabilities, isDetailed: true });
    expect(detailed.stderr()).toEndWith("b.js  runs programs\nGo ahead? [y/N] ");
  });

  test("that is never answered is declined, and ends its line", async () => {
    const io = testConsole({ columns: 80, answers: [] });
    expect(await terminalUser(io.console, never).approve(approval)).toBe("declined");
    expect(io.stderr()).toEndWith("[y/N] \n");
  });

  test.each<[string, ConsoleOptions]>([
    ["a pipe", {}],
    ["a terminal without a keyboard", { columns: 80 }],
  ])("at %s is not asked, because no user can answer it", async (_, surroundings) => {
    const io = testConsole(surroundings);
    expect(await terminalUser(io.console, never).approve(approval)).toBe("nobody");
    expect(io.stderr()).toBe("");
  });

  test("about what to install takes names where a terminal cannot show a list, and an empty answer cancels", async () => {
    const choice = {
      title: "Choose \x1b[31m",
      items: [{ value: "skills/pdf", group: "skills", label: "pdf", detail: "" }],
    };
    const choose = async (answers: readonly string[]) => {
      const io = testConsole({ columns: 80, answers, env: { TERM: "dumb" } });
      return [await terminalUser(io.console, never).choose?.(choice), io.stderr()];
    };
    const shown = "Choose \\x1b[31m\nNames or patterns, separated by commas: ";
    expect(await choose(["pdf, docx*"])).toEqual([["pdf", "docx*"], shown]);
    expect(await choose([" "])).toEqual(["cancelled", shown]);
    expect(await terminalUser(testConsole({}).console, never).choose?.(choice)).toBe("nobody");
  });

  test("shows what is about to happen on stderr, and the answer alone on stdout", async () => {
    const { stdout, stderr, code } = await hugo(["ask"], { columns: 80, answers: ["y"] });
    expect({ stdout, code }).toEqual({ stdout: '"approved"\n', code: 0 });
    expect(stderr).toContain("Install review 1.0.0 from @org/review \\x1b[31m\n");
    expect(stderr).toContain("git push --force");
    expect(stderr).toContain("The project's .npmrc sends @org to another registry.\n");
  });
});

describe("progress on a terminal", () => {
  test("is not shown for what is quick", () => {
    const io = testConsole({ columns: 80 });
    const user = terminalUser(io.console, never);
    user.progress("Fetching review");
    io.pass(199);
    user.quiet();
    io.pass(10_000);
    expect(io.stderr()).toBe("");
  });

  test("turns, shows the latest step at once, and leaves nothing behind", () => {
    const io = testConsole({ columns: 80 });
    const user = terminalUser(io.console, never);
    user.progress("Fetching review");
    io.pass(150);
    user.progress("Fetching review 1.0.0");
    io.pass(50);
    expect(io.stderr()).toBe(`${clear}⠋ Fetching review 1.0.0`);
    io.pass(80);
    expect(io.stderr()).toEndWith(`${clear}⠙ Fetching review 1.0.0`);
    user.progress("Reading");
    expect(io.stderr()).toEndWith(`${clear}⠹ Reading`);
    user.quiet();
    expect(io.stderr()).toEndWith(`⠹ Reading${clear}`);
    const { length } = io.stderr();
    io.pass(10_000);
    user.quiet();
    expect(io.stderr()).toHaveLength(length);
  });

  test("is one line that fits, whatever the step is called", () => {
    const io = testConsole({ columns: 20 });
    terminalUser(io.console, never).progress("Fetching \x1b[31m\nfrom a place far away");
    io.pass(200);
    expect(io.stderr()).toBe(`${clear}⠋ Fetching \\x1b[31…`);
  });

  test("makes room for a question", async () => {
    const io = testConsole({ columns: 80, answers: ["y"] });
    const user = terminalUser(io.console, never);
    user.progress("Fetching");
    io.pass(200);
    await user.approve(approval);
    io.pass(10_000);
    expect(io.stderr()).toBe(`${clear}⠋ Fetching${clear}Install review\nGo ahead? [y/N] `);
    user.progress("Installing");
    io.pass(200);
    expect(io.stderr()).toEndWith(`${clear}⠙ Installing`);
  });
});

test.each<[string, ConsoleOptions]>([
  ["a log", {}],
  ["a terminal that cannot take a line back", { columns: 80, env: { TERM: "dumb" } }],
])("progress in %s is one line for each step longer than a second", (_, surroundings) => {
  const io = testConsole(surroundings);
  const user = terminalUser(io.console, never);
  user.progress("Fetching review");
  io.pass(999);
  user.progress("Fetching \x1b[31m");
  io.pass(1000);
  io.pass(10_000);
  user.progress("Reading");
  user.quiet();
  io.pass(10_000);
  expect(io.stderr()).toBe("Fetching \\x1b[31m\n");
});

describe("a signal", () => {
  const start = (argv: readonly string[], surroundings: ConsoleOptions = {}) => {
    const io = testConsole(surroundings);
    return { io, ended: main(argv, io.console, sampleOperations) };
  };

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s ends a command with %i, and reports the state", async (signal, code) => {
    await using server = unanswered();
    const { io, ended } = start(["fetch", server.address]);
    await server.asked;
    io.send(signal);
    expect(await ended).toBe(code);
    expect(io.stderr()).toStartWith(
      "hugo: stopped before it finished\nNothing was changed. Run the command again to continue.",
    );
  });

  test("is a document where documents are asked for", async () => {
    await using server = unanswered();
    const { io, ended } = start(["fetch", server.address, "--json"]);
    await server.asked;
    io.send("SIGINT");
    expect(await ended).toBe(130);
    expect(JSON.parse(io.stdout())).toMatchObject({ ok: false, error: { code: "interrupted" } });
  });

  test("does not undo what was finished in spite of it", async () => {
    const { io, ended } = start(["finishing"]);
    await io.listening;
    io.send("SIGTERM");
    expect(await ended).toBe(0);
    expect(io.stdout()).toBe('"done all the same"\n');
  });

  test.each([
    ["a second one", (send: () => void, _: (ms: number) => void) => send()],
    ["three seconds later", (_: () => void, pass: (ms: number) => void) => pass(3000)],
  ])("ends a command that does not listen, with %s", async (_, then) => {
    const { io, ended } = start(["stubborn"]);
    await io.listening;
    io.send("SIGINT");
    io.pass(2999);
    expect(io.stderr()).not.toContain("stopped");
    then(() => io.send("SIGINT"), io.pass);
    expect(await ended).toBe(130);
  });
});

/** A server that never answers. */
function unanswered() {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => {
      resolve();
      return new Promise<Response>(() => undefined);
    },
  });
  return {
    address: `http://127.0.0.1:${server.port}/`,
    asked,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
