import { expect, test } from "bun:test";
import { asksForUltrawork } from "../../src/turn/ultrawork.ts";

test.each([
  "ultrawork",
  "ULW: fix it",
  "Please, Ultrawork!",
  "fix the login (ulw)",
  "do it.\nulw.",
  "`a` ulw `b`",
  "I don't know why, ulw",
  "Not like last time. Ultrawork!",
  "not ulw, but still ulw",
])("%j asks for it", (typed) => expect(asksForUltrawork(typed)).toBe(true));

test.each([
  ...["bulwark", "ulwa", "ultraworking", "ultra work", "ulwé", "ulw_2", "no-ulw-here"],
  ...["src/ulw/index.ts", "open ulw.ts", "@ulw/core", "`ulw` is a word", "```\nulw\n```", "```\nulw", "--ulw", "$ulw"],
  ...[
    "don't use ultrawork",
    "Don’t use ultrawork",
    "no ulw here",
    "please do not ultrawork this",
    "what does ulw mean?",
    "ulw@x.com",
  ],
])("%j does not", (typed) => {
  expect(asksForUltrawork(typed)).toBe(false);
});
