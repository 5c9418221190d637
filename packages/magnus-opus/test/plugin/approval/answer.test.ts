import { expect, test } from "bun:test";
import { answerTo as answerOrEnd } from "../../../src/plugin/approval/ask-person.ts";
import { ShownPrompts } from "../../../src/plugin/live/calls.ts";

const answerTo = (prompt: Promise<unknown>) => answerOrEnd(prompt, new AbortController().signal);
const thrown = (_tag: string, more: object = {}) => Promise.reject(Object.assign(new Error(_tag), { _tag, ...more }));

test("yes, no with a message, and anything else", async () => {
  expect(await answerTo(Promise.resolve())).toEqual({ kind: "yes" });
  expect(await answerTo(thrown("PermissionCorrectedError", { feedback: " smaller \n" }))).toEqual({
    kind: "no",
    notes: "smaller",
  });
  for (const prompt of [
    thrown("PermissionRejectedError"),
    thrown("PermissionDeniedError", { ruleset: [] }),
    thrown("PermissionCorrectedError", { feedback: "  " }),
  ]) {
    expect(await answerTo(prompt)).toEqual({ kind: "none" });
  }
});

test("ending the turn is not an answer", async () => {
  const turn = new AbortController();
  const answer = answerOrEnd(new Promise(() => undefined), turn.signal);
  turn.abort();
  expect(await answer).toEqual({ kind: "none" });
  expect(await answerOrEnd(Promise.resolve(), turn.signal)).toEqual({ kind: "none" });
});

test("other failures are not treated as an answer", async () => {
  await expect(answerTo(Promise.reject(new Error("the disk is full")))).rejects.toThrow("the disk is full");
});

test("a prompt was shown if OpenCode reports it, before or after its answer", async () => {
  const prompts = new ShownPrompts();
  prompts.add("call_1");
  expect(await prompts.wasShown("call_1")).toBe(true);
  const later = prompts.wasShown("call_2");
  prompts.add("call_2");
  expect(await later).toBe(true);
});

test("an answer without a reported prompt does not count", async () => {
  const prompts = new ShownPrompts(0);
  prompts.add("call_1");
  expect(await prompts.wasShown("call_2")).toBe(false);
});
