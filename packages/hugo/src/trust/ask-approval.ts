import type { Approval, Context } from "../context.ts";
import { HugoError } from "../errors.ts";

/** Nothing was done because it was not approved. */
export class NotApproved extends HugoError {
  readonly request: Approval;
  readonly answer: "declined" | "nobody";

  constructor(request: Approval, answer: "declined" | "nobody", look: string) {
    const { title } = request;
    super(
      answer === "declined" ? "declined" : "not-approved",
      answer === "declined"
        ? { message: `"${title}" was declined`, hint: "Nothing was changed." }
        : {
            message: `"${title}" needs your approval, but this is not an interactive terminal`,
            hint: `${look}, then run the command again with --yes. Nothing was changed.`,
          },
    );
    this.request = request;
    this.answer = answer;
  }
}

export interface ApprovalOptions {
  /** It is already approved. */
  readonly yes: boolean;
  /** Where to see the details, as the beginning of a sentence. */
  readonly look: string;
}

/** Returns only if the user approves; nothing may be written before. */
export async function askApproval(
  { user }: Pick<Context, "user">,
  request: Approval,
  { yes, look }: ApprovalOptions,
): Promise<void> {
  user.refuseAgent?.(`"${request.title}"`);
  if (yes) return;
  const answer = await user.approve(request);
  if (answer !== "approved") throw new NotApproved(request, answer, look);
}
