// The package's Markdown with the user's settings, as passed to OpenCode.
import { join } from "node:path";
import type { Workflow } from "@atomic/workflows/internal/plugin/read-workflow";
import { withReviewers } from "../../delegate/reviewers.ts";
import { packageRoot } from "../../package-root.ts";
import { turnHookNames } from "../../turn/hook-names.ts";
import { withApprovalRule } from "../approval/approval-rule.ts";
import type { Magnus } from "../live/magnus.ts";
import { unknownPhases, unreachedQuorum } from "../live/run-options-of.ts";
import { configureAgents, skillTexts } from "./configure-agents.ts";
import { builtinServers, mcpJsonServers } from "./mcp-servers.ts";
import { claimedCommands } from "./name-commands.ts";
import { withReadOnlyShell } from "./read-only-shell-rule.ts";

/** Only these hooks can be disabled; a run needs the others. */
const optionalHooks: readonly string[] = ["models", "parameters", ...turnHookNames];

export function adaptWorkflow(
  workflow: Workflow,
  { settings, workplace }: Pick<Magnus, "settings" | "workplace">,
): Workflow {
  const { config, projectFolder, userFolder } = settings;
  const skillFolders = [projectFolder, userFolder].flatMap((folder) => [join(folder, "skills"), join(folder, "skill")]);
  const { stack, known } = settings.stack;
  const skillsByName = skillTexts([...skillFolders, join(stack.folder, "skills"), join(packageRoot, "skills")]);
  const configured = configureAgents(
    withApprovalRule(withReadOnlyShell(workflow.agents), config),
    config,
    skillsByName,
    stack,
  );
  const reviewing = withReviewers(configured.agents, config);
  const { roles } = reviewing;
  // Skills of other stacks would only distract. They are registered, because workflow.json lists them, but hidden.
  const wanted = new Set([
    ...Object.values(stack.skills).flat(),
    ...Object.values(config.agents ?? {}).flatMap((agent) => agent.skills ?? []),
  ]);
  const ofStacks = known.flatMap((each) => Object.values(each.skills).flat());
  const agents = withoutSkills(
    reviewing.agents,
    ofStacks.filter((name) => !wanted.has(name)),
  );
  const builtin = builtinServers(config, process.env);
  const folders = new Set([userFolder, workplace.worktree, workplace.directory, projectFolder]);
  const files = [...folders].map((folder) => join(folder, ".mcp.json"));
  const own = mcpJsonServers(files, process.env, config.disabled_mcps);
  settings.agents = agents;
  settings.roles = roles;
  // An agent with another name gets the same parameters as its role.
  const byRole = Object.entries(roles).map(([name, role]) => [name, configured.parameters[role] ?? {}] as const);
  settings.parameters = { ...configured.parameters, ...Object.fromEntries(byRole) };
  const skills = workflow.skills.filter(({ name }) => !config.disabled_skills?.includes(name));
  settings.skills = skills.map(({ name }) => name);
  const strangeHooks = (config.disabled_hooks ?? []).filter((name) => !optionalHooks.includes(name));
  settings.problems = [
    ...settings.problems,
    ...configured.problems,
    ...[...builtin.problems, ...own.problems].map(({ server, at, message }) =>
      [at, server && `MCP server "${server}":`, message].filter(Boolean).join(" "),
    ),
    ...unreachedQuorum(config, roles),
    ...unknownPhases(config).map((name) => `budget.phases names "${name}", which is not a phase.`),
    ...strangeHooks.map((name) => `disabled_hooks names "${name}"; only ${optionalHooks.join(", ")} can be disabled.`),
  ];
  const { commands } = workflow;
  const short = config.claim_builtin_commands === true ? Object.entries(claimedCommands) : [];
  return {
    ...workflow,
    agents,
    commands: {
      ...commands,
      ...Object.fromEntries(short.flatMap(([name, full]) => (commands[full] ? [[name, commands[full]]] : []))),
    },
    skills,
    mcp: { ...own.servers, ...builtin.servers },
    diagnostics: [
      ...workflow.diagnostics,
      ...settings.problems.map(
        (message) =>
          ({ severity: "error", code: "setting-left-out", message, hint: "See `/magnus-help config`." }) as const,
      ),
    ],
  };
}

/** Agents that may load any skill may not load these. */
function withoutSkills(agents: Workflow["agents"], names: readonly string[]): Workflow["agents"] {
  const denied = Object.fromEntries(names.map((name) => [name, "deny"] as const));
  return Object.fromEntries(
    Object.entries(agents).map(([name, agent]) => {
      const skill = agent.permission?.skill;
      if (skill === undefined || names.length === 0) return [name, agent];
      const rules = typeof skill === "string" ? { "*": skill } : skill;
      // Your own rules about a skill come last, and win.
      const all = { ...(rules["*"] && { "*": rules["*"] }), ...denied, ...rules };
      return [name, { ...agent, permission: { ...agent.permission, skill: all } }];
    }),
  );
}
