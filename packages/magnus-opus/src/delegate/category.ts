// What a category of work means: which agent does it, on which model, with which skills.
import type { Category, Config } from "../config/schema.ts";
import { type AgentNames, nameInOpencode } from "../run/agent-names.ts";
import { lookUp } from "../run/state.ts";

/** Known without any settings; `categories` in the settings adds to them and changes them. */
const builtin: Readonly<Record<string, Partial<Category>>> = {
  visual: { agent: "designer" },
  "business-logic": { agent: "backend" },
};

export function categoryNames({ categories = {} }: Pick<Config, "categories">): readonly string[] {
  return [...new Set([...Object.keys(builtin), ...Object.keys(categories)])];
}

/** `config`, and what OpenCode calls our agents. An agent that `categories` names is OpenCode's agent of that name. */
interface CategorySettings {
  readonly config: Pick<Config, "categories">;
  readonly names: AgentNames;
}

/** Undefined if there is no such category. */
export function categoryOf(
  { config: { categories = {} }, names }: CategorySettings,
  name: string,
): Partial<Category> | undefined {
  const [ours, yours] = [lookUp(builtin, name), lookUp(categories, name)];
  if (ours === undefined && yours === undefined) return undefined;
  return { ...ours, ...(ours?.agent !== undefined && { agent: nameInOpencode(names, ours.agent) }), ...yours };
}

/** The agent that a delegation asks for; undefined if it names none, or two. */
export function delegatedAgent(settings: CategorySettings, args: unknown): string | undefined {
  if (typeof args !== "object" || args === null) return undefined;
  const { agent, subagent_type: type = agent, category } = args as Record<string, unknown>;
  if (typeof type === "string") return category === undefined || category === null ? type : undefined;
  return typeof category === "string" ? categoryOf(settings, category)?.agent : undefined;
}
