import { placedReview } from "../../evidence/placed-review.ts";
import { readSubmission, severities, verdictOf, verdicts } from "../../run/review.ts";
import { lookUp } from "../../run/state.ts";
import type { MagnusTool } from "./tool.ts";

const text = { type: "string" };

export const submitReview: MagnusTool = {
  name: "submit_review",
  schema: {
    type: "object",
    properties: {
      verdict: { type: "string", enum: verdicts },
      summary: text,
      findings: {
        type: "array",
        items: {
          type: "object",
          properties: {
            severity: { type: "string", enum: severities },
            file: text,
            line: { type: "integer" },
            problem: text,
            fix: text,
          },
          required: ["severity", "file", "line", "problem", "fix"],
        },
      },
    },
    required: ["verdict", "summary", "findings"],
  },
  async run(magnus, args, { session, agent }) {
    const found = await magnus.runs.of(session);
    if (found?.kind !== "driven")
      return "This session is not part of a run in this OpenCode instance; nothing was submitted.";
    const { run } = found;
    const review = readSubmission(args);
    const places = { ...magnus.workplace, folder: run.folder };
    const placed = "abstains" in review ? { review } : placedReview(review, places);
    if ("problems" in placed) {
      return [
        "Not submitted, because these findings have no valid location:",
        ...placed.problems.map((each) => `- ${each}`),
        "Check the files and submit the whole review again.",
      ].join("\n");
    }
    const { ignored } = await run.refreshWithFiles();
    const model = lookUp(run.state.sessions, session)?.model;
    const by = { kind: "agent", agent, session } as const;
    const submission = placed.review;
    await run.append({
      type: "review-submitted",
      at: Date.now(),
      by,
      submission,
      ...(model !== undefined && { model }),
    });
    if (run.state.ignored > ignored)
      return `Not counted: ${agent} may not review from this session in the ${run.state.phase} phase.`;
    if ("abstains" in submission)
      return `This counts as an abstention: ${submission.abstains}. Submit a review with findings.`;
    return `Submitted: ${verdictOf(submission)}, ${submission.findings.length} findings.`;
  },
};
