// Ctrl-Z, with and without a shell that could bring the prompt line back.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { build } from "../program.ts";
import { both, longWait, node, opened, ready, sampled } from "./opened.ts";

setDefaultTimeout(180_000);
beforeAll(build);

test("Ctrl-Z gives the terminal to the shell, and `fg` brings the line back", async () => {
  await using project = await sampled();
  await using shell = await opened(project, ["bash", "--norc", "--noprofile", "-i"], { env: { PS1: "$ " } });
  await shell.waitFor("$ ", longWait);
  shell.type(`${node?.command.map((word) => `'${word}'`).join(" ")}\r`);
  await ready(shell);
  shell.type("half");
  await shell.waitFor("> half", longWait);
  shell.press("ctrl+z");
  await shell.waitFor("Stopped", longWait);
  shell.type("echo $((40 + 2)); fg\r");
  await shell.waitFor(/^42$/m, longWait);
  await shell.waitFor(() => shell.screen().filter((line) => line === "> half").length === 1, longWait);
  shell.type(" a line");
  await shell.waitFor("> half a line", longWait);
});

describe.each(both)("Ctrl-Z on $name", ({ command }) => {
  test("also stops the program that started it, so the shell gets the terminal", async () => {
    await using project = await sampled();
    await using shell = await opened(project, ["bash", "--norc", "--noprofile", "-i"], { env: { PS1: "$ " } });
    await shell.waitFor("$ ", longWait);
    await project.write("wrapper.sh", `${command.map((word) => `'${word}'`).join(" ")}\necho wrapper ends\n`);
    shell.type("sh wrapper.sh\r");
    await ready(shell);
    shell.type("half");
    await shell.waitFor("> half", longWait);
    shell.press("ctrl+z");
    await shell.waitFor("Stopped", longWait);
    shell.type("echo $((40 + 2)); fg\r");
    await shell.waitFor(/^42$/m, longWait);
    await shell.waitFor("> half", longWait);
    shell.press("ctrl+u", "ctrl+d");
    await shell.waitFor(/^wrapper ends$/m, longWait);
  });

  test("does nothing where no shell could bring it back", async () => {
    await using project = await sampled();
    await using term = await opened(project, command);
    await ready(term);
    term.type("half");
    await term.waitFor("> half", longWait);
    term.press("ctrl+z");
    term.type(" a line");
    await term.waitFor("> half a line", longWait);
    expect(term.screen().filter((line) => line.startsWith("> half"))).toHaveLength(1);
  });
});
