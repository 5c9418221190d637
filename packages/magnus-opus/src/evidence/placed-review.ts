// A finding that names a place must name an existing one; otherwise it cannot be looked up and fixed.
import { existsSync, readFileSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { count } from "@atomic/terminal/count";
import { findingText, type Review, type ReviewFinding, type Submission, verdictOf } from "../run/review.ts";
import { realPath } from "../sessions/workplace.ts";

export interface ReviewPlaces {
  readonly worktree: string;
  /** Where OpenCode was started. */
  readonly directory: string;
  /** The session folder, which contains the plan. */
  readonly folder: string;
}

export interface PlacedReview {
  /**
   * With its files relative to the worktree. In a rejection, or beside a CRITICAL or MAJOR finding, a finding without a valid location
   * keeps its words; any other approval is undefined then, because nothing is lost if it is submitted again.
   */
  readonly review: Review | undefined;
  readonly problems: readonly string[];
}

export function placedReview(review: Review, { worktree, directory, folder }: ReviewPlaces): PlacedReview {
  const problems: string[] = [];
  const findings: ReviewFinding[] = [];
  for (const finding of review.findings) {
    const { file, line: first, endLine: last, ...rest } = finding;
    // Some models name the last line first.
    const isTurned = first !== undefined && last !== undefined && last < first;
    const [line, endLine] = isTurned ? [last, first] : [first, last];
    if (file === undefined) {
      findings.push(rest);
      continue;
    }
    const at = line === undefined ? file : `${file}:${line}`;
    const misplaced = (why: string): void => {
      problems.push(`${at} ${why}`);
      findings.push({ ...rest, problem: `${at} (${why}) ${rest.problem}` });
    };
    const candidates = isAbsolute(file) ? [file] : [directory, worktree, folder].map((from) => resolve(from, file));
    const path = candidates.find((each) => existsSync(each) && statSync(each).isFile());
    if (path === undefined) {
      misplaced("No such file.");
      continue;
    }
    const inside = relative(worktree, realPath(path, worktree)).replaceAll("\\", "/");
    if (inside.startsWith("../") || isAbsolute(inside)) {
      misplaced("This file is outside the project.");
      continue;
    }
    const text = readFileSync(join(worktree, inside), "utf8");
    const lines = text.split("\n").length - Number(text.endsWith("\n"));
    if ((line ?? 0) > lines) misplaced(`The file has only ${count(lines, "line")}.`);
    else
      findings.push({
        ...{ ...finding, file: inside },
        ...(line !== undefined && { line }),
        ...(endLine !== undefined && { endLine: Math.min(endLine, lines) }),
      });
  }
  const isLost = problems.length > 0 && verdictOf(review) === "APPROVED";
  return { review: isLost ? undefined : { ...review, findings }, problems };
}

/** The abstention that an approval without valid locations becomes. It keeps what the reviewer found. */
export function lostReview(review: Submission, problems: readonly string[]): Submission {
  if ("abstains" in review) return review;
  const words = [review.summary, ...review.findings.map(findingText)];
  return { abstains: `findings without a valid location: ${problems.join("; ")}`, words };
}
