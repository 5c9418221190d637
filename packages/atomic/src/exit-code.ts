/** What a script can rely on. */
export const exitCodes = [
  { code: 0, means: "all is well" },
  { code: 1, means: "the answer is no: a name that nobody has, a file with errors" },
  { code: 2, means: "the command line is wrong" },
  { code: 3, means: "atomic itself failed" },
] as const;

export type ExitCode = (typeof exitCodes)[number]["code"];
