// A submission as models write it becomes a review, or an abstention that keeps what was said.
import { meantVerdict } from "./meant-verdict.ts";
import {
  categories,
  findingText,
  type ReviewFinding,
  type Submission,
  severities,
  type Verdict,
  verdictOf,
  verdicts,
} from "./review.ts";

/**
 * Reads a reviewer's submission. An unusable one counts as an abstention, with the reason and all that the reviewer said; but a no is a
 * no, however badly it is put, as is a CRITICAL or MAJOR finding. What cannot be read as a finding is kept as words.
 */
export function readSubmission(value: unknown): Submission {
  const given = (typeof value === "object" && value ? value : {}) as Record<string, unknown>;
  const verdict = meantVerdict(given.verdict);
  const listed = Array.isArray(given.findings) ? given.findings : [given.findings].filter((each) => each != null);
  const read = listed.map(readFinding);
  const findings = read.filter((each) => each !== undefined);
  const loose = listed.filter((_, at) => read[at] === undefined).flatMap(wordsOf);
  const summary = wordsOf(given.summary);
  const problem = whyUnusable(value, given, verdict, read);
  if (problem === undefined) return { verdict: verdict!, summary: given.summary as string, findings };
  const refusal = verdictOf({ verdict: verdict ?? "APPROVED", summary: "", findings });
  if (refusal !== "APPROVED") {
    const words = [...summary, ...loose];
    return { verdict: refusal, summary: words.join("\n") || "The reviewer gave no reason.", findings };
  }
  const words = [
    ...(typeof value === "object" ? [] : wordsOf(value)),
    ...[...summary, ...findings.map(findingText), ...loose],
  ];
  return { abstains: problem, ...(words.length > 0 && { words }) };
}

/** The first thing that is wrong, with what is allowed there. */
function whyUnusable(
  value: unknown,
  { verdict: said, summary, findings }: Readonly<Record<string, unknown>>,
  verdict: Verdict | undefined,
  read: readonly unknown[],
): string | undefined {
  if (typeof value !== "object" || value === null) return "it submitted no review (verdict, summary and findings)";
  if (verdict === undefined) return `verdict is ${quoted(said)}, but must be ${oneOf(verdicts)}`;
  if (typeof summary !== "string" || !/\S/.test(summary))
    return "summary is missing: say in a few words what you think";
  if (!Array.isArray(findings)) return `findings is ${quoted(findings)}, but must be a list; [] if there are none`;
  const at = read.indexOf(undefined);
  if (at === -1) return undefined;
  return `findings[${at}] is ${quoted(findings[at])}, but must have a problem and a severity: ${oneOf(severities)}`;
}

function oneOf(allowed: readonly string[]): string {
  return `${allowed.slice(0, -1).join(", ")} or ${allowed.at(-1)}`;
}

function quoted(value: unknown): string {
  const text = value === undefined ? "missing" : (JSON.stringify(value) ?? "unreadable");
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** How others grade. In doubt, the graver: a false alarm is looked at, a missed one is not. */
const otherSeverities: Readonly<Record<string, ReviewFinding["severity"]>> = {
  ...{ BLOCKER: "CRITICAL", BLOCKING: "CRITICAL", FATAL: "CRITICAL", SEVERE: "CRITICAL", SHOWSTOPPER: "CRITICAL" },
  ...{ URGENT: "CRITICAL", EMERGENCY: "CRITICAL", HIGHEST: "CRITICAL", P0: "CRITICAL", SEV0: "CRITICAL" },
  ...{ HIGH: "MAJOR", IMPORTANT: "MAJOR", ERROR: "MAJOR", SERIOUS: "MAJOR", MEDIUM: "MAJOR", MODERATE: "MAJOR" },
  ...{ WARNING: "MAJOR", WARN: "MAJOR", NORMAL: "MAJOR", P1: "MAJOR", P2: "MAJOR", SEV1: "MAJOR", SEV2: "MAJOR" },
  ...{ LOW: "MINOR", LOWEST: "MINOR", TRIVIAL: "MINOR", INFO: "MINOR", NOTE: "MINOR", SUGGESTION: "MINOR" },
  ...{ COSMETIC: "MINOR", OPTIONAL: "MINOR", INFORMATIONAL: "MINOR", NIT: "NITPICK" },
};

function knownSeverity(said: string): ReviewFinding["severity"] | undefined {
  const plain = said.toUpperCase().replace(/[^A-Z0-9]+/g, "");
  const other = Object.hasOwn(otherSeverities, plain) ? otherSeverities[plain] : undefined;
  return severities.find((severity) => severity === plain) ?? other;
}

/**
 * Undefined if it does not say what is wrong. An unknown severity becomes MAJOR, an unknown category none, and what is not a place, a
 * line or a fix is left out: the problem is what matters.
 */
function readFinding(value: unknown): ReviewFinding | undefined {
  if (typeof value === "string") {
    const severity = knownSeverity(/^\W*(\w+)/.exec(value)?.[1] ?? "");
    return severity && { severity, problem: value };
  }
  const { severity, category, file, line, endLine, problem, fix } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof problem !== "string" || !/\S/.test(problem)) return undefined;
  const known = typeof severity === "string" ? knownSeverity(severity) : undefined;
  const kind = typeof category === "string" ? category.trim().toLowerCase() : undefined;
  const unknown = [
    ...(known === undefined ? [`severity ${quoted(severity)}`] : []),
    ...(kind === undefined || categories.some((each) => each === kind) ? [] : [`category ${quoted(category)}`]),
  ];
  const [, first, last] = /^\s*L?(\d+)(?:\s*[-–]\s*L?(\d+))?\s*$/i.exec(String(line ?? "")) ?? [];
  const [from, to] = [Number(first ?? 0), Number(last ?? (typeof endLine === "object" ? 0 : (endLine ?? 0)))];
  return {
    severity: known ?? "MAJOR",
    ...(categories.some((each) => each === kind) && { category: kind as ReviewFinding["category"] }),
    ...(typeof file === "string" && /\S/.test(file) && { file }),
    ...(Number.isSafeInteger(from) && from > 0 && { line: from }),
    ...(Number.isSafeInteger(to) && to > 0 && { endLine: to }),
    problem: unknown.length === 0 ? problem : `${problem} (${unknown.join(", ")})`,
    ...(typeof fix === "string" && /\S/.test(fix) && { fix }),
  };
}

/** What was said, if anything was. */
function wordsOf(value: unknown): readonly string[] {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return /\S/.test(text) ? [text.length > longestWords ? `${text.slice(0, longestWords)}…` : text] : [];
}

const longestWords = 2000;
