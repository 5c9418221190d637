import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readSubmission } from "../../src/run/read-submission.ts";
import { findingText, type ReviewFinding, type Submission, tally, type Vote, verdictOf } from "../../src/run/review.ts";
import { blocking, passing } from "./simulated-run.ts";

const finding: ReviewFinding = { severity: "MINOR", file: "src/a.ts", line: 3, problem: "long", fix: "shorter" };

function vote(reviewer: string, submission: Submission, model?: string): Vote {
  return { reviewer, session: `ses_${reviewer}`, submission, model };
}

test("a review is read as it was submitted", () => {
  const review = { verdict: "APPROVED", summary: "fine", findings: [finding] };
  expect(readSubmission({ ...review, more: 1 })).toEqual(review as Submission);
});

const allowed = "APPROVED, NEEDS_REVISION or MAJOR_CONCERNS";
const form = "but must have a problem and a severity: CRITICAL, MAJOR, MINOR or NITPICK";

test.each<[string, unknown, string, readonly string[]]>([
  ["nothing", undefined, "it submitted no review (verdict, summary and findings)", []],
  ["a text", "APPROVED", "it submitted no review (verdict, summary and findings)", ["APPROVED"]],
  ["no verdict", { summary: "x", findings: [] }, `verdict is missing, but must be ${allowed}`, ["x"]],
  ["an unknown verdict", { verdict: "LGTM", summary: "x" }, `verdict is "LGTM", but must be ${allowed}`, ["x"]],
  ["no summary", { ...passing, summary: " " }, "summary is missing: say in a few words what you think", []],
  [
    "no findings",
    { verdict: "APPROVED", summary: "x" },
    "findings is missing, but must be a list; [] if there are none",
    ["x"],
  ],
  [
    "findings that are not a list",
    { verdict: "APPROVED", summary: "x", findings: finding },
    'findings is {"severity":"MINOR","file":"src/a.ts","line":3,"problem":"long","fix":"shorter"}, but must be a list; [] if there are none',
    ["x", "MINOR src/a.ts:3 long Fix: shorter"],
  ],
  [
    "a finding that does not say what is wrong",
    { verdict: "APPROVED", summary: "x", findings: [finding, { severity: "MINOR", note: "hm" }, "too long"] },
    `findings[1] is {"severity":"MINOR","note":"hm"}, ${form}`,
    ["x", "MINOR src/a.ts:3 long Fix: shorter", '{"severity":"MINOR","note":"hm"}', "too long"],
  ],
])("a review with %s abstains, says what is allowed, and keeps its words", (_, value, why, words) => {
  const read = readSubmission(value);
  expect(read).toEqual({ abstains: why, ...(words.length > 0 && { words: [...words] }) });
  expect(tally([vote("a", read)], 1)).toMatchObject({ verdict: "open", abstained: 1, voters: 0 });
});

test("the words of several abstentions of one reviewer are all kept", () => {
  const votes = [
    vote("a", { abstains: "one", words: ["it leaks"] }),
    vote("a", { abstains: "two", words: ["it leaks", "it is slow"] }),
    vote("a", { abstains: "three" }),
  ];
  expect(tally(votes, 1).ballots[0]?.submission).toEqual({ abstains: "three", words: ["it leaks", "it is slow"] });
});

describe("a finding is read, whatever it is called:", () => {
  test.each<[Record<string, unknown>, Partial<ReviewFinding>, string]>([
    [{ severity: "BLOCKER" }, { severity: "CRITICAL" }, "MAJOR_CONCERNS"],
    [{ severity: "p0" }, { severity: "CRITICAL" }, "MAJOR_CONCERNS"],
    [{ severity: "High" }, { severity: "MAJOR" }, "NEEDS_REVISION"],
    [{ severity: "medium" }, { severity: "MAJOR" }, "NEEDS_REVISION"],
    [{ severity: "LOW" }, { severity: "MINOR" }, "APPROVED"],
    [{ severity: "nit" }, { severity: "NITPICK" }, "APPROVED"],
    [{ severity: "orange" }, { severity: "MAJOR", problem: 'long (severity "orange")' }, "NEEDS_REVISION"],
    [{ severity: undefined }, { severity: "MAJOR", problem: "long (severity missing)" }, "NEEDS_REVISION"],
    [{ severity: "constructor" }, { severity: "MAJOR", problem: 'long (severity "constructor")' }, "NEEDS_REVISION"],
    [{ category: "style" }, { category: undefined, problem: 'long (category "style")' }, "APPROVED"],
    [{ category: "" }, { category: undefined, problem: 'long (category "")' }, "APPROVED"],
    [{ line: 0 }, { line: undefined }, "APPROVED"],
    [{ line: "12" }, { line: 12 }, "APPROVED"],
    [{ line: "12-15" }, { line: 12, endLine: 15 }, "APPROVED"],
    [{ line: "the top" }, { line: undefined }, "APPROVED"],
    [{ line: 3, endLine: [] }, { line: 3, endLine: undefined }, "APPROVED"],
    [{ file: 7 }, { file: undefined }, "APPROVED"],
    [{ fix: "" }, { fix: undefined }, "APPROVED"],
  ])("%j", (more, meant, verdict) => {
    const read = readSubmission({ ...passing, findings: [{ ...finding, ...more }] });
    const { severity, file, line, endLine, category, problem, fix } = { ...finding, ...meant } as ReviewFinding;
    const found = Object.entries({ severity, category, file, line, endLine, problem, fix });
    expect(read).toEqual({
      ...{ verdict: "APPROVED", summary: "reads well" },
      findings: [Object.fromEntries(found.filter(([, value]) => value !== undefined)) as unknown as ReviewFinding],
    });
    expect("verdict" in read && verdictOf(read)).toBe(verdict as "APPROVED");
  });

  test("a sentence that starts with a severity", () => {
    const read = readSubmission({ ...passing, findings: ["**Critical**: drops the table"] });
    expect(tally([vote("a", passing), vote("b", read)], 1)).toMatchObject({ because: "1 CRITICAL finding" });
  });
});

test("whatever is submitted, only a well-formed approval without serious findings approves", () => {
  fc.assert(
    fc.property(fc.array(fc.anything(), { maxLength: 4 }), (values) => {
      const votes = values.map((value, at) => vote(`ses_${at}`, readSubmission(value)));
      expect(tally(votes, 1).verdict).toBe("open");
    }),
    { numRuns: 300 },
  );
  expect(tally([], 0).verdict).toBe("open");
});

test.each([
  ["CRITICAL", "APPROVED", "MAJOR_CONCERNS"],
  ["MAJOR", "APPROVED", "NEEDS_REVISION"],
  ["MAJOR", "MAJOR_CONCERNS", "MAJOR_CONCERNS"],
  ["MINOR", "APPROVED", "APPROVED"],
  ["NITPICK", "NEEDS_REVISION", "NEEDS_REVISION"],
] as const)("a %s finding in a review that says %s means %s", (severity, verdict, meant) => {
  expect(verdictOf({ verdict, summary: "x", findings: [{ ...finding, severity }] })).toBe(meant);
});

test("one CRITICAL finding blocks, however many approve", () => {
  const critical: Submission = { ...blocking, verdict: "APPROVED", findings: [{ ...finding, severity: "CRITICAL" }] };
  const counted = tally([vote("a", passing), vote("b", passing), vote("c", critical)], 1);
  expect(counted).toMatchObject({ verdict: "blocked", because: "1 CRITICAL finding" });
});

test("everyone who votes must approve", () => {
  const counted = tally([vote("a", passing), vote("b", passing), vote("c", blocking)], 2);
  expect(counted).toMatchObject({ verdict: "blocked", because: "1 of 3 reviewers wants changes" });
});

test("too few votes leave it open, and an abstention is not a vote", () => {
  const counted = tally([vote("a", passing), vote("b", { abstains: "empty" })], 2);
  expect(counted).toMatchObject({ verdict: "open", because: "1 of 2 reviewers have voted; b abstained" });
});

test.each([
  ["no findings", { verdict: "MAJOR_CONCERNS", summary: "the wrong approach", findings: [] }, "the wrong approach"],
  ["no list of findings", { verdict: "NEEDS_REVISION", summary: "too slow" }, "too slow"],
  ["a finding in words", { verdict: "NEEDS_REVISION", summary: "no", findings: ["it leaks"] }, "no\nit leaks"],
  ["a broken finding", { verdict: "NEEDS_REVISION", summary: "no", findings: [{ line: 0, note: "leak" }] }, "leak"],
  ["no words at all", { verdict: "MAJOR_CONCERNS" }, "The reviewer gave no reason."],
])("a rejection with %s is a rejection, and keeps its words", (_, value, words) => {
  const read = readSubmission(value);
  expect(read).toMatchObject({ verdict: value.verdict, summary: expect.stringContaining(words) });
  expect(tally([vote("a", passing), vote("b", read)], 1)).toMatchObject({
    ...{ verdict: "blocked", because: "1 of 2 reviewers wants changes" },
  });
});

describe("a no is a no, however it is spelled", () => {
  test.each([
    "needs_revision",
    "Needs Revision",
    "needs-revision",
    "NEEDS REVISION.",
    "major concerns",
    "REJECTED",
    "reject",
    "Changes requested",
    "request_changes",
    "not approved",
    "**BLOCKED**",
    "No",
    "FAIL",
    "failed",
    "NEEDS WORK",
    "needs more work",
    "DO NOT MERGE",
    "Don’t ship this",
    "can't approve",
    "UNACCEPTABLE",
    "Not ready yet",
    "No-go",
    "No, it loses data",
    "not approved, issues found",
    "This cannot be approved: issues",
    "Approved, but blocked by the migration",
    "Approved with concerns",
    "Thumbs down",
    "👎",
    "❌",
    "-1",
    "must be fixed first",
    "Changes needed",
    "breaks the build",
    "Issues found",
    "incomplete",
  ])("%s", (verdict) => {
    const read = readSubmission({ verdict, summary: "It loses data.", findings: [] });
    expect(read).toEqual({
      verdict: verdict.startsWith("major") ? "MAJOR_CONCERNS" : "NEEDS_REVISION",
      summary: "It loses data.",
      findings: [],
    });
    expect(tally([vote("a", passing), vote("b", passing), vote("c", read)], 2).verdict).toBe("blocked");
  });

  test.each(["approved", "Approved", " APPROVED. "])("and a yes is a yes: %s", (verdict) => {
    expect(readSubmission({ verdict, summary: "fine", findings: [] })).toMatchObject({ verdict: "APPROVED" });
  });

  test.each([
    ...["LGTM", "no concerns", "No changes needed", "without rejection", "", 7, "no comments", "No further comments"],
    ...["not a blocker", "issues resolved", "nothing blocking", "No major issues", "does not need changes", "N/A"],
    ...["Approved, no changes needed", "Approved with comments", "bug free", "no action required", "asdf", null, {}],
    ...["does not break anything", "No objections", "ship it", "7/10", "pending", true],
  ])("but %p is neither", (verdict) => {
    expect(readSubmission({ verdict, summary: "Reads well.", findings: [] })).toMatchObject({
      ...{ abstains: expect.stringContaining("verdict is "), words: ["Reads well."] },
    });
  });

  test.each([
    ["APPROVED", "critical", {}],
    ["APPROVED", "Critical", { line: 0 }],
    ["LGTM", "CRITICAL", {}],
    ["LGTM", "major", {}],
  ])("a review that says %s with a %s finding blocks", (verdict, severity, more) => {
    const read = readSubmission({ verdict, summary: "s", findings: [{ ...finding, severity, ...more }] });
    const counted = tally([vote("a", passing), vote("b", passing), vote("c", read)], 2);
    expect(counted).toMatchObject({ verdict: "blocked", voters: 3 });
    expect(JSON.stringify(read)).toContain("shorter");
  });

  test("the case of a severity and a category makes no difference", () => {
    const [severity, category] = ["Minor", "Types"];
    const read = readSubmission({ ...passing, findings: [{ ...finding, severity, category }] });
    expect(read).toEqual({ ...passing, findings: [{ ...finding, category: "types" }] } as Submission);
  });
});

test("a finding without a place, a line or a fix is a finding", () => {
  const findings = [
    { severity: "CRITICAL", problem: "No migration." },
    { severity: "MINOR", file: "a.ts", line: 3, endLine: 5, category: "types", problem: "any", fix: "unknown" },
  ];
  const read = readSubmission({ verdict: "NEEDS_REVISION", summary: "s", findings });
  expect("findings" in read && read.findings.map(findingText)).toEqual([
    "CRITICAL No migration.",
    "MINOR a.ts:3-5 any Fix: unknown",
  ]);
});

test("a model that is asked twice, even as another agent, has one vote", () => {
  const votes = [vote("reviewer-1", passing, "a/1"), vote("reviewer-2", passing, "a/1")];
  expect(tally(votes, 2)).toMatchObject({ verdict: "open", voters: 1 });
  expect(tally([...votes, vote("reviewer-2", passing, "b/2")], 2)).toMatchObject({ verdict: "approved", voters: 2 });
});

test("a reviewer who votes twice counts once, with the worst vote", () => {
  expect(tally([vote("a", passing), vote("a", passing)], 2).verdict).toBe("open");
  expect(tally([vote("a", blocking), vote("a", passing)], 1).verdict).toBe("blocked");
});

test("the worst findings come first", () => {
  const mixed = { ...passing, findings: [finding, { ...finding, severity: "MAJOR" as const }] };
  expect(tally([vote("a", mixed)], 1).findings.map(({ severity }) => severity)).toEqual(["MAJOR", "MINOR"]);
});

test("one reviewer, or several on one model, is called a single-model review", () => {
  expect(tally([vote("a", passing, "x/1")], 1).label).toBe("single-model review");
  expect(tally([vote("a", passing, "x/1"), vote("b", passing, "x/1")], 1).label).toBe("single-model review");
  expect(tally([vote("a", passing), vote("b", passing)], 1).label).toBe("single-model review");
  expect(tally([vote("a", passing, "x/1"), vote("b", passing, "y/2")], 1).label).toBe("2 reviewers, 2 models");
});
