import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
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

test("Ctrl-C that the terminal itself delivers is not passed on as a second one", async () => {
  await using project = await tmpProject({ git: false });
  const [ready, goes, heard] = [project.path("ready"), project.path("goes"), project.path("heard")];
  await project.run(["mkfifo", ready, goes]);
  const typed = keyboard();
  const script = 'trap "echo heard > $3" INT; echo > "$1"; cat "$2"; exit 7';
  const ended = runInForeground(typed.context, ["sh", "-c", script, "sh", ready, goes, heard], "without keys");
  await readFile(ready);
  typed.press();
  await writeFile(goes, "");
  expect(await ended).toEqual({ code: 7 });
  expect(existsSync(heard)).toBe(false);
});

test("a second Ctrl-C ends a program whose output is held open by what has left its group", async () => {
  await using project = await tmpProject({ git: false });
  const [holds, gone] = [project.path("holds"), project.path("gone")];
  await project.run(["mkfifo", holds, gone]);
  const typed = keyboard();
  const held = 'echo $$ > "$1"; while kill -0 $PPID 2>/dev/null; do :; done; echo > "$2"; exec sleep 60';
  const command = ["sh", "-c", `setsid sh -c '${held}' sh "$1" "$2" & exec sleep 60`, "sh", holds, gone];
  const ended = outputOf(typed.context, command).catch((error) => error);
  const holder = Number(await readFile(holds, "utf8"));
  try {
    typed.press();
    await readFile(gone);
    typed.press();
    expect(await ended).toBeInstanceOf(Interrupted);
  } finally {
    process.kill(holder, "SIGKILL");
  }
});
