import { claudeQuery } from "@atomic/testing/claude";
import { modelServer } from "@atomic/testing/model-server";
import type { Project } from "@atomic/testing/project";
import type { ToolEntry } from "../../src/entities/tools/tool.ts";
import type { Line, Listing, Start } from "./listing.ts";

/** The slash list and the agents of Claude Code, started in the project or in another folder. */
export async function listedByClaude(project: Project, { cwd = project.dir, env = {} }: Start = {}): Promise<Listing> {
  await using model = await modelServer();
  model.expect("hello").reply("hello");
  await using claude = await claudeQuery(project, model, "hello", { sdk: { cwd }, env: { PWD: cwd, ...env } });
  const commands = await claude.supportedCommands();
  const agents = await claude.supportedAgents();
  await claude.answer();
  return [
    ...commands.map((command): Line => {
      const { aliases = [] } = command as { readonly aliases?: readonly string[] };
      const { name, description, argumentHint: hint } = command;
      return { type: "slash", name, description, hint, aliases };
    }),
    ...agents.map(({ name, description }): Line => ({ type: "agent", name, description, hint: "" })),
  ];
}

/** The same entry, as our view has it. Claude Code itself adds where a file comes from, and escapes tags. */
export function claudeLines(entry: ToolEntry): Listing {
  const { type, name, description, argumentHint: hint = "", aliases, userInvocable, entity } = entry;
  if (type === "agent") return [{ type, name, description, hint: "" }];
  if (!userInvocable) return [];
  const escaped = description.replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return [{ type: "slash", name, description: `${escaped} (${entity.source.location})`, hint, aliases }];
}
