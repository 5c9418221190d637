import type { Diagnostic } from "@atomic/workflows/internal/entities/diagnostic";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import type { Registered } from "../../opencode/registered.ts";
import { type ContentType, usualPath } from "../../packages/manifest/content.ts";
import { type HealthFinding, problem } from "./finding.ts";

type Names = Pick<LockedWorkflow, "agents" | "commands" | "skills" | "selection">;

/**
 * What a workflow lists and OpenCode does not have; the reason, if its file shows one.
 *
 * @param absent Files of which it is known that they are not there.
 */
export function registeredFindings(
  names: Names,
  registered: Registered,
  { diagnostics, absent }: { readonly diagnostics: readonly Diagnostic[]; readonly absent: ReadonlySet<string> },
): HealthFinding[] {
  const missing = missingNames(names, registered).filter(([type, name]) => !absent.has(fileOf(type, name)));
  return missing.map(([type, name]) => {
    const file = fileOf(type, name);
    const reason = diagnostics.find(({ severity, path }) => severity === "error" && path?.endsWith(file));
    const message = `The ${type} "${name}" is listed, but OpenCode does not have it`;
    if (reason === undefined)
      return problem("not-registered", message, "Tell the workflow's author: `hugo build --check` shows it.");
    const place = [file, reason.line, reason.column].filter((part) => part !== undefined).join(":");
    return problem(
      "not-registered",
      `${message}: ${place} ${reason.message}`,
      reason.hint ?? "Tell the workflow's author.",
    );
  });
}

function fileOf(type: ContentType, name: string): string {
  return type === "skill" ? `${usualPath(type, name)}/SKILL.md` : usualPath(type, name);
}

function missingNames({ agents, commands, skills, selection }: Names, registered: Registered): [ContentType, string][] {
  const isWanted = (type: ContentType, name: string): boolean =>
    selection === undefined || selection.includes(`${type}s/${name}`);
  const missing = (
    type: ContentType,
    names: readonly string[],
    present: ReadonlyMap<string, unknown>,
  ): [ContentType, string][] =>
    names.filter((name) => isWanted(type, name) && !present.has(name)).map((name) => [type, name]);
  return [
    ...missing("agent", agents, registered.agents),
    ...missing("command", commands, registered.commands),
    ...missing("skill", skills, registered.skills),
  ];
}
