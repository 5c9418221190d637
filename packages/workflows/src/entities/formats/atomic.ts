import type { Provider } from "../entity.ts";
import { makeEntity } from "../file-entity.ts";
import { recoverLikeClaude } from "../frontmatter/recover.ts";
import { agentTools, commandName, distinct, skillTools } from "./claude.ts";
import { type Format, inBoth, type Reading, type SourceFile, sourceOf } from "./format.ts";
import { givenName, readMarkdown, skillFolderOf, stemOf } from "./markdown.ts";
import { workflowFacts } from "./workflow-facts.ts";

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

/** A workflow is code: it is listed by its file name and what stands in it as text, and runs only when somebody runs it. */
export function readWorkflowFile(provider: Provider): (file: SourceFile) => Reading {
  return (file) => {
    const { relative, text } = file;
    if (relative.endsWith(".d.ts")) return { entities: [], diagnostics: [] };
    const displayName = relative.replace(/\.[tj]s$/, "");
    const { description = "", argumentHint } = workflowFacts(text);
    const facts = {
      type: "workflow",
      name: displayName.toLowerCase(),
      displayName,
      description,
      aliases: [],
      restrictions: {},
      argumentHint,
      argumentNames: [],
      source: sourceOf(provider, file),
      frontmatter: Object.freeze(Object.create(null)),
      diagnostics: [],
    } as const;
    return { entities: [makeEntity(facts, { text })], diagnostics: [] };
  };
}
