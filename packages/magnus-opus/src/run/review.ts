// Reviews and their verdict. A reviewer alone can block the work, but can never approve findings away.
import * as z from "zod/mini";

export const severities = ["CRITICAL", "MAJOR", "MINOR", "NITPICK"] as const;
export const verdicts = ["APPROVED", "NEEDS_REVISION", "MAJOR_CONCERNS"] as const;

const said = z.string().check(z.regex(/\S/));

const finding = z.object({
  severity: z.enum(severities),
  file: said,
  line: z.int().check(z.gte(1)),
  problem: said,
  fix: said,
});
const review = z.object({ verdict: z.enum(verdicts), summary: said, findings: z.array(finding) });
const abstention = z.object({ abstains: said });

export const submission = z.union([review, abstention]);

export type ReviewFinding = z.infer<typeof finding>;
export type Review = z.infer<typeof review>;
export type Submission = z.infer<typeof submission>;
export type Verdict = (typeof verdicts)[number];

/** Reads a reviewer's submission. An unusable one counts as an abstention, with the reason. */
export function readSubmission(value: unknown): Submission {
  const read = review.safeParse(value);
  if (!read.success) {
    const { path, message } = read.error.issues[0]!;
    return { abstains: `${path.length > 0 ? `${path.join(".")}: ` : ""}${message}` };
  }
  const { verdict, findings } = read.data;
  if (verdict === "APPROVED" || findings.length > 0) return read.data;
  return { abstains: `the verdict is ${verdict}, but no findings were given` };
}

/** The worse of the reviewer's verdict and what the findings imply. */
export function verdictOf({ verdict, findings }: Review): Verdict {
  const worst = severities.find((severity) => findings.some((each) => each.severity === severity));
  if (worst === "CRITICAL") return "MAJOR_CONCERNS";
  return worst === "MAJOR" && verdict === "APPROVED" ? "NEEDS_REVISION" : verdict;
}

export interface Vote {
  readonly session: string;
  readonly model?: string | undefined;
  readonly submission: Submission;
}

export interface VoteTally {
  /** `open`: not enough votes yet. */
  readonly verdict: "approved" | "blocked" | "open";
  readonly because: string;
  /** Worst first. If several reviewers name the same place, each has a finding. */
  readonly findings: readonly ReviewFinding[];
  readonly voters: number;
  readonly abstained: number;
  /** How far to trust it: "single-model review" or "3 reviewers, 2 models". */
  readonly label: string;
}

/** Every voting reviewer must approve, and enough must vote. If a reviewer votes twice, the worse vote counts. */
export function tally(votes: readonly Vote[], quorum: number): VoteTally {
  const voting = votes.filter((vote): vote is Vote & { submission: Review } => "verdict" in vote.submission);
  const voters = new Set(voting.map(({ session }) => session)).size;
  const abstained = new Set(votes.map(({ session }) => session)).size - voters;
  const findings = severities.flatMap((severity) =>
    voting.flatMap(({ submission }) => submission.findings.filter((each) => each.severity === severity)),
  );
  const against = new Set(
    voting.filter(({ submission }) => verdictOf(submission) !== "APPROVED").map(({ session }) => session),
  ).size;
  const needed = Math.max(1, quorum);
  // An unnamed model is assumed to be the same as the others.
  const models = new Set(voting.map(({ model }) => model)).size;
  const label = voters < 2 || models < 2 ? "single-model review" : `${voters} reviewers, ${models} models`;
  const facts = { findings, voters, abstained, label };
  const critical = findings.filter(({ severity }) => severity === "CRITICAL").length;
  if (critical > 0) return { verdict: "blocked", because: `${critical} CRITICAL findings`, ...facts };
  if (against > 0) return { verdict: "blocked", because: `${against} of ${voters} reviewers want changes`, ...facts };
  if (voters < needed) {
    const silent = abstained > 0 ? `; ${abstained} abstained` : "";
    return { verdict: "open", because: `${voters} of ${needed} reviewers have voted${silent}`, ...facts };
  }
  return { verdict: "approved", because: `${voters} of ${voters} reviewers approve`, ...facts };
}
