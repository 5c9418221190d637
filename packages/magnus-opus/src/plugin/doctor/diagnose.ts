// What works and what does not, from what OpenCode has loaded and what the project has. Pure.

import { count } from "@atomic/terminal/count";
import { decide } from "@atomic/workflows/internal/permission/decide";
import type { TestCommand } from "../../evidence/test-command.ts";
import { type AgentNames, nameInOpencode } from "../../run/agent-names.ts";
import { type CommandNames, withCommands } from "../../run/command-names.ts";
import type { ChosenStack } from "../../stacks/choose-stack.ts";
import { needsOf } from "../setup/finish-config.ts";
import type { OpencodeAnswer } from "./loaded-opencode.ts";

/** `note`: it works, but you may want to know. */
export type Finding = {
  readonly area: "opencode" | "settings" | "stack" | "agents" | "models" | "mcp" | "tests" | "folders";
  readonly what: string;
} & ({ readonly status: "ok" | "note" } | { readonly status: "degraded"; readonly fix: string });

export interface DoctorFacts {
  readonly opencode: OpencodeAnswer;
  /** Our agents, as they should be, and the role of each, by their names in OpenCode. */
  readonly agents: Readonly<Record<string, ExpectedAgent>>;
  readonly roles: Readonly<Record<string, string>>;
  /** Those that have another name there, because you have an agent with theirs. */
  readonly names: AgentNames;
  readonly commands: readonly string[];
  /** Those that have another name there, because you have a command with theirs. */
  readonly commandNames: CommandNames;
  readonly tools: readonly string[];
  /** MCP servers that our settings or `.mcp.json` start. */
  readonly servers: readonly string[];
  readonly wantedModels: readonly WantedModel[];
  readonly settings: { readonly files: readonly string[]; readonly problems: readonly string[]; readonly file: string };
  readonly stack: Pick<ChosenStack, "stack" | "why" | "others">;
  readonly tests: TestCommand;
  /** What the test command needs and was not found, in words. */
  readonly missingProgram: string | undefined;
  readonly testFiles: number;
  readonly isRepository: boolean;
  /** Folders that a run writes to and cannot, with the reason. */
  readonly closedFolders: readonly string[];
}

/** A model that the settings name. */
export interface WantedModel {
  /** `agents.reviewer` */
  readonly where: string;
  readonly model: string;
  /** What happens without it. */
  readonly instead: string;
}

interface ExpectedAgent {
  readonly prompt?: string;
  readonly disable?: boolean;
}

/** The oldest version that the tests run on; older ones may work. */
const oldest = [1, 15] as const;

export function diagnose(facts: DoctorFacts): readonly Finding[] {
  const { opencode } = facts;
  return [
    ...(opencode.kind === "asked" ? loadedFindings(facts, opencode.loaded) : [unasked(opencode)]),
    ...settingsFindings(facts),
    ...testFindings(facts),
    ...facts.closedFolders.map((what) =>
      degraded("folders", what, "Make the folder writable, or run OpenCode elsewhere."),
    ),
  ];
}

function unasked(answer: Exclude<OpencodeAnswer, { kind: "asked" }>): Finding {
  switch (answer.kind) {
    case "not-asked":
      return {
        area: "opencode",
        status: "note",
        what: "OpenCode was not started, so what it loads is unknown (--static)",
      };
    case "absent":
      return degraded(
        "opencode",
        answer.because,
        "Install OpenCode with `npm install -g opencode-ai`, or name it with --opencode.",
      );
    case "silent":
      return degraded(
        "opencode",
        answer.because,
        "Start `opencode` in this folder to see what is wrong; `opencode debug config --print-logs` says more.",
      );
  }
}

type Loaded = Extract<OpencodeAnswer, { kind: "asked" }>["loaded"];

function loadedFindings(facts: DoctorFacts, loaded: Loaded): readonly Finding[] {
  const { version = "of an unknown version", tools = [], commands = [], models, mcp = {} } = loaded;
  const found: Finding[] = [];
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
    const what = `OpenCode ${version} is older than ${oldest.join(".")}, the oldest version that Magnus Opus is tested on`;
    found.push(degraded("opencode", what, "Update OpenCode: `npm install -g opencode-ai@latest`."));
  }
  const missingTools = facts.tools.filter((name) => !tools.includes(name));
  const missingCommands = facts.commands.filter((name) => !commands.some((each) => each.name === name));
  const names = new Map((loaded.agents ?? []).map((agent) => [agent.name, agent]));
  if (missingTools.length === facts.tools.length && !names.has(nameInOpencode(facts.names, "orchestrator"))) {
    const what = `OpenCode ${version} has not loaded Magnus Opus in this folder`;
    const fix =
      "Install it with `hugo install magnus-opus`; if it is installed, `hugo health magnus-opus` says why it does not load.";
    return [...found, degraded("opencode", what, fix)];
  }
  if (missingTools.length > 0 && loaded.tools !== undefined) {
    const what = `OpenCode has not loaded these tools: ${missingTools.join(", ")}`;
    found.push(
      degraded(
        "opencode",
        what,
        "Another version of the plugin may be loaded: update it with `hugo update magnus-opus`.",
      ),
    );
  }
  if (missingCommands.length > 0 && loaded.commands !== undefined) {
    const what = `OpenCode has not loaded these commands: ${missingCommands.map((name) => `/${name}`).join(", ")}`;
    found.push(
      degraded(
        "opencode",
        what,
        "Another version of the plugin may be loaded: update it with `hugo update magnus-opus`.",
      ),
    );
  }
  if (found.length === 0) {
    const parts = [
      count(facts.commands.length, "command"),
      count(facts.tools.length, "tool"),
      count(Object.keys(facts.agents).length, "agent"),
    ];
    found.push({
      area: "opencode",
      status: "ok",
      what: `OpenCode ${version} has loaded Magnus Opus: ${parts.join(", ")}`,
    });
  }
  found.push(
    ...Object.entries(facts.commandNames).map(([ours, name]) => {
      return {
        area: "opencode",
        status: "note",
        what: `you have a command /${ours}, so ours is called /${name}`,
      } as const;
    }),
  );
  found.push(...agentFindings(facts, names), ...modelFindings(facts, models));
  for (const name of facts.servers) {
    const { status, error } = mcp[name] ?? { status: "not started" };
    if (status === "connected") found.push({ area: "mcp", status: "ok", what: `the MCP server ${name} is connected` });
    else {
      const fix = /auth|registration/.test(status)
        ? `Log in: \`opencode mcp auth ${name}\`.`
        : `Check that its program and the network are available, or remove "${name}" from enabled_mcps or .mcp.json.`;
      const why = error === undefined ? "" : `: ${error}`;
      found.push(
        degraded("mcp", `the MCP server ${name} is ${status.replaceAll("_", " ")}${why}; agents work without it`, fix),
      );
    }
  }
  return found;
}

function agentFindings(
  facts: DoctorFacts,
  loaded: ReadonlyMap<string, { prompt?: string | undefined; permission: Parameters<typeof decide>[0] }>,
): readonly Finding[] {
  const found: Finding[] = Object.entries(facts.names).map(([ours, name]) => {
    return { area: "agents", status: "note", what: `you have an agent ${ours}, so ours is called ${name}` };
  });
  for (const [name, { prompt = "", disable }] of Object.entries(facts.agents)) {
    const role = facts.roles[name] ?? name;
    if (disable === true) {
      found.push({ area: "agents", status: "note", what: `the agent ${name} is disabled in the settings` });
      continue;
    }
    const agent = loaded.get(name);
    if (agent === undefined) {
      const fix = `Remove what disables it: \`agent.${name}.disable\` in opencode.json.`;
      found.push(degraded("agents", `OpenCode has no agent ${name}, so its phase cannot be done`, fix));
      continue;
    }
    if (agent.prompt?.trim() !== prompt.trim()) {
      const what = `the agent ${name} does not have our prompt: another plugin has changed it`;
      const fix = `Remove what changes \`agent.${name}\`; use agents.${role}.prompt_append in magnus-opus.json to add to its prompt.`;
      found.push(degraded("agents", what, fix));
    }
    const lacking = needsOf(role).filter((need) => decide(agent.permission, need.permission, need.pattern) === "deny");
    if (lacking.length > 0) {
      const what = `the agent ${name} may not ${lacking.map((need) => need.what).join(", ")}: your settings forbid it`;
      found.push(
        degraded(
          "agents",
          what,
          `Allow it in agents.${role}.permission in magnus-opus.json, or in \`agent.${name}\` in opencode.json.`,
        ),
      );
    }
  }
  if (!found.some(({ status }) => status === "degraded")) {
    found.push({ area: "agents", status: "ok", what: "every agent has its prompt and may do its job" });
  }
  return found;
}

function modelFindings({ wantedModels }: DoctorFacts, models: readonly string[] | undefined): readonly Finding[] {
  if (models === undefined) return [];
  if (models.length === 0) {
    return [
      degraded("models", "no provider is connected, so no agent has a model", "Connect one: `opencode auth login`."),
    ];
  }
  const missing = wantedModels.filter(({ model }) => !models.includes(model));
  const found = missing.map(({ where, model, instead }) =>
    degraded(
      "models",
      `${where} names ${model}, which is not connected; ${instead}`,
      "Connect its provider (`opencode auth login`), or name another: `opencode models` lists them.",
    ),
  );
  const providers = new Set(models.map((model) => model.split("/")[0]));
  const what = `${count(models.length, "model")} of ${count(providers.size, "provider")} connected`;
  return found.length > 0 ? found : [{ area: "models", status: "ok", what }];
}

function settingsFindings({ settings, stack, isRepository, commandNames }: DoctorFacts): readonly Finding[] {
  const found: Finding[] = settings.problems.map((problem) =>
    degraded(
      "settings",
      problem,
      `Correct it; ${withCommands("`/magnus-help config`", commandNames)} in OpenCode lists the settings.`,
    ),
  );
  const files =
    settings.files.length === 0 ? "no settings files; the defaults apply" : `settings: ${settings.files.join(", ")}`;
  if (found.length === 0) found.push({ area: "settings", status: "ok", what: files });
  const others = stack.others.length === 0 ? "" : `; ${stack.others.join(" and ")} would fit, too`;
  const isSure = stack.stack.name !== "generic" && stack.others.length === 0;
  const what = `stack: ${stack.stack.title} (${stack.stack.name}), ${stack.why}${others}`;
  found.push({ area: "stack", status: isSure ? "ok" : "note", what });
  if (!isRepository) {
    found.push({
      area: "folders",
      status: "note",
      what: "this folder is not in a git repository: all files count, except generated ones",
    });
  }
  return found;
}

function testFindings({ tests, missingProgram, testFiles }: DoctorFacts): readonly Finding[] {
  if ("unknown" in tests) {
    const [what = "", ...fix] = tests.unknown.split(/(?<=\.) /);
    return [degraded("tests", what.replace(/\.$/, ""), fix.join(" "))];
  }
  const command = tests.argv.join(" ");
  if (missingProgram !== undefined) {
    const what = `the tests are run by \`${command}\`, but ${missingProgram} was not found`;
    const [program] = tests.argv;
    // What a script of package.json names is usually a dependency that is not installed yet.
    const isDependency = /^(?:npm|pnpm|yarn|bun)$/.test(program) && missingProgram !== program;
    const install = isDependency ? `Run \`${program} install\`` : `Install ${missingProgram}`;
    return [degraded("tests", what, `${install}, or set tests.command in the settings.`)];
  }
  const from = tests.setBy === "settings" ? "the settings" : "the stack";
  const what = `tests: \`${command}\` (from ${from}), ${testFiles === 0 ? "no test files yet" : count(testFiles, "test file")}`;
  return [{ area: "tests", status: testFiles === 0 ? "note" : "ok", what }];
}

function degraded(area: Finding["area"], what: string, fix: string): Finding {
  return { area, status: "degraded", what: what.trim().replace(/\.$/, ""), fix };
}
