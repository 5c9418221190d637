import type { Approval, Context } from "../context.ts";
import { HugoError } from "../errors.ts";
import { REPORT_PARTS, reportHash } from "../report-hash.ts";

/** Nothing was done because it was not approved. */
export class NotApproved extends HugoError {
  readonly request: Approval;
  readonly answer: "declined" | "nobody" | "other-report";

  constructor(request: Approval, answer: NotApproved["answer"], { yes, look, isExact = false }: ApprovalOptions) {
    const { title } = request;
    const nothing = "Nothing was changed.";
    const hash = reportHash(request);
    const explained = {
      declined: { message: `"${title}" was declined`, hint: nothing },
      nobody: {
        message: `"${title}" needs your approval, but this is not an interactive terminal`,
        hint: `${look}, then run the command again with ${isExact ? `--yes=${hash}` : "--yes"}. ${nothing}`,
      },
      "other-report": {
        message: `"${title}" has changed since its report was accepted: ${changedSince(String(yes), hash)}`,
        hint: `Accepted was ${yes}; the report is now ${hash}. ${look}, then run the command again with --yes=${hash}. ${nothing}`,
      },
    };
    super(answer === "declined" ? "declined" : "not-approved", explained[answer]);
    this.request = request;
    this.answer = answer;
  }
}

export interface ApprovalOptions {
  /** True if everything is approved, or the hashes of approved reports, separated by commas. */
  readonly yes: boolean | string;
  /** Where to see the details, as the beginning of a sentence. */
  readonly look: string;
  /** It is unusual enough that `--yes` does not cover it; the hash of its report does. */
  readonly isExact?: boolean;
}

/** Returns only if the user approves; nothing may be written before. */
export async function askApproval(
  { user }: Pick<Context, "user">,
  request: Approval,
  options: ApprovalOptions,
): Promise<void> {
  const { yes } = options;
  user.refuseAgent?.(`"${request.title}"`);
  if (yes === true && options.isExact !== true) return;
  if (typeof yes === "string") {
    if (yes.split(",").includes(reportHash(request))) return;
    throw new NotApproved(request, "other-report", options);
  }
  const answer = await user.approve(request);
  if (answer !== "approved") throw new NotApproved(request, answer, options);
}

/** Of several accepted reports, the one that has the most in common with this one was probably meant. */
function changedSince(accepted: string, hash: string): string {
  const now = hash.split("-").slice(1);
  const changes = accepted.split(",").map((each) => {
    const then = each.split("-").slice(1);
    return REPORT_PARTS.flatMap(([name], i) => (then[i] === now[i] ? [] : [name]));
  });
  const [fewest = []] = changes.toSorted((a, b) => a.length - b.length);
  return fewest.join(", ") || "a detail";
}
