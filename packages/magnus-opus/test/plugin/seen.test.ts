// What a person sees in OpenCode, and what happens to what they type.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { OpencodeWithMagnus, projectFiles } from "./opencode-with-magnus.ts";
import * as agents from "./scripted-agents.ts";

let opencode: OpencodeWithMagnus;
let session: string;

beforeAll(async () => {
  const silent = "if [ -f convex/silent.test.ts ]; then exit 1; fi";
  opencode = await OpencodeWithMagnus.open({ "check.sh": `${silent}\n${projectFiles["check.sh"]}` });
  const { model } = opencode;
  agents.orchestratorPlans(model, "implement-api");
  agents.architect(model);
  session = await opencode.session();
  const words = "save what !`touch ran-by-opencode` says in `profiles` for $5 --skip-plan-review";
  await opencode.type(session, "implement-api", words);
}, 180_000);
afterAll(() => opencode[Symbol.asyncDispose]());

test("a command inside the typed words is not run, and the words reach the run as they are", async () => {
  expect(await opencode.project.exists("ran-by-opencode")).toBe(false);
  expect(opencode.state(session).description).toBe("save what !`touch ran-by-opencode` says in `profiles` for $5");
  expect(opencode.lastPrompt("Start a run")).toContain("!`touch ran-by-opencode` says");
});

test("the user sees the command that they typed, not its template", async () => {
  const [first] = await opencode.server.reopen(session).messages();
  const shown = first!.parts.flatMap((part) => (part.type === "text" && part.synthetic !== true ? [part.text] : []));
  expect(shown).toEqual([
    "/implement-api save what !`touch ran-by-opencode` says in `profiles` for $5 --skip-plan-review",
  ]);
});

test("each call of our tools has a title", async () => {
  const messages = await opencode.server.reopen(session).messages();
  const titles = messages.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      part.type === "tool" && part.state.status === "completed" ? [`${part.tool}: ${part.state.title}`] : [],
    ),
  );
  expect(titles).toEqual([
    "magnus_start: Phase: Requirements Gathering",
    "magnus_next: Phase: Architecture Planning",
    "task: do your part",
    "magnus_next: Waiting for you: Architecture Planning",
  ]);
});

test("a refused call is explained on the screen", async () => {
  const { model, server } = opencode;
  model.expect("too early").tool("write", { filePath: "src/a.ts", content: "" }).then.reply("no");
  await server.reopen(session).prompt("too early", { agent: "build" });
  const told = "write was refused (user_approval): the user's approval of implementation-plan.md";
  await server.waitForEvent(
    ({ type, properties }) => type === "tui.toast.show" && String(properties.message).startsWith(told),
  );
});

test("what a shell builds before the test is noticed, and a test that fails then proves nothing", async () => {
  const { model } = opencode;
  model
    .expect("As backend: build first")
    .tool("bash", { command: "mkdir -p convex && echo 1 > convex/early.ts", description: "Build" })
    .then.tool("write", { filePath: "convex/made.test.ts", content: "// fails until made.ts is there\n" })
    .then.tool("run_tests")
    .then.tool("write", { filePath: "convex/silent.test.ts", content: "// fails without saying how many\n" })
    .then.tool("run_tests")
    .then.tool("bash", { command: "rm convex/early.ts convex/silent.test.ts", description: "Undo" })
    .then.tool("run_tests")
    .then.reply("the test fails");
  model
    .expect(/typed `\/approve/)
    .tool("magnus_next")
    .then.tool("task", agents.task("backend", "build first"))
    .then.reply("ok");
  await opencode.type(session, "approve");
  const child = Object.keys(opencode.state(session).sessions).at(-1)!;
  const [built, , early, , silent, undone, red] = await opencode.results(child);
  expect(built).toContain("convex/early.ts changed before a test has failed");
  expect(early).toContain("This is not evidence: convex/early.ts changed before a test has failed");
  expect(silent).toContain("exit code 1, no counts");
  expect(silent).toContain("This is not evidence: convex/early.ts changed before a test has failed");
  expect(undone).not.toContain("Magnus Opus");
  expect(red).toContain("Evidence: 1 of 3 tests failed");
  expect(opencode.state(session).evidence).toHaveLength(1);
  model.verify();
}, 60_000);

test("an agent that only reads has the everyday commands, in a run and outside, and nothing that writes", async () => {
  const { model, server } = opencode;
  const run = (command: string) => ["bash", { command, description: "Look" }] as const;
  const lines = [
    "cat check.sh | head -2",
    "wc -l 'check.sh' 2>/dev/null",
    "find . -name '*.html'",
    "grep -rn 'html' src 2>/dev/null | head -1",
    "cat check.sh | tee made",
  ];
  for (const [agent, opening] of [
    ["orchestrator", "look around"],
    ["explorer", "look around alone"],
  ] as const) {
    let turn = model.expect(opening);
    for (const line of lines) turn = turn.tool(...run(line));
    turn.then.reply("seen");
    const sessionID = agent === "orchestrator" ? session : (await server.session()).id;
    await server.reopen(sessionID).prompt(opening, { agent });
    const [head, found, html, grep, refused] = (await opencode.results(sessionID)).slice(-5);
    expect([head, found, html, grep]).toEqual([
      expect.stringContaining("#!/bin/sh"),
      expect.stringContaining("check.sh"),
      expect.stringContaining("src/app.html"),
      expect.stringContaining("src/app.html:1:<html></html>"),
    ]);
    expect(refused).toMatch(/only to read|read-only/);
  }
  expect(await opencode.project.exists("made")).toBe(false);
}, 60_000);
