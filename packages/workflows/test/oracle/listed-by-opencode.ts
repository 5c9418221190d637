import type { Project } from "@atomic/testing/project";
import type { ToolEntry } from "../../src/entities/tools/tool.ts";
import { type Line, type Listing, pathIn } from "./listing.ts";

interface Info {
  readonly name: string;
  readonly description?: string | null;
  readonly source?: string;
  readonly location?: string;
}

export type OpencodeAnswer =
  | { readonly kind: "listing"; readonly lines: Listing }
  /** The server answers no question about this folder. */
  | { readonly kind: "failed"; readonly error: string };

/** The agents, commands and skills that a running OpenCode lists for a folder. */
export async function listedByOpencode(url: string, project: Project, directory: string): Promise<OpencodeAnswer> {
  const lists: Info[][] = [];
  for (const path of ["agent", "command", "skill"]) {
    const response = await fetch(`${url}/${path}?directory=${encodeURIComponent(directory)}`);
    const text = await response.text();
    if (!response.ok) return { kind: "failed", error: text };
    lists.push(JSON.parse(text) as Info[]);
  }
  const [agents = [], commands = [], skills = []] = lists;
  const line = (type: Line["type"], { name, description, location }: Info): Line => ({
    type,
    name,
    description: description ?? "",
    hint: "",
    ...(location !== undefined && { file: pathIn(project, location) }),
  });
  return {
    kind: "listing",
    lines: [
      ...agents.map((agent) => line("agent", agent)),
      ...commands.flatMap((command) => (command.source === "command" ? line("command", command) : [])),
      ...skills.map((skill) => line("skill", skill)),
    ],
  };
}

export function opencodeLines({ type, name, description, entity }: ToolEntry, project: Project): Listing {
  const file = type === "skill" ? { file: pathIn(project, entity.source.path ?? "") } : {};
  return [{ type, name, description, hint: "", ...file }];
}
