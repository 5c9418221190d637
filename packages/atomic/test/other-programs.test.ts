import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { Interrupted } from "@atomic/terminal/console";
import type { Interrupt } from "@atomic/terminal/exit-codes";
import { tmpProject } from "@atomic/testing/project";
import { outputOf, runInForeground } from "../src/other-programs.ts";

/** Whoever listens last hears the next signal. */
function keyboard() {
  const listeners: ((interrupt: Interrupt) => void)[] = [];
  const listen = (hear: (interrupt: Interrupt) => void) => {
    listeners.push(hear);
    return () => void listeners.splice(listeners.indexOf(hear), 1);
  };
  const outer: Interrupt[] = [];
  listen((interrupt) => outer.push(interrupt));
  const context = { signals: { listen }, cwd: process.cwd(), env: { PATH: process.env.PATH ?? "" } };
  return { context, outer, press: () => listeners.at(-1)?.("SIGINT") };
}

/** Ctrl-C ends it, and once its parent knows, the file has a line. */
const killed = '(while kill -0 $$ 2>/dev/null; do :; done; echo > "$1") > /dev/null 2>&1 & kill -INT $$';

test.each([
  ["read", outputOf],
  ["in the foreground", runInForeground],
])("Ctrl-C that reaches a program first, %s, is not for what comes afterwards", async (_how, run) => {
  await using project = await tmpProject({ git: false });
  const gone = project.path("gone");
  await project.run(["mkfifo", gone]);
  const typed = keyboard();
  const ended = run(typed.context, ["sh", "-c", killed, "sh", gone]).catch((error) => error);
  await readFile(gone);
  typed.press();
  const ending = await ended;
  if (!(ending instanceof Interrupted)) expect(ending).toEqual({ code: 130 });
  expect(typed.outer).toEqual([]);
});
