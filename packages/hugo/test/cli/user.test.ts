import { describe, expect, test } from "bun:test";
import { terminalUser } from "../../src/commands/shared/terminal-user.ts";
import { main } from "../../src/main.ts";
import { deskWith, hugo, type Surroundings } from "./hugo.ts";
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
    const desk = deskWith({ columns: 80, answers: [answer] });
    expect(await terminalUser(desk.console, never).approve(approval)).toBe(expected as "approved");
    expect(desk.stderr()).toBe("Install review\nGo ahead? [y/N] ");
  });

  test("that is never answered is declined, and ends its line", async () => {
    const desk = deskWith({ columns: 80, answers: [] });
    expect(await terminalUser(desk.console, never).approve(approval)).toBe("declined");
    expect(desk.stderr()).toEndWith("[y/N] \n");
  });

  test.each<[string, Surroundings]>([
    ["a pipe", {}],
    ["a terminal without a keyboard", { columns: 80 }],
  ])("at %s is not asked, because no user can answer it", async (_, surroundings) => {
    const desk = deskWith(surroundings);
    expect(await terminalUser(desk.console, never).approve(approval)).toBe("nobody");
    expect(desk.stderr()).toBe("");
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
    const desk = deskWith({ columns: 80 });
    const user = terminalUser(desk.console, never);
    user.progress("Fetching review");
    desk.pass(199);
    user.quiet();
    desk.pass(10_000);
    expect(desk.stderr()).toBe("");
  });

  test("turns, shows the latest step at once, and leaves nothing behind", () => {
    const desk = deskWith({ columns: 80 });
    const user = terminalUser(desk.console, never);
    user.progress("Fetching review");
    desk.pass(150);
    user.progress("Fetching review 1.0.0");
    desk.pass(50);
    expect(desk.stderr()).toBe(`${clear}⠋ Fetching review 1.0.0`);
    desk.pass(80);
    expect(desk.stderr()).toEndWith(`${clear}⠙ Fetching review 1.0.0`);
    user.progress("Reading");
    expect(desk.stderr()).toEndWith(`${clear}⠹ Reading`);
    user.quiet();
    expect(desk.stderr()).toEndWith(`⠹ Reading${clear}`);
    const { length } = desk.stderr();
    desk.pass(10_000);
    user.quiet();
    expect(desk.stderr()).toHaveLength(length);
  });

  test("is one line that fits, whatever the step is called", () => {
    const desk = deskWith({ columns: 20 });
    terminalUser(desk.console, never).progress("Fetching \x1b[31m\nfrom a place far away");
    desk.pass(200);
    expect(desk.stderr()).toBe(`${clear}⠋ Fetching \\x1b[31…`);
  });

  test("makes room for a question", async () => {
    const desk = deskWith({ columns: 80, answers: ["y"] });
    const user = terminalUser(desk.console, never);
    user.progress("Fetching");
    desk.pass(200);
    await user.approve(approval);
    desk.pass(10_000);
    expect(desk.stderr()).toBe(`${clear}⠋ Fetching${clear}Install review\nGo ahead? [y/N] `);
    user.progress("Installing");
    desk.pass(200);
    expect(desk.stderr()).toEndWith(`${clear}⠙ Installing`);
  });
});

test.each<[string, Surroundings]>([
  ["a log", {}],
  ["a terminal that cannot take a line back", { columns: 80, env: { TERM: "dumb" } }],
])("progress in %s is one line for each step longer than a second", (_, surroundings) => {
  const desk = deskWith(surroundings);
  const user = terminalUser(desk.console, never);
  user.progress("Fetching review");
  desk.pass(999);
  user.progress("Fetching \x1b[31m");
  desk.pass(1000);
  desk.pass(10_000);
  user.progress("Reading");
  user.quiet();
  desk.pass(10_000);
  expect(desk.stderr()).toBe("Fetching \\x1b[31m\n");
});

describe("a signal", () => {
  const start = (argv: readonly string[], surroundings: Surroundings = {}) => {
    const desk = deskWith(surroundings);
    return { desk, ended: main(argv, desk.console, sampleOperations) };
  };

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s ends a command with %i, and reports the state", async (signal, code) => {
    await using server = unanswered();
    const { desk, ended } = start(["fetch", server.address]);
    await server.asked;
    desk.send(signal);
    expect(await ended).toBe(code);
    expect(desk.stderr()).toStartWith(
      "hugo: stopped before it finished\nThe next command finishes or undoes any partial change",
    );
  });

  test("is a document where documents are asked for", async () => {
    await using server = unanswered();
    const { desk, ended } = start(["fetch", server.address, "--json"]);
    await server.asked;
    desk.send("SIGINT");
    expect(await ended).toBe(130);
    expect(JSON.parse(desk.stdout())).toMatchObject({ ok: false, error: { code: "interrupted" } });
  });

  test("does not undo what was finished in spite of it", async () => {
    const { desk, ended } = start(["finishing"]);
    await desk.listening;
    desk.send("SIGTERM");
    expect(await ended).toBe(0);
    expect(desk.stdout()).toBe('"done all the same"\n');
  });

  test.each([
    ["a second one", (send: () => void, _: (ms: number) => void) => send()],
    ["three seconds later", (_: () => void, pass: (ms: number) => void) => pass(3000)],
  ])("ends a command that does not listen, with %s", async (_, then) => {
    const { desk, ended } = start(["stubborn"]);
    await desk.listening;
    desk.send("SIGINT");
    desk.pass(2999);
    expect(desk.stderr()).not.toContain("stopped");
    then(() => desk.send("SIGINT"), desk.pass);
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
