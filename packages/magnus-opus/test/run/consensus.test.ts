import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Agreement, agreementOf, consensusOf, type Problem } from "../../src/run/consensus.ts";
import { categories, type ReviewFinding, type Submission, severities, type Vote } from "../../src/run/review.ts";

type Found = Partial<ReviewFinding>;

/** A review by the model of that name. */
function by(model: string, submission: Submission): Vote {
  return { reviewer: "reviewer", session: `ses_${model}`, model, submission };
}

function finds(model: string, ...found: readonly Found[]): Vote {
  const findings = found.map((each) => ({ severity: "MAJOR" as const, problem: "wrong", ...each }));
  return by(model, { verdict: "NEEDS_REVISION", summary: "see below", findings });
}

const approves = (model: string): Vote => by(model, { verdict: "APPROVED", summary: "fine", findings: [] });
const abstains = (model: string): Vote => by(model, { abstains: "it said nothing" });

/** On one line: the severity, the place, the agreement, who said it. */
const line = ({ severity, category, file, line: from, endLine, agreement, said }: Problem): string =>
  `${severity} ${file ?? "-"}:${from ?? "-"}-${endLine ?? "-"} ${category ?? "-"} ${agreement} ${said.map(({ who }) => who).join("+")}`;

const problems = (...votes: readonly Vote[]): readonly string[] => consensusOf(votes, 1).problems.map(line);

const a = { file: "src/a.ts", category: "correctness" } as const;

describe("findings of several reviewers", () => {
  test.each<[string, Found, Found, number]>([
    ["the same line", { line: 7 }, { line: 7 }, 1],
    ["overlapping ranges", { line: 3, endLine: 9 }, { line: 8, endLine: 20 }, 1],
    ["a line inside of a range", { line: 5 }, { line: 1, endLine: 30 }, 1],
    ["a range that is written backwards", { line: 9, endLine: 3 }, { line: 4 }, 1],
    ["lines two apart", { line: 7 }, { line: 9 }, 1],
    ["lines three apart", { line: 7 }, { line: 10 }, 2],
    ["the whole file and the whole file", {}, {}, 1],
    ["the whole file and a line", {}, { line: 1 }, 2],
    ["another file", { line: 7 }, { line: 7, file: "src/b.ts" }, 2],
    ["another category", { line: 7 }, { line: 7, category: "security" }, 2],
    ["a category that one of them leaves out", { line: 7 }, { line: 7, category: undefined }, 1],
    ["no category at all", { line: 7, category: undefined }, { line: 8, category: undefined }, 1],
    [
      "no place, the same words",
      { file: undefined, problem: "No tests!" },
      { file: undefined, problem: "no tests" },
      1,
    ],
    ["no place, other words", { file: undefined, problem: "No tests" }, { file: undefined, problem: "No docs" }, 2],
  ])("%s", (_, one, other, count) => {
    expect(problems(finds("x/1", { ...a, ...one }), finds("y/2", { ...a, ...other }))).toHaveLength(count);
  });

  test("two of one reviewer stay two, unless another reviewer sees them as one", () => {
    const two = finds("x/1", { ...a, line: 7 }, { ...a, line: 8 });
    expect(problems(two)).toHaveLength(2);
    expect(problems(two, finds("y/2", { ...a, line: 6, endLine: 9 }))).toEqual([
      "MAJOR src/a.ts:6-9 correctness unanimous x/1+x/1+y/2",
    ]);
  });

  test("one about many lines does not tie what another reviewer told apart", () => {
    const apart = finds("x/1", { ...a, line: 10 }, { ...a, line: 100 }, { ...a, line: 300 });
    const wide = { ...a, line: 1, endLine: 500 };
    const three = [10, 100, 300].map((each) => `MAJOR src/a.ts:${each}-${each} correctness divergent x/1`);
    expect(problems(apart, finds("y/2", wide))).toEqual(["MAJOR src/a.ts:1-500 correctness divergent y/2", ...three]);
    const twice = "MAJOR src/a.ts:1-500 correctness strong y/2+z/3";
    expect(problems(apart, finds("y/2", wide), finds("z/3", wide))).toEqual([twice, ...three]);
    const bare = (vote: Vote): Vote => JSON.parse(JSON.stringify(vote).replaceAll('"category":"correctness",', ""));
    expect(problems(bare(apart), bare(finds("y/2", wide)))).toHaveLength(4);
  });

  test("one about many lines does not tie what two reviewers found far apart", () => {
    const wide = finds("x/1", { ...a, line: 1, endLine: 500 });
    expect(problems(wide, finds("y/2", { ...a, line: 10 }), finds("z/3", { ...a, line: 400 }))).toEqual([
      "MAJOR src/a.ts:1-500 correctness divergent x/1",
      "MAJOR src/a.ts:10-10 correctness divergent y/2",
      "MAJOR src/a.ts:400-400 correctness divergent z/3",
    ]);
    // What two of them saw in one place stays one problem.
    expect(problems(wide, finds("y/2", { ...a, line: 10 }), finds("z/3", { ...a, line: 12 }))).toEqual([
      "MAJOR src/a.ts:1-500 correctness unanimous x/1+y/2+z/3",
    ]);
    expect(
      problems(finds("x/1", { ...a, line: 10 }), finds("y/2", { ...a, line: 12 }), finds("z/3", { ...a, line: 14 })),
    ).toEqual(["MAJOR src/a.ts:10-14 correctness unanimous x/1+y/2+z/3"]);
  });

  test("one without a category does not tie different problems together", () => {
    const votes = [
      finds("x/1", { ...a, line: 7, category: "types" }),
      finds("y/2", { ...a, line: 7, category: "security" }),
      finds("z/3", { ...a, line: 7, category: undefined }),
    ];
    expect(problems(...votes)).toEqual([
      "MAJOR src/a.ts:7-7 - divergent z/3",
      "MAJOR src/a.ts:7-7 security divergent y/2",
      "MAJOR src/a.ts:7-7 types divergent x/1",
    ]);
  });

  test("take the worst severity, and the place that covers all of them", () => {
    const votes = [
      finds("x/1", { ...a, line: 10, severity: "MINOR" }),
      finds("y/2", { ...a, line: 8, endLine: 11, severity: "CRITICAL" }),
    ];
    expect(problems(...votes)).toEqual(["CRITICAL src/a.ts:8-11 correctness unanimous y/2+x/1"]);
  });

  test("come with the worst first, then with what most saw", () => {
    const votes = [
      finds("x/1", { ...a, line: 1 }, { ...a, line: 50 }),
      finds("y/2", { ...a, line: 50 }, { ...a, line: 90, severity: "CRITICAL" }),
      finds("z/3", { ...a, line: 50 }),
    ];
    expect(problems(...votes)).toEqual([
      "CRITICAL src/a.ts:90-90 correctness divergent y/2",
      "MAJOR src/a.ts:50-50 correctness unanimous x/1+y/2+z/3",
      "MAJOR src/a.ts:1-1 correctness divergent x/1",
    ]);
  });
});

test.each<[number, number, Agreement]>([
  [1, 1, "single"],
  ...([
    [2, 2, "unanimous"],
    [1, 2, "divergent"],
  ] as [number, number, Agreement][]),
  ...([
    [3, 3, "unanimous"],
    [2, 3, "strong"],
    [1, 3, "divergent"],
  ] as [number, number, Agreement][]),
  ...([
    [3, 4, "strong"],
    [2, 4, "divergent"],
    [4, 5, "strong"],
    [3, 5, "majority"],
  ] as [number, number, Agreement][]),
  ...([
    [2, 5, "divergent"],
    [4, 6, "strong"],
    [4, 7, "majority"],
    [5, 7, "strong"],
  ] as [number, number, Agreement][]),
])("%d of %d is %s", (agreeing, voters, agreement) => {
  expect(agreementOf(agreeing, voters)).toBe(agreement);
});

describe("the verdict", () => {
  const minor = finds("x/1", { ...a, line: 7, severity: "MINOR" });
  const yesBut = by("x/1", { ...(minor.submission as object), verdict: "APPROVED" } as Submission);
  const critical = by("x/1", {
    ...{ verdict: "APPROVED", summary: "fine" },
    findings: [{ severity: "CRITICAL", problem: "It deletes everything." }],
  });
  test.each<[string, readonly Vote[], number, string, Agreement | undefined, string]>([
    [
      "all approve",
      [approves("x/1"), approves("y/2"), approves("z/3")],
      2,
      "approved",
      "unanimous",
      "3 reviewers, 3 models",
    ],
    ["all approve, one with a remark", [yesBut, approves("y/2")], 2, "approved", "unanimous", "2 reviewers, 2 models"],
    ["one objects", [minor, approves("y/2"), approves("z/3")], 2, "blocked", "divergent", "3 reviewers, 3 models"],
    ["two object", [minor, finds("y/2", a), approves("z/3")], 2, "blocked", "strong", "3 reviewers, 3 models"],
    ["all object", [minor, finds("y/2", a)], 2, "blocked", "unanimous", "2 reviewers, 2 models"],
    [
      "one CRITICAL in an approval",
      [critical, approves("y/2"), approves("z/3")],
      2,
      "blocked",
      "divergent",
      "3 reviewers, 3 models",
    ],
    [
      "a rejection without findings",
      [finds("x/1"), approves("y/2"), approves("z/3")],
      2,
      "blocked",
      "divergent",
      "3 reviewers, 3 models",
    ],
    [
      "one is silent",
      [approves("x/1"), approves("y/2"), abstains("z/3")],
      2,
      "approved",
      "unanimous",
      "2 reviewers, 2 models",
    ],
    ["two are silent", [approves("x/1"), abstains("y/2"), abstains("z/3")], 2, "open", "single", "single-model review"],
    [
      "two are silent, one objects",
      [minor, abstains("y/2"), abstains("z/3")],
      2,
      "blocked",
      "single",
      "single-model review",
    ],
    ["all are silent", [abstains("x/1"), abstains("y/2")], 1, "open", undefined, "single-model review"],
    ["one model", [approves("x/1")], 1, "approved", "single", "single-model review"],
    ["no model was asked", [], 0, "open", undefined, "single-model review"],
  ])("%s", (_, votes, quorum, verdict, agreement, label) => {
    expect(consensusOf(votes, quorum)).toMatchObject({ verdict, agreement, label });
  });

  test("names who abstained, and why", () => {
    const found = consensusOf([approves("x/1"), abstains("z/3"), abstains("y/2")], 2);
    expect(found.abstentions).toEqual([
      { who: "y/2", why: "it said nothing", words: [] },
      { who: "z/3", why: "it said nothing", words: [] },
    ]);
    expect(found.because).toBe("1 of 2 reviewers have voted; z/3, y/2 abstained");
  });
});

const arbitraryFinding = fc.record(
  {
    severity: fc.constantFrom(...severities),
    category: fc.constantFrom(...categories.slice(0, 3)),
    file: fc.constantFrom("src/a.ts", "src/b.ts"),
    line: fc.integer({ min: 1, max: 20 }),
    endLine: fc.integer({ min: 1, max: 20 }),
    problem: fc.constantFrom("wrong", "slow", "leaks"),
  },
  { requiredKeys: ["severity", "problem"] },
) as fc.Arbitrary<ReviewFinding>;
const arbitrarySubmission: fc.Arbitrary<Submission> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      verdict: fc.constantFrom("APPROVED" as const, "NEEDS_REVISION" as const, "MAJOR_CONCERNS" as const),
      summary: fc.constant("s"),
      findings: fc.array(arbitraryFinding, { maxLength: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ abstains: "empty" }) },
);
/** Each by another model. */
const arbitraryVotes = fc
  .array(arbitrarySubmission, { maxLength: 6 })
  .map((all) => all.map((submission, at) => by(`vendor/${at}`, submission)));

describe("whatever the reviewers say,", () => {
  test("their order makes no difference", () => {
    fc.assert(
      fc.property(
        arbitraryVotes.chain((votes) =>
          fc.tuple(fc.constant(votes), fc.shuffledSubarray(votes, { minLength: votes.length })),
        ),
        fc.integer({ min: 1, max: 4 }),
        ([votes, shuffled], quorum) => {
          const { ballots: _, findings: __, because: ___, ...one } = consensusOf(votes, quorum);
          const { ballots: ____, findings: _____, because: ______, ...other } = consensusOf(shuffled, quorum);
          expect(other).toEqual(one);
        },
      ),
    );
  });

  test("an abstention never changes who agreed, or the verdict", () => {
    fc.assert(
      fc.property(arbitraryVotes, fc.nat(), fc.integer({ min: 1, max: 4 }), (votes, where, quorum) => {
        const more = votes.toSpliced(where % (votes.length + 1), 0, abstains("silent/one"));
        const [one, other] = [consensusOf(votes, quorum), consensusOf(more, quorum)];
        for (const key of ["problems", "verdict", "agreement", "label", "voters", "reviews"] as const)
          expect(other[key]).toEqual(one[key]);
        expect(other.abstentions.map(({ who }) => who)).toContain("silent/one");
      }),
    );
  });

  test("every finding is in one problem, and none becomes less severe; a CRITICAL one blocks", () => {
    fc.assert(
      fc.property(arbitraryVotes, (votes) => {
        const given = votes.flatMap(({ model, submission }) =>
          "findings" in submission ? submission.findings.map((finding) => ({ who: model ?? "", finding })) : [],
        );
        const found = consensusOf(votes, 1);
        const kept = found.problems.flatMap(({ said }) => said);
        expect(kept).toHaveLength(given.length);
        expect(kept).toEqual(expect.arrayContaining(given));
        for (const { severity, said } of found.problems)
          for (const { finding } of said)
            expect(severities.indexOf(severity)).toBeLessThanOrEqual(severities.indexOf(finding.severity));
        if (!given.some(({ finding }) => finding.severity === "CRITICAL")) return;
        expect(found.verdict).toBe("blocked");
        expect(found.problems[0]?.severity).toBe("CRITICAL");
      }),
    );
  });

  test("one who changes from approval to objection never makes the verdict better", () => {
    fc.assert(
      fc.property(arbitraryVotes, (votes) => {
        const better = consensusOf([...votes, approves("last/one")], 1);
        const worse = consensusOf([...votes, finds("last/one", a)], 1);
        expect(worse.verdict).toBe("blocked");
        expect(better.verdict === "blocked" || better.verdict === "approved").toBe(true);
      }),
    );
  });
});
