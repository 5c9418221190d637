/** What OpenCode has, by name. */
export interface Registered {
  readonly agents: ReadonlyMap<string, Values>;
  readonly commands: ReadonlyMap<string, Values>;
  /** Path of each SKILL.md. */
  readonly skills: ReadonlyMap<string, string>;
}

export type Values = Readonly<Record<string, unknown>>;

/** OpenCode 1.18 brings it along; it lies in no file. */
const BUILTIN_SKILL = "customize-opencode";

/** What `opencode debug config` says. */
export function readConfigAnswer(
  answer: unknown,
): Omit<Registered, "skills"> & { readonly skillPaths: readonly string[] } {
  const { agent, command, skills } = isRecord(answer) ? answer : {};
  const paths = isRecord(skills) && Array.isArray(skills.paths) ? skills.paths : [];
  return {
    agents: byName(agent),
    commands: byName(command),
    skillPaths: paths.filter((path): path is string => typeof path === "string"),
  };
}

/** What `opencode debug skill` says. */
export function readSkillAnswer(answer: unknown): ReadonlyMap<string, string> {
  const skills = Array.isArray(answer) ? answer.filter(isRecord) : [];
  const found = skills.flatMap(({ name, location }): [string, string][] =>
    typeof name === "string" && typeof location === "string" && name !== BUILTIN_SKILL ? [[name, location]] : [],
  );
  return new Map(found);
}

function byName(value: unknown): ReadonlyMap<string, Values> {
  if (!isRecord(value)) return new Map();
  return new Map(Object.entries(value).filter((entry): entry is [string, Values] => isRecord(entry[1])));
}

export function isRecord(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
