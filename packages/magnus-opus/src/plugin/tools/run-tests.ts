import { evidenceOf, runTests } from "../../evidence/run-tests.ts";
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
    const { ended, exitCode, counts, ms, tail } = ran;
    const how = ended === "exit" ? `exit code ${exitCode}` : ended;
    const many = counts ? `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped` : "no counts";
    const seconds = (ms / 1000).toFixed(1);
    const summary = `\`${argv.join(" ")}\`: ${how}, ${many}, ${seconds} s\n\n\`\`\`\n${tail.trim()}\n\`\`\``;
    const proof = evidenceOf(ran);
    const found = await magnus.runs.of(session);
    if (found?.kind !== "driven") return `${summary}\n\nThis is not evidence: this session is not part of a run.`;
    if ("nothing" in proof) return `${summary}\n\nThis is not evidence: ${proof.nothing}. Run them again.`;
    const { evidence, tree, options } = await found.run.record({ type: "tests-ran", evidence: proof.evidence });
    const verdict = testVerdict(evidence, { ...options, tree });
    return `${summary}\n\nEvidence: ${verdict.passed ? "the tests pass" : verdict.because}.`;
  },
};
