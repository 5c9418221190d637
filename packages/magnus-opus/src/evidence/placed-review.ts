// A finding must name a line in an existing file; otherwise it cannot be looked up and fixed.
import { existsSync, readFileSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import type { Review, ReviewFinding } from "../run/review.ts";
import { realPath } from "../sessions/workplace.ts";

export interface ReviewPlaces {
  readonly worktree: string;
  /** Where OpenCode was started. */
  readonly directory: string;
  /** The session folder, which contains the plan. */
  readonly folder: string;
}

/** The review with its files relative to the worktree; or the findings without a valid location. */
export function placedReview(
  review: Review,
  { worktree, directory, folder }: ReviewPlaces,
): { review: Review } | { problems: readonly string[] } {
  const problems: string[] = [];
  const findings: ReviewFinding[] = [];
  for (const finding of review.findings) {
    const { file, line } = finding;
    const candidates = isAbsolute(file) ? [file] : [directory, worktree, folder].map((from) => resolve(from, file));
    const path = candidates.find((each) => existsSync(each) && statSync(each).isFile());
    if (path === undefined) {
      problems.push(`${file}:${line} No such file.`);
      continue;
    }
    const inside = relative(worktree, realPath(path, worktree)).replaceAll("\\", "/");
    if (inside.startsWith("../") || isAbsolute(inside)) {
      problems.push(`${file}:${line} This file is outside the project.`);
      continue;
    }
    const text = readFileSync(join(worktree, inside), "utf8");
    const lines = text.split("\n").length - Number(text.endsWith("\n"));
    if (line > lines) problems.push(`${file}:${line} The file has only ${lines} lines.`);
    else findings.push({ ...finding, file: inside });
  }
  return problems.length > 0 ? { problems } : { review: { ...review, findings } };
}
