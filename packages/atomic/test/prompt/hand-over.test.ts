// The prompt line hands its terminal to the real OpenCode, and gets it back.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { modelServer } from "@atomic/testing/model-server";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import { tmpProject } from "@atomic/testing/project";
import { terminal } from "@atomic/testing/terminal";
import { build, runtimes } from "../program.ts";
import { both, childOf } from "./opened.ts";

setDefaultTimeout(240_000);
beforeAll(build);

const longWait = { deadline: 90_000 };
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are made of them
const keysOnBothScreens = /\x1b\[<\d+u.*\x1b\[\?1049l.*\x1b\[<\d+u/s;

test.each(both)(
  "on $name, a text and a command reach OpenCode, which gets every key until it ends",
  async ({ command }) => {
    await using model = await modelServer();
    await using project = await tmpProject({
      files: {
        ".opencode/command/ship.md": "---\ndescription: Ships a version\n---\nShip the version $1 now\n",
        "opencode.json": opencodeConfig(model),
      },
    });
    await project.skipPluginInstall();
    model.expect(/say hi/).reply("hello from the model");
    model.expect(/every single key/).reply("all of them");
    model.expect(/Ship the version 1\.2 now/).reply("shipped");
    await using term = await terminal([...command], { cols: 100, rows: 30, cwd: project.dir, env: project.env });
    await term.waitFor("Type a task", longWait);
    term.type("say hi\r");
    await term.waitFor("hello from the model", longWait);
    expect(term.isAlternate).toBe(true);
    term.type("every single key");
    await term.waitFor("every single key", longWait);
    term.press("enter");
    await term.waitFor("all of them", longWait);
    term.press("ctrl+c");
    await term.waitFor(
      (each) => !each.isAlternate && each.screen().some((line) => line.startsWith("> Type a task")),
      longWait,
    );
    term.type("/ship 1.2\r");
    await term.waitFor("shipped", longWait);
    term.press("ctrl+c");
    await term.waitFor(
      (each) => !each.isAlternate && each.screen().some((line) => line.startsWith("> Type a task")),
      longWait,
    );
    // The models come from OpenCode.
    term.type("/model scripted/");
    term.press("tab");
    await term.waitFor(`/model scripted/${model.models[0]}`, longWait);
    term.press("enter");
    await term.waitFor(`OpenCode will use scripted/${model.models[0]}.`, longWait);
    term.press("ctrl+d");
    expect((await term.exit).exitCode).toBe(0);
  },
);

/** Everything that hosts turn on, and then it is killed. The next time it only notes what it got. */
const killedHost = `#!/bin/sh
if [ -e killed ]; then stty -g > next; exit; fi
touch killed
stty raw -echo
printf '\\033[>1u\\033[?1049h\\033[>1u\\033[?1000;1002;1003;1004;1006;2004h\\033[?25l\\033[?1h\\033[?7l\\033[31m\\033[?2026h'
printf 'not to be seen'
kill -9 $$
`;

describe.each(both)("on $name", ({ command }) => {
  test("a host that is killed leaves nothing behind: neither its screen, nor its modes, nor its keys", async () => {
    await using project = await tmpProject({ git: false });
    await project.write("bin/claude", killedHost);
    await chmod(project.path("bin/claude"), 0o755);
    const env = { ...project.env, PATH: `${project.path("bin")}:${project.env.PATH}`, ATOMIC_HOST: "claude" };
    const program = command.map((word) => `'${word}'`).join(" ");
    const shell = `stty -g > before; ${program}; stty -g > after`;
    await using term = await terminal(["sh", "-c", shell], { cols: 100, cwd: project.dir, env });
    await term.waitFor("Type a task", longWait);
    term.type("hello\r");
    await term.waitFor("claude was killed (SIGKILL).", longWait);
    expect(term.screen().slice(0, 3)).toEqual([
      "> hello",
      "> Type a task, or / for commands",
      "  claude was killed (SIGKILL).",
    ]);
    const { isAlternate, isCursorShown, isMouseReported, isInFrame } = term;
    expect({ isAlternate, isCursorShown, isMouseReported, isInFrame }).toEqual({
      ...{ isAlternate: false, isCursorShown: true, isMouseReported: false, isInFrame: false },
    });
    expect(term.cell(2, 0).fg).toBe(term.cell(0, 10).fg);
    // Keys have their usual codes again on both screens.
    expect(term.output.slice(term.output.indexOf("not to be seen"))).toMatch(keysOnBothScreens);
    term.type("again");
    await term.waitFor("> again", longWait);
    term.press("enter");
    await term.waitFor(/> again\n> Type a task/, longWait);
    term.press("ctrl+d");
    await term.exit;
    const before = await project.read("before");
    expect([await project.read("next"), await project.read("after")]).toEqual([before, before]);
  });

  test("the real OpenCode that is killed gives the screen back", async () => {
    await using model = await modelServer();
    await using project = await tmpProject({ files: { "opencode.json": opencodeConfig(model) } });
    await project.skipPluginInstall();
    model.expect(/say hi/).reply("hello from the model");
    await using term = await terminal([...command], { cols: 100, rows: 30, cwd: project.dir, env: project.env });
    await term.waitFor("Type a task", longWait);
    term.type("say hi\r");
    await term.waitFor("hello from the model", longWait);
    expect(term).toMatchObject({ isAlternate: true, isMouseReported: true });
    process.kill(await childOf(term.pid), "SIGKILL");
    await term.waitFor("opencode was killed (SIGKILL).", longWait);
    expect(term).toMatchObject({ isAlternate: false, isMouseReported: false, isCursorShown: true });
    term.type("go on");
    await term.waitFor("> go on", longWait);
  });
});

test("a host that is not installed is named, with the command that installs it", async () => {
  await using project = await tmpProject({ git: false });
  const [node] = runtimes;
  const env = { ...project.env, PATH: "/usr/bin:/bin", ATOMIC_HOST: "copilot" };
  await using term = await terminal([...(node?.command ?? [])], { cols: 100, cwd: project.dir, env });
  await term.waitFor("Type a task", longWait);
  term.type("hello\r");
  await term.waitFor('Copilot is not installed: there is no program "copilot".', longWait);
  await term.waitFor("npm install -g @github/copilot", longWait);
});
