const unusedIfBlank: ReadonlySet<string> = new Set(["category", "subagent_type", "resume", "task_id", "detail"]);

/** The arguments of a delegation without those that say nothing: models send empty texts for what they do not use. */
export function withoutBlanks(args: unknown): unknown {
  if (typeof args !== "object" || args === null) return args;
  const isUnused = ([key, value]: readonly [string, unknown]): boolean =>
    unusedIfBlank.has(key) && typeof value === "string" && value.trim() === "";
  return Object.fromEntries(Object.entries(args).filter((entry) => !isUnused(entry)));
}
