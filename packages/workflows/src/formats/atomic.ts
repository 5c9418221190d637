import { recoverLikeClaude } from "../frontmatter/recover.ts";
import { agentTools, commandName, distinct, skillTools } from "./claude.ts";
import { type Format, inBoth } from "./format.ts";
import { givenName, readMarkdown, skillFolderOf, stemOf } from "./markdown.ts";
import { readWorkflowFile } from "./workflow-file.ts";

const provider = "atomic";
const shared = { provider, recover: recoverLikeClaude } as const;
const readWorkflow = readWorkflowFile(provider);

/** Atomic's own: `.atomic/{commands,skills,agents,workflows}`, written as for Claude, so that files can move over. */
export const atomic: Format = {
  provider,
  places: [
    ...inBoth({
      path: ".atomic/skills",
      type: "skill",
      pattern: "**/SKILL.md",
      read: readMarkdown({
        ...shared,
        type: "skill",
        names: ({ relative }, values) => distinct(givenName(values), skillFolderOf(relative)),
        tools: skillTools,
      }),
    }),
    ...inBoth({
      path: ".atomic/commands",
      type: "command",
      pattern: "**/*.md",
      read: readMarkdown({
        ...shared,
        type: "command",
        names: ({ relative }) => [commandName(relative)],
        tools: skillTools,
      }),
    }),
    ...inBoth({
      path: ".atomic/agents",
      type: "agent",
      pattern: "**/*.md",
      read: readMarkdown({
        ...shared,
        type: "agent",
        names: ({ relative }, values) => [givenName(values) ?? stemOf(relative)],
        tools: agentTools,
      }),
    }),
    ...inBoth({ path: ".atomic/workflows", type: "workflow", pattern: "*.ts", read: readWorkflow }),
    ...inBoth({ path: ".atomic/workflows", type: "workflow", pattern: "*.js", read: readWorkflow }),
  ],
};
