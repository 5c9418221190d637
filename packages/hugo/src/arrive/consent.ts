import type { Approval } from "../approval.ts";
import type { Context } from "../context.ts";
import { HugoError } from "../errors.ts";

/** Ends normally if somebody agrees, or has agreed already; nothing may be written before. */
export async function askConsent(
  { person }: Pick<Context, "person">,
  request: Approval,
  { yes }: { readonly yes: boolean },
): Promise<void> {
  if (yes) return;
  const answer = await person.approve(request);
  if (answer === "approved") return;
  throw new HugoError("not-approved", {
    message:
      answer === "declined"
        ? `Not done: "${request.title}" was declined`
        : `"${request.title}" needs somebody who agrees, and nobody is there to be asked`,
    hint:
      answer === "declined"
        ? "Nothing was changed."
        : "Look at what it can do (hugo info), then say --yes. Nothing was changed.",
  });
}
