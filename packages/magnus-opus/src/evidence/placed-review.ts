// A finding is about a line of a file that is there. Anything else cannot be looked up, and so cannot be fixed.
import { existsSync, readFileSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import type { Finding, Review } from "../run/review.ts";
import { realPath } from "../sessions/workplace.ts";

export interface Places {
  readonly worktree: string;
  /** Where OpenCode was started. */
  readonly directory: string;
  /** The session folder, where the plan lies. */
  readonly folder: string;
}

/** The review with its files relative to the worktree; or what has no place. */
export function placedReview(review: Review, places: Places): { review: Review } | { problems: readonly string[] } {
  const placed = review.findings.map((finding) => placedFinding(finding, places));
  const problems = placed.filter((each) => typeof each === "string");
  if (problems.length > 0) return { problems };
  return { review: { ...review, findings: placed.filter((each) => typeof each !== "string") } };
}

function placedFinding(finding: Finding, { worktree, directory, folder }: Places): Finding | string {
  const { file, line } = finding;
  const candidates = isAbsolute(file) ? [file] : [directory, worktree, folder].map((from) => resolve(from, file));
  const path = candidates.find((each) => existsSync(each) && statSync(each).isFile());
  if (path === undefined) return `${file}:${line} There is no such file.`;
  const inside = relative(worktree, realPath(path, worktree)).replaceAll("\\", "/");
  if (inside.startsWith("../") || isAbsolute(inside)) return `${file}:${line} This file is outside the project.`;
  const lines = linesIn(join(worktree, inside));
  if (line > lines) return `${file}:${line} The file has only ${lines} lines.`;
  return { ...finding, file: inside };
}

function linesIn(file: string): number {
  const text = readFileSync(file, "utf8");
  return text.split("\n").length - Number(text.endsWith("\n"));
}
