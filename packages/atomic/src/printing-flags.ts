/** With one of these, `atomic run` only prints something and starts no run. */
export const printingFlags: readonly string[] = ["--help", "-h", "--dry-run"];
