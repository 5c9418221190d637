import { expect, test } from "bun:test";
import { Transcript } from "@atomic/testing/transcript";
import { within } from "@atomic/testing/waiting";

test("an entry is found whether it came before or comes later", async () => {
  const transcript = new Transcript<string>();
  transcript.add("first");
  expect(await transcript.waitFor("word", (word) => word === "first")).toBe("first");
  const later = transcript.waitFor("word", (word) => word.startsWith("sec"));
  transcript.add("second");
  expect(await later).toBe("second");
});

test("a mark leaves out what came before it", async () => {
  const transcript = new Transcript<string>();
  transcript.add("idle");
  const next = transcript.waitFor("idle", (word) => word.startsWith("idle"), { after: transcript.entries.length });
  transcript.add("idle again");
  expect(await next).toBe("idle again");
});

test("a closed transcript rejects pending waits with its reason", async () => {
  const transcript = new Transcript<string>();
  const waiting = transcript.waitFor("answer", () => true);
  transcript.close("the program has ended");
  await expect(waiting).rejects.toThrow("No answer: the program has ended");
  await expect(transcript.waitFor("answer", () => true)).rejects.toThrow("the program has ended");
});

test("a wait fails at its deadline", async () => {
  await expect(new Transcript().waitFor("answer", () => true, { deadline: 1 })).rejects.toThrow(
    "No answer within 1 ms",
  );
});

test("within returns the value, or undefined if it is late", async () => {
  expect(await within(60_000, Promise.resolve("value"))).toBe("value");
  expect(await within(1, new Promise(() => undefined))).toBeUndefined();
});
