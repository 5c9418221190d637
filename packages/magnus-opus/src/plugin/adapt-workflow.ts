// The package's Markdown with a person's settings: what OpenCode is given.
import { join } from "node:path";
import type { Diagnostic } from "@atomic/workflows/diagnostic";
import type { Workflow } from "@atomic/workflows/plugin/read-workflow";
import type { Config } from "../config/schema.ts";
import { withReviewers } from "../delegate/reviewers.ts";
import { packageRoot } from "../package-root.ts";
import { configureAgents } from "./agents/configure-agents.ts";
import { skillTexts } from "./agents/skill-texts.ts";
import { withApprovalRule } from "./approval/approval-rule.ts";
import { claimed } from "./commands/commands.ts";
import type { Magnus } from "./live/magnus.ts";
import { strangePhases } from "./live/run-options-of.ts";
import type { Settings } from "./live/settings.ts";
import { builtinServers } from "./mcp/builtin-servers.ts";
import { mcpJsonServers } from "./mcp/mcp-json.ts";

export function adaptWorkflow(workflow: Workflow, { settings, workplace }: Magnus): Workflow {
  const { config } = settings;
  const configured = configureAgents(
    withApprovalRule(workflow.agents, config),
    config,
    skillTexts(skillFolders(settings)),
  );
  const { agents, roles, quorum } = withReviewers(configured.agents, config);
  const builtin = builtinServers(config, process.env);
  const files = [join(settings.userFolder, ".mcp.json"), ...mcpFiles(workplace)];
  const own = mcpJsonServers(files, process.env, config.disabled_mcps);
  const servers = [...builtin.problems, ...own.problems];
  settings.agents = agents;
  settings.roles = roles;
  settings.quorum = quorum;
  settings.parameters = { ...configured.parameters, ...parametersByRole(roles, configured.parameters) };
  const skills = workflow.skills.filter(({ name }) => !config.disabled_skills?.includes(name));
  settings.skills = skills.map(({ name }) => name);
  settings.problems = [
    ...settings.problems,
    ...configured.problems,
    ...servers.map(({ server, at, message }) =>
      [at, server && `MCP server "${server}":`, message].filter(Boolean).join(" "),
    ),
    ...strangePhases(config).map((name) => `budget.phases names "${name}", which is no phase.`),
    ...strangeHooks(config).map(
      (name) => `disabled_hooks names "${name}"; only ${optionalHooks.join(", ")} can be switched off.`,
    ),
  ];
  return {
    ...workflow,
    agents,
    commands: { ...workflow.commands, ...claimedCommands(workflow.commands, config) },
    skills,
    mcp: { ...own.servers, ...builtin.servers },
    diagnostics: [...workflow.diagnostics, ...settings.problems.map(diagnostic)],
  };
}

/** An agent under another name is asked in the same way as the one whose role it has. */
function parametersByRole(roles: Settings["roles"], parameters: Settings["parameters"]): Settings["parameters"] {
  return Object.fromEntries(Object.entries(roles).map(([name, role]) => [name, parameters[role] ?? {}]));
}

/** Hooks that only add; those that hold a run together stay. */
const optionalHooks = ["models", "parameters"];

function strangeHooks({ disabled_hooks = [] }: Config): readonly string[] {
  return disabled_hooks.filter((name) => !optionalHooks.includes(name));
}

function skillFolders({ projectFolder, userFolder }: Settings): readonly string[] {
  const own = [projectFolder, userFolder].flatMap((folder) => [join(folder, "skills"), join(folder, "skill")]);
  return [...own, join(packageRoot, "skills")];
}

function mcpFiles({ worktree, directory }: Magnus["workplace"]): readonly string[] {
  return [...new Set([join(worktree, ".mcp.json"), join(directory, ".mcp.json")])];
}

function claimedCommands(commands: Workflow["commands"], { claim_builtin_commands }: Config): Workflow["commands"] {
  if (claim_builtin_commands !== true) return {};
  return Object.fromEntries(
    Object.entries(claimed).flatMap(([short, name]) => (commands[name] ? [[short, commands[name]]] : [])),
  );
}

function diagnostic(message: string): Diagnostic {
  return { severity: "error", code: "setting-left-out", message, hint: "See `/magnus-help config`." };
}
