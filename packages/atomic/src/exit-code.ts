/** What a script can rely on. */
export const exitCodes = [
  { code: 0, means: "all is well; a run is done" },
  { code: 1, means: "the answer is no: a name that nobody has, a file with errors, a run that failed" },
  { code: 2, means: "the command line is wrong" },
  { code: 3, means: "atomic itself failed" },
  { code: 4, means: "the run waits for an answer, and `--no-wait` was given" },
  { code: 5, means: "the run has used up its budget" },
  { code: 6, means: "the run was cancelled" },
  { code: 7, means: "code of the workflow ended or broke the program; the run can be resumed" },
  { code: 130, means: "Ctrl-C: the run was given back, and can be resumed" },
  { code: 143, means: "the same by another signal that ends a program" },
] as const;

export type ExitCode = (typeof exitCodes)[number]["code"];
