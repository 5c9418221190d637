import { expect, test } from "bun:test";
import type { Output } from "@atomic/terminal/process-output";
import { toolNode } from "@atomic/workflows/internal/graph/action-nodes";
import { treeWatcher } from "../../src/live/watcher.ts";
import { newGraph } from "./begun.ts";
import { TestJournal } from "./journal.ts";

function screen(): { readonly output: Output; readonly text: () => string } {
  let written = "";
  const write = (text: string): void => {
    written += text;
  };
  const output = { isTTY: true, colour: false, columns: 60, rows: 20, write, onResize: () => () => undefined };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal cursor sequences
  return { output, text: () => written.replace(/\x1b\[[?\d]*[A-Za-z]|\r/g, "") };
}

function watched() {
  const { output, text } = screen();
  const journal = new TestJournal(newGraph().start(toolNode({ id: "look", run: () => null })));
  const watcher = treeWatcher(output, { now: () => journal.now, env: {} });
  watcher.event(undefined as never, 1, journal.view);
  return { watcher, text };
}

test("a workflow's output appears above the frame, in whole lines", () => {
  const { watcher, text } = watched();
  watcher.print("one\nhalf");
  expect(text()).toStartWith("one\nrelease calm-otter");
  expect(text()).not.toContain("half");
  watcher.print(" a line");
  watcher.close();
  expect(text()).toMatch(/half a line\nrelease calm-otter[^\n]*\n[^\n]*look/);
});

test("output printed while the user types appears when they finish", () => {
  const { watcher, text } = watched();
  watcher.pause(false);
  const before = text();
  watcher.print("meanwhile\n");
  expect(text()).toBe(before);
  watcher.resume();
  expect(text()).toStartWith(`${before}meanwhile\nrelease calm-otter`);
  watcher.close();
});

test("questions that cannot be asked here appear above the frame, with the commands that answer them", () => {
  const { output, text } = screen();
  const journal = new TestJournal(newGraph().start(toolNode({ id: "look", run: () => null })));
  const watcher = treeWatcher(output, { now: () => journal.now, env: {} });
  journal.asked("look", { kind: "wait", question: "Ship it?" });
  watcher.event(undefined as never, 1, journal.view);
  watcher.waiting(journal.view);
  expect(text()).toStartWith(`? Ship it?
    atomic approve calm-otter --key look         # yes
    atomic approve calm-otter --deny --key look  # no
‖ release calm-otter is waiting for an answer to look. It
  continues here once you answer in another terminal. Ctrl-C
  leaves it for later; with --no-wait, atomic exits instead
  of waiting.
release calm-otter`);
  watcher.close();
});
