import { refuseAgent } from "@atomic/terminal/agent-at-keyboard";
import type { Console } from "@atomic/terminal/console";
import { progressLine } from "@atomic/terminal/progress-line";
import { askYesNo, canAsk } from "@atomic/terminal/questions";
import { safeLine } from "@atomic/terminal/safe-text";
import { shellLine } from "@atomic/terminal/shell-words";
import type { User } from "../../context.ts";

export interface TerminalUser extends User {
  /** Removes the progress line. Call it before anything else is written. */
  quiet(): void;
}

/** The user at the terminal, if there is one. Everything here goes to stderr: stdout is only for the answer. */
export function terminalUser(
  { stdin, stderr, env, clock, caller }: Pick<Console, "stdin" | "stderr" | "env" | "clock" | "caller">,
  signal: AbortSignal,
  isSilent = false,
): TerminalUser {
  const unapproved = caller.commandLine.flatMap((word) => {
    if (/^(?:--yes(?:=.*)?|-y)$/.test(word)) return [];
    return /^-\w+$/.test(word) ? word.replace("y", "") : word; // among others: `-gy`
  });
  const progress = progressLine({ stderr, clock, canRedraw: stderr.isTTY && env.TERM !== "dumb", isSilent });
  return {
    isPresent: canAsk({ stdin, stderr }),
    approve: async (request) => {
      progress.end();
      if (!canAsk({ stdin, stderr })) return "nobody";
      const { formatApproval, isSummed } = await import("./capabilities.ts");
      stderr.write(formatApproval(request, stderr));
      const details = (): void => void stderr.write(formatApproval({ ...request, isDetailed: true }, stderr));
      const hasMore = request.isDetailed !== true && isSummed(request);
      const isApproved = await askYesNo({ stdin, stderr }, "Go ahead?", signal, hasMore ? details : undefined);
      return isApproved ? "approved" : "declined";
    },
    choose: async (choice) => {
      progress.end();
      if (!canAsk({ stdin, stderr })) return "nobody";
      if (env.TERM !== "dumb" && stdin.listen !== undefined) {
        const { pick } = await import("@atomic/terminal/pick");
        return (await pick({ stdin, stderr, clock }, choice, signal)) ?? "cancelled";
      }
      stderr.write(`${safeLine(choice.title)}\n`);
      const typed = await stdin.ask("Names or patterns, separated by commas: ", stderr, signal);
      const words = (typed ?? "").split(",").map((word) => word.trim());
      const named = words.filter((word) => word !== "");
      return named.length === 0 ? "cancelled" : named;
    },
    show: async (request) => {
      if (isSilent) return;
      progress.end();
      const { formatApproval, summaryHint } = await import("./capabilities.ts");
      stderr.write(formatApproval(request, stderr) + summaryHint(request, stderr));
    },
    again: (option) => {
      const end = unapproved.indexOf("--");
      return shellLine(end === -1 ? [...unapproved, option] : unapproved.toSpliced(end, 0, option));
    },
    // You should read the report first, so the suggested command does not agree in advance.
    refuseAgent: (what) => refuseAgent({ ...caller, commandLine: unapproved }, what),
    progress: (step) => progress.step(step),
    quiet: () => progress.end(),
  };
}
