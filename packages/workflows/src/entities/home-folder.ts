/** As `homedir()` of `node:os`, which Bun takes two milliseconds to import and which is seldom needed to know it. */
export function homeFolder(): string {
  const { HOME } = process.env;
  return HOME && process.platform !== "win32" ? HOME : process.getBuiltinModule("node:os").homedir();
}
