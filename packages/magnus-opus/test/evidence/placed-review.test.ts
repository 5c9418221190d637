import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { tmpProject } from "@atomic/testing/project";
import { lostReview, placedReview } from "../../src/evidence/placed-review.ts";
import type { ReviewFinding } from "../../src/run/review.ts";

const finding = (file: string, line: number, severity: ReviewFinding["severity"] = "MAJOR"): ReviewFinding => ({
  severity,
  file,
  line,
  problem: "p",
  fix: "f",
});

test("a finding must name a line that exists, however its file is named; everything else is reported", async () => {
  await using project = await tmpProject({
    git: false,
    files: {
      "apps/web/src/a.ts": "one\ntwo\n",
      "apps/web/ai-docs/sessions/x/implementation-plan.md": "plan",
      "packages/b.ts": "",
      "../outside.ts": "x\n",
    },
  });
  symlinkSync(project.path("../outside.ts"), project.path("link.ts"));
  const places = {
    ...{ worktree: project.dir, directory: project.path("apps/web") },
    folder: project.path("apps/web/ai-docs/sessions/x"),
  };
  const placeOf = (file: string, line: number): string => {
    const placed = placedReview({ verdict: "NEEDS_REVISION", summary: "s", findings: [finding(file, line)] }, places);
    return placed.problems.join() || placed.review!.findings.map((each) => each.file).join();
  };
  expect(placeOf("src/a.ts", 2)).toBe("apps/web/src/a.ts");
  expect(placeOf("./src/../src/a.ts", 1)).toBe("apps/web/src/a.ts");
  expect(placeOf("apps/web/src/a.ts", 1)).toBe("apps/web/src/a.ts");
  expect(placeOf(project.path("apps/web/src/a.ts"), 1)).toBe("apps/web/src/a.ts");
  expect(placeOf("implementation-plan.md", 1)).toBe("apps/web/ai-docs/sessions/x/implementation-plan.md");
  expect(placeOf("packages/b.ts", 1)).toBe("packages/b.ts");
  expect(placeOf("src/a.ts", 3)).toBe("src/a.ts:3 The file has only 2 lines.");
  expect(placeOf("src", 1)).toBe("src:1 No such file.");
  expect(placeOf("src/a.ts/b.ts", 1)).toBe("src/a.ts/b.ts:1 No such file.");
  expect(placeOf("/etc/hostname", 1)).toBe("/etc/hostname:1 This file is outside the project.");
  expect(placeOf("../../link.ts", 1)).toBe("../../link.ts:1 This file is outside the project.");
});

test("in an approval, one finding without a valid line is enough to ask for the whole review again", async () => {
  await using project = await tmpProject({ git: false, files: { "a.ts": "one\n" } });
  const places = { worktree: project.dir, directory: project.dir, folder: project.path("x") };
  const findings = [finding("a.ts", 1, "MINOR"), finding("b.ts", 1, "MINOR"), finding("c.ts", 1, "NITPICK")];
  const review = { verdict: "APPROVED" as const, summary: "s", findings };
  const problems = ["b.ts:1 No such file.", "c.ts:1 No such file."];
  expect(placedReview(review, places)).toEqual({ review: undefined, problems });
  // Until then it abstains, with everything that it found.
  expect(lostReview(review, problems)).toEqual({
    abstains: "findings without a valid location: b.ts:1 No such file.; c.ts:1 No such file.",
    words: ["s", "MINOR a.ts:1 p Fix: f", "MINOR b.ts:1 p Fix: f", "NITPICK c.ts:1 p Fix: f"],
  });
});

test("a rejection counts, and its findings keep their words when their place does not exist, or they have none", async () => {
  await using project = await tmpProject({ git: false, files: { "a.ts": "one\ntwo\n" } });
  const places = { worktree: project.dir, directory: project.dir, folder: project.path("x") };
  const nowhere = { severity: "MAJOR", problem: "No migration." } as const;
  const findings = [
    { ...finding("a.ts", 1), endLine: 9 },
    { ...finding("a.ts", 2), endLine: 1 },
    finding("b.ts", 4),
    nowhere,
  ];
  const { review, problems } = placedReview({ verdict: "MAJOR_CONCERNS", summary: "s", findings }, places);
  expect(problems).toEqual(["b.ts:4 No such file."]);
  expect(review?.findings).toEqual([
    { ...finding("a.ts", 1), endLine: 2 },
    { ...finding("a.ts", 1), endLine: 2 },
    { severity: "MAJOR", problem: "b.ts:4 (No such file.) p", fix: "f" },
    nowhere,
  ]);
});

test.each(["CRITICAL", "MAJOR"] as const)(
  "a %s finding counts, whatever the verdict says and wherever it points",
  async (severity) => {
    await using project = await tmpProject({ git: false, files: { "a.ts": "one\n" } });
    const places = { worktree: project.dir, directory: project.dir, folder: project.path("x") };
    const findings = [finding("b.ts", 4, severity)];
    const { review } = placedReview({ verdict: "APPROVED", summary: "s", findings }, places);
    expect(review?.findings).toEqual([{ severity, problem: "b.ts:4 (No such file.) p", fix: "f" }]);
  },
);
