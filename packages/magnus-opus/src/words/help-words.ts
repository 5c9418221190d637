import { didYouMean } from "@atomic/terminal/suggest";
import type { AgentConfig } from "@atomic/workflows/internal/plugin/opencode-config";
import { type AgentNames, withNames } from "../run/agent-names.ts";
import { type CommandNames, withCommands } from "../run/command-names.ts";
import { isShellOffered } from "../run/person-commands.ts";
import type { Stack } from "../stacks/stack.ts";
import { fill, list, say, words } from "./template.ts";

/** Agents that cannot do their job: by name, what is wrong and what a person can do. */
export type UnableAgents = Readonly<Record<string, string>>;

export interface HelpFacts {
  readonly agents: Readonly<Record<string, AgentConfig>>;
  readonly names: AgentNames;
  readonly commandNames: CommandNames;
  readonly files: readonly string[];
  readonly problems: readonly string[];
  readonly unable: UnableAgents;
  readonly stack: { readonly stack: Pick<Stack, "name" | "title">; readonly why: string };
  readonly userFile: string;
  readonly projectFile: string;
  readonly schemaFile: string;
}

const topics: Readonly<Record<string, (facts: HelpFacts) => string>> = {
  commands: ({ commandNames }) =>
    fill(withCommands(words("help/commands"), commandNames), {
      renamed: Object.entries(commandNames)
        .map(([ours, name]) => say("renamed-command", { ours, name }))
        .join(" "),
      shell: say(isShellOffered() ? "help/shell" : "help/no-shell"),
    }),
  agents: ({ agents, names }) => {
    const rows = Object.entries(agents).map(([name, { description = "", model, disable }]) => {
      const about = `${description}${disable === true ? " (switched off)" : ""}`;
      return `| \`${name}\` | ${about} | ${model ?? "the session's"} |`;
    });
    const renamed = Object.entries(names).map(([ours, name]) => say("renamed", { ours, name }));
    return say("help/agents", { agents: rows.join("\n"), renamed: renamed.join(" ") });
  },
  workflows: ({ names, commandNames }) => withNames(withCommands(words("help/workflows"), commandNames), names),
  config: ({ files, problems, unable, stack, userFile, projectFile, schemaFile }) =>
    say("help/config", {
      user: userFile,
      stack: `${stack.stack.title} (\`${stack.stack.name}\`), ${stack.why}`,
      project: projectFile,
      schema: schemaFile,
      files: files.length === 0 ? "none; the defaults apply" : files.join(", "),
      problems: problems.length === 0 ? "" : say("help/problems", { problems: list(problems) }),
      unable: unableWords(unable),
    }),
};

/** Help about one topic, or about all. */
export function helpWords(topic: string, facts: HelpFacts): string {
  const name = topic.trim().toLowerCase();
  if (name === "" || name === "all") {
    return ["# Magnus Opus", ...Object.values(topics).map((words) => words(facts))].join("\n\n");
  }
  if (Object.hasOwn(topics, name)) return topics[name]!(facts);
  const [best] = didYouMean(name, Object.keys(topics));
  const hint = best === undefined ? `Topics are ${Object.keys(topics).join(", ")}.` : `Did you mean ${best}?`;
  return `There is no help for "${name}". ${hint}`;
}

/** Empty if all agents can do their job. */
export function unableWords(unable: UnableAgents): string {
  const all = Object.values(unable);
  return all.length === 0 ? "" : say("unable", { agents: list(all) });
}
