import type { TestEvidence } from "../run/evidence.ts";
import type { TestRun } from "./run-tests.ts";

/** What a run of the tests proves; or why it proves nothing, and is not to be kept. */
export type Proof = { readonly evidence: TestEvidence } | { readonly nothing: string };

export function evidenceOf({ argv, script, tree, ended, exitCode, counts, ms, outputHash, tail }: TestRun): Proof {
  if (ended === "aborted") return { nothing: "somebody stopped the tests" };
  if (tree === undefined) return { nothing: "the project's files changed while the tests ran" };
  return {
    evidence: {
      argv: [...argv],
      ...(script !== undefined && { script }),
      tree,
      exit: exitOf(ended, exitCode, tail),
      ...(counts !== undefined && { counts }),
      ms,
      outputHash,
    },
  };
}

/** As shells number what a signal ended. */
const signalled = 137;

function exitOf(ended: TestRun["ended"], exitCode: number | null, tail: string): TestEvidence["exit"] {
  if (ended === "timeout") return { kind: "timeout" };
  if (ended === "not-started") return { kind: "not-started", detail: tail.trim() || "the command cannot be started" };
  return { kind: "code", code: exitCode ?? signalled };
}
