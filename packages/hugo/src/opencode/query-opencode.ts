import type { Context } from "../context.ts";
import { askOpencode, failedHooks, failedPlugins, findOpencode, type Opencode } from "./opencode.ts";

export interface OpencodeAnswers {
  readonly opencode: Opencode;
  readonly registered: Registered & { readonly skillPaths: readonly string[] };
  /** Why plugins failed, by their config entry. */
  readonly failed: ReadonlyMap<string, string>;
  /** Errors in plugin hooks; OpenCode does not say whose. */
  readonly failedHooks: readonly string[];
}

export type OpencodeQuery =
  | { readonly kind: "asked"; readonly answers: OpencodeAnswers }
  /** OpenCode is not installed. */
  | { readonly kind: "absent" }
  /** It gave no answer; usually it does not start at all. */
  | { readonly kind: "silent"; readonly because: string };

/** Starts this machine's OpenCode, as the user does, and asks what it has loaded. */
export async function queryOpencode(
  context: Context,
  { cwd, withSkills }: { readonly cwd: string; readonly withSkills: boolean },
): Promise<OpencodeQuery> {
  const opencode = findOpencode(context, cwd);
  if (opencode === undefined) return { kind: "absent" };
  context.user.progress("Asking OpenCode what it has loaded");
  const config = await askOpencode(opencode, ["config"]);
  if (config.kind === "silent") return config;
  // One after the other: two that start for the first time lock each other out of the database.
  const skill = withSkills ? await askOpencode(opencode, ["skill"]) : undefined;
  if (skill?.kind === "silent") return skill;
  const registered = { ...readConfigAnswer(config.value), skills: readSkillAnswer(skill?.value) };
  const failed = failedPlugins(config.errors);
  return { kind: "asked", answers: { opencode, registered, failed, failedHooks: failedHooks(config.errors) } };
}

/** What OpenCode has, by name. */
export interface Registered {
  readonly agents: ReadonlyMap<string, UnknownRecord>;
  readonly commands: ReadonlyMap<string, UnknownRecord>;
  /** Path of each SKILL.md. */
  readonly skills: ReadonlyMap<string, string>;
}

export type UnknownRecord = Readonly<Record<string, unknown>>;

/** Built into OpenCode 1.18, without a file. */
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

function byName(value: unknown): ReadonlyMap<string, UnknownRecord> {
  if (!isRecord(value)) return new Map();
  return new Map(Object.entries(value).filter((entry): entry is [string, UnknownRecord] => isRecord(entry[1])));
}

export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
