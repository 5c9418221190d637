import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { detectWorkflowType } from "../../src/run/detect.ts";
import { featureWords, stem, termAt } from "../../src/run/vocabulary.ts";
import corpus from "./detect-corpus.json" with { type: "json" };
import ordinary from "./detect-ordinary.json" with { type: "json" };

const typeOf = (text: string): string => detectWorkflowType(text).type;

describe("words inside other words mean nothing", () => {
  test.each([
    "build",
    "capital",
    "performance",
    "information",
    "reaction",
    "transaction fee",
    "guide",
    "therapist",
    "pagent",
  ])("%s", (word) => {
    const [side] = word === "transaction fee" ? ["api"] : [undefined];
    expect(detectWorkflowType(`Improve the ${word}`).type).toBe(side === "api" ? "API_FOCUSED" : "UNCLEAR");
  });

  test.each(["Build it", "Raise capital", "Take action", "Show information", "Improve performance", "Make them happy"])(
    "%s is unclear",
    (text) => expect(detectWorkflowType(text)).toMatchObject({ type: "UNCLEAR", confidence: 0 }),
  );

  test.each([
    ["The index page", "UI_FOCUSED"],
    ["An index on users by email", "API_FOCUSED"],
    ["Use a media query for small screens", "UI_FOCUSED"],
    ["Use a query for small teams", "API_FOCUSED"],
    ["A call to action", "UI_FOCUSED"],
    ["An internal action", "API_FOCUSED"],
    ["Server functions", "API_FOCUSED"],
  ])("%s: %s", (text, type) => expect(typeOf(text)).toBe(type));
});

describe("what should not change is not asked for", () => {
  test.each([
    ["Add a mutation for invites, no UI changes", "API_FOCUSED"],
    ["Restyle the buttons without touching the API", "UI_FOCUSED"],
    ["Restyle the buttons. Don't change the schema or the database.", "UI_FOCUSED"],
    ["Extend the schema; the pages stay unchanged", "API_FOCUSED"],
    ["Extend the schema, leave the components alone", "API_FOCUSED"],
    ["New endpoint, nothing in the frontend", "API_FOCUSED"],
    ["New cards. The server stays as it is.", "UI_FOCUSED"],
    ["Speed up sign-in without any backend changes", "UI_FOCUSED"],
  ])("%s", (text, type) => expect(typeOf(text)).toBe(type));

  test.each([
    ["Add an endpoint, no changes to the pages", "API_FOCUSED"],
    ["Add an endpoint without a UI", "API_FOCUSED"],
    ["Add an endpoint, no frontend or design work is needed", "API_FOCUSED"],
    ["Add an endpoint; nothing on the pages should change", "API_FOCUSED"],
    ["Add a button without the backend", "UI_FOCUSED"],
    ["Add a button without modifying our API or database", "UI_FOCUSED"],
  ])("%s", (text, type) => expect(typeOf(text)).toBe(type));

  test.each([
    ["Save the form without reloading the page", "UI_FOCUSED"],
    ["Sort the rows without a full page refresh", "UI_FOCUSED"],
    ["Sort the columns without a page refresh", "UI_FOCUSED"],
    ["Upload files without the page freezing", "UI_FOCUSED"],
    ["Form validation: no empty names in the form", "UI_FOCUSED"],
    ["Add a loading button; nothing on the page may jump", "UI_FOCUSED"],
    ["A search page that says when nothing was found on the dashboard", "UI_FOCUSED"],
    ["List users who have no email in the database", "API_FOCUSED"],
    ["A query for teams without a record in the database that expired", "API_FOCUSED"],
    ["Make the query endpoint work without an authentication header", "API_FOCUSED"],
  ])("how something has to work rules nothing out: %s", (text, type) => expect(typeOf(text)).toBe(type));

  test("a fault is not an exclusion", () => {
    expect(typeOf("The button does not open the dialog")).toBe("UI_FOCUSED");
    expect(typeOf("The query doesn't return the new documents")).toBe("API_FOCUSED");
    expect(typeOf("The menu no longer shows icons")).toBe("UI_FOCUSED");
  });

  test("not only is not an exclusion", () => {
    expect(typeOf("Not only the UI but also the API supports bulk delete")).toBe("MIXED");
  });
});

test("the rationale names the words that decided, and what was ruled out", () => {
  expect(detectWorkflowType("Add a mutation and an index, no UI changes")).toEqual({
    type: "API_FOCUSED",
    confidence: 0.89,
    rationale: "no UI words; API: mutation, index; ruled out: ui",
  });
});

test("forms of a word count as one word", () => {
  for (const [one, other] of [
    ["queries", "query"],
    ["styled", "styling"],
    ["indexes", "index"],
    ["dropping", "drop"],
    ["pages", "page"],
  ]) {
    expect(stem(one!)).toBe(stem(other!));
  }
});

test("everyday words are in no vocabulary", () => {
  const everyday = `the a an and or of to in for with on by it its is are was be this that these those them they we our you your i he she make
  made add use using new all some any every each when then than so if as at from into up down out more most less very can could would
  user users people team company project feature app application thing stuff work works time day week better faster nice good`;
  const hits = everyday.split(/\s+/).filter((word) => (termAt([word], 0)?.weight ?? 0) > 0);
  expect(hits).toEqual([]);
});

test("whatever is written, there is an answer with a reason", () => {
  const words = fc.constantFrom(
    "UI",
    "API",
    "no",
    "not",
    "without",
    "page",
    "query",
    "don't",
    "touch",
    ".",
    ",",
    "\n",
    "🎉",
    "listUsers",
    "ß",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(words).map((each) => each.join(" ")),
      ),
      (text) => {
        const { type, confidence, rationale } = detectWorkflowType(text);
        expect(confidence === 0).toBe(type === "UNCLEAR");
        expect(confidence).toBeLessThanOrEqual(1);
        expect(rationale).not.toBe("");
      },
    ),
    { numRuns: 1000 },
  );
});

test("the corpus has at least 200 descriptions, no two alike, of every type in both parts", () => {
  const all = [...corpus.tuning, ...corpus.heldOut];
  expect(new Set(all.map(({ text }) => text.toLowerCase())).size).toBe(all.length);
  expect(all.length).toBeGreaterThanOrEqual(200);
  for (const part of [corpus.tuning, corpus.heldOut]) {
    expect(new Set(part.map(({ is }) => is))).toEqual(new Set(["UI_FOCUSED", "API_FOCUSED", "MIXED", "UNCLEAR"]));
  }
});

test.each([
  ["tuning", 0.97],
  ["heldOut", 0.93],
] as const)("for the part %s it gets at least %d right", (part, least) => {
  const wrong = corpus[part].filter(({ text, is }) => typeOf(text) !== is);
  expect(wrong.length / corpus[part].length).toBeLessThanOrEqual(1 - least);
});

describe("ordinary sentences, which name neither a page nor an endpoint", () => {
  test.each([
    ["training", 2],
    ["heldOut", 3],
    ["later", 3],
    ["latest", 3],
  ] as const)("of the part %s, at most %d are unclear", (part, most) => {
    const clear = ordinary[part].filter(({ is }) => !is.includes("UNCLEAR"));
    const unclear = clear.filter(({ text }) => typeOf(text) === "UNCLEAR").map(({ text }) => text);
    expect(unclear.length).toBeLessThanOrEqual(most);
  });

  test("a guess says that it is one, and is API_FOCUSED where the stack has no UI", () => {
    expect(detectWorkflowType("merge duplicate contacts")).toEqual({
      ...{ type: "MIXED", confidence: 0.4 },
      rationale: "It suggests neither UI nor API work, so this is a guess: merge, duplicate, contacts",
    });
    expect(detectWorkflowType("merge duplicate contacts", { api: "cli" }).type).toBe("API_FOCUSED");
  });

  test("one word is enough if it is to be added, or users should be able to do it; alone it says nothing", () => {
    for (const text of ["Add a wishlist", "add login", "tags on notes", "Users should be able to follow each other"])
      expect(detectWorkflowType(text)).toMatchObject({ type: "MIXED", confidence: 0.4 });
    for (const text of ["wishlist", "login", "billing", "Better search", "improve the notes"])
      expect(detectWorkflowType(text).type).toBe("UNCLEAR");
  });

  test("a word that only looks like one without a meaning counts", () => {
    expect(featureWords(["notes", "planes", "ones", "not", "plans", "tests", "testing", "fixing"])).toEqual([
      "notes",
      "planes",
    ]);
  });

  test("what says nothing stays unclear", () => {
    const nothing = [
      "Add features",
      "Let us improve it",
      "Support the new version",
      "users can do more",
      "allow everything",
    ];
    for (const text of ["make it better", "do something cool", "improve the code", "fix the bugs", ...nothing])
      expect(detectWorkflowType(text).type).toBe("UNCLEAR");
  });
});
