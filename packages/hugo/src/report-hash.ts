// The hash by which a script accepts exactly one report.
import type { Approval, User } from "./context.ts";
import { startHash } from "./packages/hash.ts";

/** The parts of a report, and how people call them. */
export const REPORT_PARTS: readonly (readonly [name: string, part: (request: Approval) => unknown])[] = [
  ["the package", ({ title, package: about = title }) => about],
  ["what arrives in OpenCode", ({ delivered = {} }) => delivered],
  ["what it can do", ({ capabilities }) => capabilities],
  [
    "the notes",
    ({ notes, asides = [] }) =>
      notes.filter((note) => !asides.includes(typeof note === "string" ? note : note.summary)),
  ],
];

/**
 * A hash over every byte of the package, its dependencies and what OpenCode gets of it, and every line of the report that says something about it,
 * also of its details. It is the same on every machine where the same would arrive. The four short ones after it are of its parts, so that a
 * difference can be named; only the long one proves anything.
 *
 * @example
 * reportHash(approval); // "9f86…0f00-a1b2-c3d4-e5f6-0718"
 */
export function reportHash(request: Approval): string {
  const parts = REPORT_PARTS.map(([, part]) => JSON.stringify(part(request)));
  return [hashOfText(JSON.stringify(parts)), ...parts.map((part) => hashOfText(part).slice(0, 4))].join("-");
}

const accepted = new WeakMap<User, Set<string>>();

/** The hashes of the reports that `--yes` has accepted in this command: a command that names one more has to name these, too. */
export function acceptedReports(user: User): Set<string> {
  const hashes = accepted.get(user) ?? new Set();
  accepted.set(user, hashes);
  return hashes;
}

function hashOfText(text: string): string {
  return startHash().update(text).digest("hex");
}
