import { evidenceOf, runTests, type TestRun } from "../../evidence/run-tests.ts";
import { testCommand } from "../../evidence/test-command.ts";
import { testVerdict } from "../../run/evidence.ts";
import type { MagnusTool } from "./tool.ts";

const usualMinutes = 10;

export const runTestsTool: MagnusTool = {
  name: "run_tests",
  schema: { type: "object", properties: {} },
  async run(magnus, _, { id, session, abort }) {
    const { config } = magnus.settings;
    const project = magnus.workplace.directory;
    const command = testCommand(project, config.tests);
    if ("unknown" in command) return `Cannot run the tests: ${command.unknown}`;
    const timeoutMs = (config.tests?.timeoutMinutes ?? usualMinutes) * 60_000;
    const { argv, script } = command;
    const known = magnus.runs.known(session);
    const ran = await runTests({
      project,
      tree: magnus.workplace.worktree,
      argv,
      script,
      timeoutMs,
      env: { ...process.env, ...(known && magnus.programs.env(known.state.run, id)) },
      signal: abort,
    });
    const proof = evidenceOf(ran);
    const found = await magnus.runs.of(session);
    if (found?.kind !== "driven")
      return [summary(ran), "This is not evidence: this session belongs to no run."].join("\n\n");
    if ("nothing" in proof)
      return [summary(ran), `This is not evidence: ${proof.nothing}. Run them again.`].join("\n\n");
    const { evidence, tree, options } = await found.run.record({ type: "tests-ran", evidence: proof.evidence });
    const verdict = testVerdict(evidence, { ...options, tree });
    return [summary(ran), verdict.passed ? "Evidence: the tests pass." : `Evidence: ${verdict.because}.`].join("\n\n");
  },
};

function summary({ argv, ended, exitCode, counts, ms, tail }: TestRun): string {
  const how = ended === "exit" ? `exit code ${exitCode}` : ended;
  const many =
    counts === undefined ? "no counts" : `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
  return `\`${argv.join(" ")}\`: ${how}, ${many}, ${(ms / 1000).toFixed(1)} s\n\n\`\`\`\n${tail.trim()}\n\`\`\``;
}
