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
      return "No run that this OpenCode works on belongs to this session; nothing was handed in.";
    const { run } = found;
    const review = readSubmission(args);
    const places = { ...magnus.workplace, folder: run.folder };
    const placed = "abstains" in review ? { review } : placedReview(review, places);
    if ("problems" in placed) {
      return [
        "Not handed in, because these findings have no place:",
        ...placed.problems.map((each) => `- ${each}`),
        "Look at the files and hand in the whole review again.",
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
      return `Not counted: ${agent} does not judge in the phase ${run.state.phase}, in this session.`;
    if ("abstains" in submission)
      return `This counts as an abstention: ${submission.abstains}. Hand in a review that says more.`;
    return `Handed in: ${verdictOf(submission)}, ${submission.findings.length} findings.`;
  },
};
