import type { Report } from "@atomic/terminal/command";
import { safe } from "@atomic/terminal/safe-text";
import type { ApproveResult } from "../commands/approve.ts";

export const approveReport: Report<ApproveResult> = {
  text: (result) => `${sentence(result)}\n`,
  notes: (result) => next(result),
  json: ({ where, runId, question, value, isLate, isEarly }) => ({
    version: 1,
    project: where.project,
    home: where.home,
    runId,
    key: question.key,
    question: question.text,
    value,
    kept: !isLate,
    early: isEarly,
  }),
  exitCode: ({ isLate }) => (isLate ? 1 : 0),
  error: (result) => ({
    code: "already-answered",
    message: sentence(result),
    hint: `The first answer counts. \`atomic show ${result.runId}\` shows it.`,
  }),
};

function sentence({ runId, question, value, isLate }: ApproveResult): string {
  if (isLate) return safe`${runId}: this was answered already: ${question.text}`;
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  return safe`${runId}: ${question.text} ${value === true ? "yes" : value === false ? "no" : shown}`;
}

function next({ runId, isLate, isEarly, state: { status } }: ApproveResult): string {
  if (isLate) return "";
  if (isEarly) return "The run has not asked yet; the answer is kept until it does.\n";
  const isWorkedOn = status.kind === "running" || status.kind === "waiting" || status.kind === "paused";
  return isWorkedOn ? "" : `No process is working on it. Continue with: atomic resume ${runId}\n`;
}
