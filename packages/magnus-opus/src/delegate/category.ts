// What a category of work means: which agent does it, on which model, with which skills.
import type { Category, Config } from "../config/schema.ts";
import { lookUp } from "../run/state.ts";

/** Known without any settings; `categories` in the settings adds to them and changes them. */
const builtin: Readonly<Record<string, Partial<Category>>> = {
  visual: { agent: "designer" },
  "business-logic": { agent: "backend" },
};

export function categoryNames({ categories = {} }: Pick<Config, "categories">): readonly string[] {
  return [...new Set([...Object.keys(builtin), ...Object.keys(categories)])];
}

/** Undefined if there is no such category. */
export function categoryOf(
  { categories = {} }: Pick<Config, "categories">,
  name: string,
): Partial<Category> | undefined {
  const [ours, yours] = [lookUp(builtin, name), lookUp(categories, name)];
  return ours === undefined && yours === undefined ? undefined : { ...ours, ...yours };
}

/** The agent that a delegation asks for; undefined if it names none, or two. */
export function delegatedAgent(config: Pick<Config, "categories">, args: unknown): string | undefined {
  if (typeof args !== "object" || args === null) return undefined;
  const { agent, subagent_type: type = agent, category } = args as Record<string, unknown>;
  if (typeof type === "string") return category === undefined || category === null ? type : undefined;
  return typeof category === "string" ? categoryOf(config, category)?.agent : undefined;
}
