import { expect, test } from "bun:test";
import fc from "fast-check";
import { consensusOf } from "../../src/run/consensus.ts";
import type { Submission, Vote } from "../../src/run/review.ts";
import { inMarkdown, reviewBrief, reviewReport } from "../../src/words/review-words.ts";

const by = (model: string, submission: Submission): Vote => ({
  ...{ reviewer: "reviewer", session: `ses_${model}`, model, submission },
});

const place = { file: "src/a.ts", category: "security" } as const;
const votes = [
  by("one/a", {
    ...{ verdict: "NEEDS_REVISION", summary: "One hole." },
    findings: [{ ...place, severity: "CRITICAL", line: 8, endLine: 11, problem: "Anyone may delete.", fix: "Check." }],
  }),
  by("two/b", {
    ...{ verdict: "NEEDS_REVISION", summary: "Mostly fine." },
    findings: [
      { ...place, severity: "MAJOR", line: 9, problem: "No check of the owner." },
      { severity: "MINOR", problem: "No changelog." },
    ],
  }),
  by("three/c", { verdict: "APPROVED", summary: "Reads well.", findings: [] }),
  by("four/d", { abstains: "it did not answer within 10 minutes" }),
];

test("the report says what was found, who said it, and who abstained", () => {
  expect(reviewReport("`src/a.ts`", consensusOf(votes, 2))).toMatchInlineSnapshot(`
    "# Review of \`src/a.ts\`

    **Changes needed**: 1 CRITICAL finding (3 reviewers, 3 models, strong agreement).

    | Reviewer | Verdict | Findings |
    |---|---|---|
    | one/a | MAJOR_CONCERNS | 1 CRITICAL |
    | three/c | APPROVED |  |
    | two/b | NEEDS_REVISION | 1 MAJOR, 1 MINOR |
    | four/d | abstained |  |

    ## Problems

    ### 1. CRITICAL · src/a.ts:8-11 · security

    Seen by 2 of 3 reviewers (strong agreement).

    - **one/a** (CRITICAL, lines 8-11): Anyone may delete. Fix: Check.
    - **two/b** (MAJOR, line 9): No check of the owner.

    ### 2. MINOR · no place

    Seen by 1 of 3 reviewers (divergent).

    - **two/b** (MINOR): No changelog.

    ## What each reviewer said

    - **one/a**: One hole.
    - **three/c**: Reads well.
    - **two/b**: Mostly fine.

    ## Abstained

    - four/d: it did not answer within 10 minutes
    "
  `);
});

test("the session shows the verdict, the problems and where the report is", () => {
  expect(reviewBrief(consensusOf(votes, 2), "ai-docs/r.md")).toMatchInlineSnapshot(`
    "## Changes needed

    1 CRITICAL finding (3 reviewers, 3 models, strong agreement).

    1. CRITICAL · src/a.ts:8-11 · security (strong agreement: one/a, two/b): Anyone may delete.
    2. MINOR · no place (divergent: two/b): No changelog.

    Abstained, so not counted:
    - four/d: it did not answer within 10 minutes

    The whole report, with who said what: \`ai-docs/r.md\`"
  `);
});

test("a rejection without findings shows its words, and a review without a quorum says so", () => {
  const no = by("one/a", { verdict: "MAJOR_CONCERNS", summary: "The wrong approach.", findings: [] });
  expect(reviewBrief(consensusOf([no], 1), "r.md")).toMatchInlineSnapshot(`
    "## Changes needed

    1 of 1 reviewer wants changes (single-model review).

    - one/a: The wrong approach.

    The whole report, with who said what: \`r.md\`"
  `);
  const silent = [by("one/a", { abstains: "it said nothing" }), by("two/b", { abstains: "it said nothing" })];
  expect(reviewBrief(consensusOf(silent, 2), "r.md")).toMatchInlineSnapshot(`
    "## No verdict

    0 of 2 reviewers have voted; one/a, two/b abstained (no reviews).

    Abstained, so not counted:
    - one/a: it said nothing
    - two/b: it said nothing

    The whole report, with who said what: \`r.md\`"
  `);
});

test("the report keeps everything that an abstaining reviewer said", () => {
  const words = ["One thing.", "MINOR a.ts:3 drops the <table>\n# x", "y".repeat(1_000)];
  const report = reviewReport("x", consensusOf([by("one/a", { abstains: 'verdict is "LGTM"', words })], 1));
  expect(report.slice(report.indexOf("## Abstained"))).toBe(
    `## Abstained\n\n- one/a: verdict is "LGTM"\n  - It said: One thing.\n  - It said: MINOR a.ts:3 drops the &lt;table> # x\n  - It said: ${"y".repeat(1_000)}\n`,
  );
});

test("more problems than fit are counted", () => {
  const findings = Array.from({ length: 13 }, (_, at) => ({ severity: "MINOR" as const, problem: `Number ${at}.` }));
  const many = consensusOf([by("one/a", { verdict: "APPROVED", summary: "s", findings })], 1);
  expect(reviewBrief(many, "r.md")).toContain("And 3 more in the report.");
});

test.each([
  ["<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"],
  ["a < b, 1 <2 and Array<string>", "a < b, 1 <2 and Array&lt;string>"],
  ["[click](javascript:x) ![i](http://t/p.png)", "[click]\\(javascript:x) ![i]\\(http://t/p.png)"],
  ["one\n\n# two\n- three", "one # two - three"],
  ["a | b", "a \\| b"],
  ["\u001b[31mred\u202e", "\\x1b[31mred\\u{202e}"],
])("a model's %j is shown as %j", (text, shown) => {
  expect(inMarkdown(text)).toBe(shown);
});

test("whatever a model says stays on its line and is not HTML", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      const shown = inMarkdown(text);
      expect(shown).not.toMatch(/[\p{Cc}\u2028\u202e]|<[a-z/!?]|\]\(|(?<!\\)\|/iu);
    }),
  );
});
