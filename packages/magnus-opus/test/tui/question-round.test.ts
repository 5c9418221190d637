import { expect, test } from "bun:test";
import { QuestionRound } from "../../src/tui/question-round.ts";

test("the same command goes round all questions", () => {
  const round = new QuestionRound();
  const opened = Array.from({ length: 5 }, () => round.next(["a", "b"], "ses_1"));
  expect(opened).toEqual(["a", "b", "a", "b", "a"]);
});

test("one that was answered is left out, and a new one comes in its turn", () => {
  const round = new QuestionRound();
  expect(round.next(["a", "b", "c"], "ses_1")).toBe("a");
  expect(round.next(["b", "c"], "ses_1")).toBe("b");
  expect(round.next(["new", "b", "c"], "ses_1")).toBe("new");
  expect(round.next(["new", "b", "c"], "ses_1")).toBe("c");
});

test("another session begins with its own", () => {
  const round = new QuestionRound();
  expect(round.next(["a", "b"], "ses_1")).toBe("a");
  expect(round.next(["b", "a"], "ses_2")).toBe("b");
  expect(round.next(["a", "b"], "ses_1")).toBe("a");
});

test("there may be none", () => {
  expect(new QuestionRound().next([], undefined)).toBeUndefined();
});
