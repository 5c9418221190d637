// Who took a task: the `idemKey` of the pick, `<run>/<path of the loop>#<iteration>:pick`. It is the same for every attempt
// at that pick, also after a crash, and no other pick has it.

/** A run's id has no slash. */
export function runOf(claim: string): string {
  const slash = claim.indexOf("/");
  return slash === -1 ? claim : claim.slice(0, slash);
}

/** The runs that tasks were taken by, each once: of these somebody has to know whether they still go on. */
export function claimingRuns(tasks: Iterable<{ readonly claimedBy?: string | undefined }>): string[] {
  return [...new Set([...tasks].flatMap(({ claimedBy }) => (claimedBy === undefined ? [] : [runOf(claimedBy)])))];
}

/**
 * Iterations of one loop, and of the loops around it, come one after the other: of two picks that differ in nothing else,
 * the earlier one is over.
 */
export function isSameLoop(claim: string, other: string): boolean {
  return withoutIterations(claim) === withoutIterations(other);
}

function withoutIterations(claim: string): string {
  return claim.replaceAll(/#\d+/g, "#");
}
