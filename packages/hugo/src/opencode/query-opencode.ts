import type { Context } from "../context.ts";
import { askOpencode, findOpencode, type Opencode } from "./opencode.ts";
import { failedHooks, failedPlugins } from "./opencode-log.ts";
import { type Registered, readConfigAnswer, readSkillAnswer } from "./registered.ts";

/** What OpenCode said when it was asked. */
export interface OpencodeAnswers {
  readonly opencode: Opencode;
  readonly registered: Registered & { readonly skillPaths: readonly string[] };
  /** Why plugins failed, by how they stand in the config. */
  readonly failed: ReadonlyMap<string, string>;
  /** What went wrong in plugins, of which OpenCode does not say whose. */
  readonly failedHooks: readonly string[];
}

export type OpencodeQuery =
  | { readonly kind: "asked"; readonly answers: OpencodeAnswers }
  /** OpenCode is not installed. */
  | { readonly kind: "absent" }
  /** It was started and gave no answer: most often it does not start at all. */
  | { readonly kind: "silent"; readonly because: string };

/** Starts the OpenCode of this machine, as the user does, and asks what it has; about skills only if there are any. */
export async function queryOpencode(
  context: Context,
  { cwd, withSkills }: { readonly cwd: string; readonly withSkills: boolean },
): Promise<OpencodeQuery> {
  const opencode = findOpencode(context, cwd);
  if (opencode === undefined) return { kind: "absent" };
  context.person.progress("Asking OpenCode what it has loaded");
  const config = await askOpencode(opencode, ["config"]);
  if (config.kind === "silent") return config;
  // One after the other: two that start for the first time lock each other out of their database.
  const skill = withSkills ? await askOpencode(opencode, ["skill"]) : undefined;
  if (skill?.kind === "silent") return skill;
  const registered = { ...readConfigAnswer(config.value), skills: readSkillAnswer(skill?.value) };
  const failed = failedPlugins(config.errors);
  return { kind: "asked", answers: { opencode, registered, failed, failedHooks: failedHooks(config.errors) } };
}
