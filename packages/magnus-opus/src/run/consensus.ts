// What several reviewers agree on. Findings about the same place and of the same kind are one problem, and each problem says who saw it.
import {
  type Ballot,
  type Review,
  type ReviewFinding,
  severities,
  tally,
  type Vote,
  type VoteTally,
  verdictOf,
  voterName,
} from "./review.ts";

/** How many of those who voted say the same: all, two thirds, more than half, or fewer. `single`: only one voted. */
export type Agreement = "unanimous" | "strong" | "majority" | "divergent" | "single";

/** A problem, with everything that was said about it. */
export interface Problem {
  /** The worst that anyone gave it. */
  readonly severity: ReviewFinding["severity"];
  readonly category: ReviewFinding["category"];
  /** The place that covers all of its findings; undefined if they name none. */
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly endLine: number | undefined;
  readonly agreement: Agreement;
  readonly said: readonly NamedFinding[];
}

interface NamedFinding {
  readonly who: string;
  readonly finding: ReviewFinding;
}

export interface Consensus extends VoteTally {
  /** How many agree with the verdict; undefined if no one voted. */
  readonly agreement: Agreement | undefined;
  readonly reviews: readonly { readonly who: string; readonly review: Review }[];
  readonly abstentions: readonly {
    readonly who: string;
    readonly why: string;
    readonly words: readonly string[];
  }[];
  /** Worst first, then what most reviewers saw. */
  readonly problems: readonly Problem[];
}

/** The order of the votes of different reviewers makes no difference. */
export function consensusOf(votes: readonly Vote[], quorum: number): Consensus {
  const counted = tally(votes, quorum);
  const ballots = counted.ballots.toSorted((a, b) => compare(voterName(a), voterName(b)));
  const reviews = ballots.flatMap((ballot) => ("verdict" in ballot.submission ? [reviewOf(ballot)] : []));
  const abstentions = ballots.flatMap(({ submission, ...voter }) =>
    "abstains" in submission
      ? [{ who: voterName(voter), why: submission.abstains, words: submission.words ?? [] }]
      : [],
  );
  const isBlocked = counted.verdict === "blocked";
  const agreeing = reviews.filter(({ review }) => (verdictOf(review) !== "APPROVED") === isBlocked).length;
  const findings = reviews.flatMap(({ who, review }) => review.findings.map((finding) => ({ who, finding })));
  const problems = groupsOf(findings).map((said) => problemOf(said, reviews.length));
  return {
    ...counted,
    ...{ reviews, abstentions, problems: problems.toSorted(worstThenClearest) },
    agreement: reviews.length === 0 ? undefined : agreementOf(agreeing, reviews.length),
  };
}

function reviewOf({ submission, ...voter }: Ballot): { who: string; review: Review } {
  return { who: voterName(voter), review: submission as Review };
}

export function agreementOf(agreeing: number, voters: number): Agreement {
  if (voters <= 1) return "single";
  if (agreeing === voters) return "unanimous";
  if (agreeing * 3 >= voters * 2) return "strong";
  return agreeing * 2 > voters ? "majority" : "divergent";
}

/** Reviewers count lines differently, and mark the line above a statement or the one below it. */
const nearLines = 2;

/**
 * Findings that are about the same thing, directly or through others. One without a category joins those with one only if it is
 * clear which: otherwise it would pull different problems together.
 */
function groupsOf(findings: readonly NamedFinding[]): readonly Group[] {
  const sorted = findings.filter(({ finding }) => finding.category !== undefined);
  const unsorted = findings.filter(({ finding }) => finding.category === undefined);
  const isSameKind: Sameness = (a, b) => a.finding.category === b.finding.category && isSamePlace(a, b);
  return joined(clusters(sorted, isSameKind), clusters(unsorted, isSamePlace), isSamePlace);
}

type Group = readonly NamedFinding[];
type Sameness = (a: NamedFinding, b: NamedFinding) => boolean;

/**
 * Connected findings; but one about many lines does not connect what another reviewer told apart, nor what lies so far apart that a
 * finding about one line could not connect it.
 */
function clusters(findings: Group, isSame: Sameness): readonly Group[] {
  const wide = findings.filter((each) => {
    const within = findings.filter((other) => isSame(each, other));
    return within.some((a) => within.some((b) => !isNear(a, b, a.who === b.who ? nearLines : 2 * nearLines)));
  });
  const clear = findings.filter((each) => !wide.includes(each));
  return joined(connected(clear, isSame), connected(wide, isSame), isSame);
}

/** Each of the others joins a group if it is clear which. */
function joined(groups: readonly Group[], others: readonly Group[], isSame: Sameness): readonly Group[] {
  const homes = others.map((other) => {
    const possible = groups.filter((group) => group.some((a) => other.some((b) => isSame(a, b))));
    return possible.length === 1 ? possible[0] : undefined;
  });
  return [
    ...groups.map((group) => [...group, ...others.filter((_, at) => homes[at] === group).flat()]),
    ...others.filter((_, at) => homes[at] === undefined),
  ];
}

/** Two findings of one reviewer are two problems: the reviewer has told them apart. */
function isSamePlace(a: NamedFinding, b: NamedFinding): boolean {
  if (a.who === b.who || a.finding.file !== b.finding.file) return false;
  // Nothing but the words says what a finding without a place is about.
  if (a.finding.file === undefined) return plainText(a.finding.problem) === plainText(b.finding.problem);
  return isNear(a, b);
}

function isNear(a: NamedFinding, b: NamedFinding, most = nearLines): boolean {
  const [from, to] = [rangeOf(a.finding), rangeOf(b.finding)];
  if (from === undefined || to === undefined) return from === to;
  return from[0] <= to[1] + most && to[0] <= from[1] + most;
}

function rangeOf({ line, endLine = line }: ReviewFinding): readonly [number, number] | undefined {
  return line === undefined || endLine === undefined ? undefined : [Math.min(line, endLine), Math.max(line, endLine)];
}

function plainText(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s\p{P}]+/gu, " ")
    .trim();
}

function connected(items: Group, isSame: Sameness): readonly Group[] {
  const groups: Group[] = [];
  for (const item of items) {
    const joined = groups.filter((group) => group.some((other) => isSame(item, other)));
    for (const group of joined) groups.splice(groups.indexOf(group), 1);
    groups.push([...joined.flat(), item]);
  }
  return groups;
}

function problemOf(group: readonly NamedFinding[], voters: number): Problem {
  const said = group.toSorted(
    (a, b) =>
      rankOf(a.finding) - rankOf(b.finding) || compare(a.who, b.who) || compare(keyOf(a.finding), keyOf(b.finding)),
  );
  const ranges = said.flatMap(({ finding }) => {
    const range = rangeOf(finding);
    return range === undefined ? [] : [range];
  });
  const hasPlace = ranges.length > 0;
  return {
    severity: said[0]!.finding.severity,
    category: said.find(({ finding }) => finding.category !== undefined)?.finding.category,
    file: said[0]!.finding.file,
    line: hasPlace ? Math.min(...ranges.map(([from]) => from)) : undefined,
    endLine: hasPlace ? Math.max(...ranges.map(([, to]) => to)) : undefined,
    agreement: agreementOf(new Set(said.map(({ who }) => who)).size, voters),
    said,
  };
}

function worstThenClearest(a: Problem, b: Problem): number {
  const seenBy = ({ said }: Problem): number => new Set(said.map(({ who }) => who)).size;
  return (
    rankOf(a) - rankOf(b) ||
    seenBy(b) - seenBy(a) ||
    compare(a.file ?? "", b.file ?? "") ||
    (a.line ?? 0) - (b.line ?? 0) ||
    compare(a.category ?? "", b.category ?? "") ||
    compare(keyOf(a.said[0]!.finding), keyOf(b.said[0]!.finding)) ||
    compare(a.said[0]!.who, b.said[0]!.who)
  );
}

function rankOf({ severity }: Pick<ReviewFinding, "severity">): number {
  return severities.indexOf(severity);
}

function keyOf({ file, line, endLine, problem, fix }: ReviewFinding): string {
  return JSON.stringify([file, line, endLine, problem, fix]);
}

/** The same on every machine, whatever its language. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
