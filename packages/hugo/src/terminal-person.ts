import { refuseAgent } from "@atomic/terminal/agent-at-keyboard";
import type { Console, Keyboard, Output } from "./cli/console.ts";
import type { Person } from "./context.ts";
import { progressLine } from "./terminal-person/progress-line.ts";

export interface TerminalPerson extends Person {
  /** Takes away what says that something is going on. To be called before anything else is written. */
  quiet(): void;
}

/** Whoever sits at the terminal, if it is one. All that is said here goes to stderr: stdout is for the answer alone. */
export function terminalPerson(
  { stdin, stderr, env, clock, caller }: Pick<Console, "stdin" | "stderr" | "env" | "clock" | "caller">,
  signal: AbortSignal,
): TerminalPerson {
  const progress = progressLine({ stderr, clock, canRedraw: stderr.isTTY && env.TERM !== "dumb" });
  return {
    approve: async (request) => {
      progress.end();
      // Somebody who would see the question but cannot answer, or the other way round, is as good as nobody.
      if (!stdin.isTTY || !stderr.isTTY) return "nobody";
      const { formatApproval } = await import("./report/approval.ts");
      stderr.write(formatApproval(request, stderr));
      return (await agrees({ stdin, stderr }, signal)) ? "approved" : "declined";
    },
    refuseAgent: (what) => {
      // The person is to read the report, so the command that they are told does not agree in advance.
      const commandLine = caller.commandLine.filter((word) => word !== "--yes" && word !== "-y");
      refuseAgent({ ...caller, commandLine }, what);
    },
    progress: (step) => progress.step(step),
    quiet: () => progress.end(),
  };
}

async function agrees(
  { stdin, stderr }: { readonly stdin: Keyboard; readonly stderr: Output },
  signal: AbortSignal,
): Promise<boolean> {
  stdin.forgetTyped();
  stderr.write("Go ahead? [y/N] ");
  const answer = await stdin.readLine(signal);
  // Whoever ends a line has moved the cursor; whoever ends the program has not.
  if (answer === undefined) stderr.write("\n");
  return /^\s*y(es)?\s*$/i.test(answer ?? "");
}
