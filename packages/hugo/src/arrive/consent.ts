import type { Approval } from "../approval.ts";
import type { Context } from "../context.ts";
import { HugoError } from "../errors.ts";

/** Nothing was done, since nobody has agreed to it. */
export class NotApproved extends HugoError {
  readonly request: Approval;

  constructor(request: Approval, answer: "declined" | "nobody") {
    const { title } = request;
    super(
      "not-approved",
      answer === "declined"
        ? { message: `"${title}" was declined`, hint: "Nothing was changed." }
        : {
            message: `"${title}" needs somebody who agrees, and nobody is there to be asked`,
            hint: "Look at what it can do (hugo info), then say --yes. Nothing was changed.",
          },
    );
    this.request = request;
  }
}

/** Ends normally if somebody agrees, or has agreed already; nothing may be written before. */
export async function askConsent(
  { person }: Pick<Context, "person">,
  request: Approval,
  { yes }: { readonly yes: boolean },
): Promise<void> {
  if (yes) return;
  const answer = await person.approve(request);
  if (answer !== "approved") throw new NotApproved(request, answer);
}
