/** What scripts can rely on, in hugo, atomic and magnus-opus alike. docs/reference/command-line.md repeats this table. */
export const exitCodes = [
  { code: 0, means: "done, or nothing to do" },
  { code: 1, means: "the result is negative: a failed check, a failed run or an unknown name" },
  { code: 2, means: "the command line or a variable is invalid, or no command was given" },
  { code: 3, means: "refused for safety; nothing was changed" },
  { code: 4, means: "waiting for you: an approval or an answer is needed" },
  { code: 5, means: "the run's budget is used up" },
  { code: 6, means: "something is unavailable: the network, a program or a login" },
  { code: 7, means: "the workflow's own code ended the program; the run can be resumed" },
  { code: 8, means: "the run was cancelled" },
  { code: 70, means: "internal error: a bug in the program" },
  { code: 129, means: "the terminal window was closed (SIGHUP)" },
  { code: 130, means: "stopped with Ctrl-C (SIGINT)" },
  { code: 143, means: "stopped by SIGTERM" },
] as const;

export type ExitCode = (typeof exitCodes)[number]["code"];

const onlyOfRuns: readonly ExitCode[] = [5, 7, 8];

/** What a program's help lists. */
export function exitCodesOf({
  runsWorkflows = false,
}: {
  readonly runsWorkflows?: boolean;
}): readonly (typeof exitCodes)[number][] {
  return exitCodes.filter(({ code }) => runsWorkflows || !onlyOfRuns.includes(code));
}

/** The signals that ask a program to end. */
export type Interrupt = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Shells report a program that a signal has ended as 128 plus the signal's number. */
export const signalCodes: Readonly<Record<Interrupt, ExitCode>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
