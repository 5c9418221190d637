import type { Approval, Context } from "../context.ts";
import { HugoError } from "../errors.ts";
import type { Capability } from "../packages/capability.ts";
import { acceptedReports, REPORT_PARTS, reportHash } from "../report-hash.ts";

/** Nothing was done because it was not approved. */
export class NotApproved extends HugoError {
  readonly request: Approval;
  readonly answer: "declined" | "nobody" | "other-report";

  constructor(
    { user }: Pick<Context, "user">,
    request: Approval,
    answer: NotApproved["answer"],
    { yes, look, unusual }: ApprovalOptions,
  ) {
    const { title } = request;
    const nothing = "Nothing was changed.";
    const hash = reportHash(request);
    const accepted = [...acceptedReports(user)];
    const isExact = answer === "other-report" || unusual !== undefined;
    const option = isExact ? `--yes=${[...accepted, hash].join(",")}` : "--yes";
    const again = user.again === undefined ? `run the command again with ${option}` : `run \`${user.again(option)}\``;
    const stale = String(yes)
      .split(",")
      .filter((each) => !accepted.includes(each));
    const explained = {
      declined: { message: `"${title}" was declined`, hint: nothing },
      nobody: {
        message:
          unusual === undefined
            ? `"${title}" needs your approval, but this is not an interactive terminal`
            : `"${title}" needs your explicit approval: ${unusual}`,
        hint: `${look}, then ${again}. ${nothing}`,
      },
      "other-report":
        stale.length === 0
          ? {
              message: `"${title}" needs your approval as well: it has a report of its own`,
              hint: `${look}, then ${again}. ${nothing}`,
            }
          : {
              message: `"${title}" differs from the report that --yes accepts: ${differences(stale, hash)}`,
              hint: `Accepted: ${stale.join(",")}. This report: ${hash}. ${look}, then ${again}. ${nothing}`,
            },
    };
    super(answer === "declined" ? "declined" : "not-approved", explained[answer]);
    this.request = request;
    this.answer = answer;
  }

  /** For programs: what they would have to accept. */
  get facts(): { readonly report: string; readonly capabilities: readonly Capability[]; readonly notices: string[] } {
    const { capabilities, notes } = this.request;
    const notices = notes.flatMap((note) => (typeof note === "string" ? note : note.all));
    return { report: reportHash(this.request), capabilities, notices };
  }
}

export interface ApprovalOptions {
  /** True if everything is approved, or the hashes of approved reports, separated by commas. */
  readonly yes: boolean | string;
  /** Where to see the details, as the beginning of a sentence. */
  readonly look: string;
  /** Why `--yes` does not cover it; the hash of its report does. */
  readonly unusual?: string | undefined;
}

/** Returns only if the user approves; nothing may be written before. */
export async function askApproval(
  context: Pick<Context, "user">,
  request: Approval,
  options: ApprovalOptions,
): Promise<void> {
  const { user } = context;
  const { yes, unusual } = options;
  user.refuseAgent?.(`"${request.title}"`);
  if (yes === true && unusual === undefined) return;
  const hash = reportHash(request);
  if (typeof yes === "string" && yes.split(",").includes(hash)) {
    acceptedReports(user).add(hash);
    return;
  }
  const answer = typeof yes === "string" ? "other-report" : await user.approve(request);
  if (answer === "approved") return;
  if (answer !== "declined") await user.show?.(request);
  throw new NotApproved(context, request, answer, options);
}

/** Of several accepted reports, the one that has the most in common with this one was probably meant. */
function differences(accepted: readonly string[], hash: string): string {
  const now = hash.split("-").slice(1);
  const changes = accepted.map((each) => {
    const then = each.split("-").slice(1);
    return REPORT_PARTS.flatMap(([name], i) => (then[i] === now[i] ? [] : [name]));
  });
  const [fewest = []] = changes.toSorted((a, b) => a.length - b.length);
  return fewest.join(", ") || "a detail";
}
