/** A line that OpenCode wrote into its log, by key. */
export type LogLine = ReadonlyMap<string, string>;

const PAIR = /([\w.-]+)=("(?:[^"\\]|\\.)*"|\S*)/g;

/** The errors among the lines of a log. */
export function errorsIn(log: string): LogLine[] {
  return log
    .split("\n")
    .map((line): LogLine => new Map([...line.matchAll(PAIR)].map(([, key = "", value = ""]) => [key, unquoted(value)])))
    .filter((line) => line.get("level") === "ERROR");
}

function unquoted(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    return String(JSON.parse(value));
  } catch (error) {
    if (error instanceof SyntaxError) return value.slice(1, -1);
    throw error;
  }
}

/** Why OpenCode gave up on a plugin, by how it stands in the config; of most failures it writes nothing. */
export function failedPlugins(errors: readonly LogLine[]): ReadonlyMap<string, string> {
  const failed = errors.filter((line) => line.get("message") === "failed to load plugin");
  return new Map(failed.map((line) => [line.get("path") ?? "", line.get("error") ?? "it does not say why"]));
}

/** What went wrong in `config` hooks. OpenCode does not say in whose. */
export function failedHooks(errors: readonly LogLine[]): string[] {
  const failed = errors.filter((line) => line.get("message") === "plugin config hook failed");
  return failed.map((line) => line.get("error") ?? "");
}
