// Reviews and their verdict. A reviewer alone can block the work, but can never approve findings away.
import { count } from "@atomic/terminal/count";
import * as z from "zod/mini";

export const severities = ["CRITICAL", "MAJOR", "MINOR", "NITPICK"] as const;
export const verdicts = ["APPROVED", "NEEDS_REVISION", "MAJOR_CONCERNS"] as const;
export const categories = [
  ...(["correctness", "security", "data", "types", "performance", "accessibility", "design", "tests", "fit"] as const),
] as const;

const said = z.string().check(z.regex(/\S/));
const lineNumber = z.int().check(z.gte(1));

/** The place is where the problem is visible; a finding about what is missing may have none. */
const finding = z.object({
  severity: z.enum(severities),
  category: z.optional(z.enum(categories)),
  file: z.optional(said),
  line: z.optional(lineNumber),
  endLine: z.optional(lineNumber),
  problem: said,
  fix: z.optional(said),
});
const review = z.object({ verdict: z.enum(verdicts), summary: said, findings: z.array(finding) });
/** `abstains`: why it does not count. `words`: what the reviewer said all the same. */
const abstention = z.object({ abstains: said, words: z.optional(z.array(said)) });

export const submission = z.union([review, abstention]);

export type ReviewFinding = z.infer<typeof finding>;
export type Review = z.infer<typeof review>;
export type Submission = z.infer<typeof submission>;
export type Verdict = (typeof verdicts)[number];

/** The worse of the reviewer's verdict and what the findings imply. */
export function verdictOf({ verdict, findings }: Review): Verdict {
  const worst = severities.find((severity) => findings.some((each) => each.severity === severity));
  if (worst === "CRITICAL") return "MAJOR_CONCERNS";
  return worst === "MAJOR" && verdict === "APPROVED" ? "NEEDS_REVISION" : verdict;
}

/** On one line, with its place if it has one. */
export function findingText({ severity, file, line, endLine, problem, fix }: ReviewFinding): string {
  const range = line === undefined ? "" : `:${line}${endLine === undefined || endLine === line ? "" : `-${endLine}`}`;
  return [severity, file && `${file}${range}`, problem, fix && `Fix: ${fix}`].filter(Boolean).join(" ");
}

export interface Vote {
  /** The agent that reviewed. */
  readonly reviewer: string;
  readonly session: string;
  readonly model?: string | undefined;
  readonly submission: Submission;
}

/** What one reviewer says in the end. */
export interface Ballot {
  readonly reviewer: string;
  readonly model: string | undefined;
  readonly submission: Submission;
}

/** The model says more about who it is than the agent, which may be the same for all of them. */
export function voterName({ reviewer, model }: Pick<Vote, "reviewer" | "model">): string {
  return model ?? reviewer;
}

/**
 * One ballot for each reviewer, who is the same as long as the model is: asking again is not a second opinion. The last no counts,
 * otherwise the last yes, otherwise the last abstention, with the words of those before it.
 */
export function ballotsOf(votes: readonly Vote[]): readonly Ballot[] {
  const rank = ({ submission }: Vote): number =>
    "abstains" in submission ? 0 : verdictOf(submission) === "APPROVED" ? 1 : 2;
  const ballots = new Map<string, Vote>();
  for (const vote of votes) {
    const key = vote.model ?? `agent ${vote.reviewer}`;
    const before = ballots.get(key);
    if (before !== undefined && rank(vote) < rank(before)) continue;
    const [last, earlier] = [vote.submission, before?.submission];
    const hasWords =
      "abstains" in last && earlier !== undefined && "abstains" in earlier && earlier.words !== undefined;
    const words = hasWords ? [...new Set([...earlier.words!, ...(last.words ?? [])])] : [];
    ballots.set(key, hasWords ? { ...vote, submission: { ...last, words } } : vote);
  }
  return [...ballots.values()].map(({ reviewer, model, submission: given }) => ({
    ...{ reviewer, model, submission: given },
  }));
}

export type Objection = Ballot & { readonly submission: Review };

/** The ballots that ask for changes. */
export function objectionsOf(ballots: readonly Ballot[]): readonly Objection[] {
  return ballots.filter(
    (ballot): ballot is Objection => "verdict" in ballot.submission && verdictOf(ballot.submission) !== "APPROVED",
  );
}

export interface VoteTally {
  /** `open`: not enough votes yet. */
  readonly verdict: "approved" | "blocked" | "open";
  readonly because: string;
  readonly ballots: readonly Ballot[];
  /** Worst first. If several reviewers name the same place, each has a finding. */
  readonly findings: readonly ReviewFinding[];
  readonly voters: number;
  readonly abstained: number;
  /** How far to trust it: "single-model review" or "3 reviewers, 2 models". */
  readonly label: string;
}

/** Every voting reviewer must approve, and enough must vote. */
export function tally(votes: readonly Vote[], quorum: number): VoteTally {
  const ballots = ballotsOf(votes);
  const voting = ballots.filter((ballot): ballot is Objection => "verdict" in ballot.submission);
  const voters = voting.length;
  const silent = ballots.filter(({ submission: given }) => "abstains" in given).map(voterName);
  const findings = worstFirst(voting.flatMap(({ submission: given }) => given.findings));
  const against = objectionsOf(ballots).length;
  const needed = Math.max(1, quorum);
  // An unnamed model is assumed to be the same as the others.
  const models = new Set(voting.map(({ model }) => model)).size;
  const label = voters < 2 || models < 2 ? "single-model review" : `${voters} reviewers, ${models} models`;
  const facts = { ballots, findings, voters, abstained: silent.length, label };
  const critical = findings.filter(({ severity }) => severity === "CRITICAL").length;
  if (critical > 0) return { verdict: "blocked", because: count(critical, "CRITICAL finding"), ...facts };
  if (against > 0)
    return {
      verdict: "blocked",
      because: `${against} of ${count(voters, "reviewer")} ${against === 1 ? "wants" : "want"} changes`,
      ...facts,
    };
  if (voters < needed) {
    const named = silent.length === 0 ? "" : `; ${silent.join(", ")} abstained`;
    return { verdict: "open", because: `${voters} of ${needed} reviewers have voted${named}`, ...facts };
  }
  return {
    verdict: "approved",
    because: `${voters} of ${count(voters, "reviewer")} ${voters === 1 ? "approves" : "approve"}`,
    ...facts,
  };
}

export function worstFirst(findings: readonly ReviewFinding[]): readonly ReviewFinding[] {
  return severities.flatMap((severity) => findings.filter((each) => each.severity === severity));
}
