import { makeEntity } from "../define-entity.ts";
import type { Provider } from "../entity.ts";
import { type Format, inBoth, type Reading, type SourceFile, sourceOf } from "../format.ts";
import { placesLikeClaude } from "./claude.ts";
import { workflowFacts } from "./workflow-facts.ts";

const provider = "atomic";
const readWorkflow = readWorkflowFile(provider);

/** Atomic's own `.atomic/{commands,skills,agents,workflows}`, in Claude's format, so you can move files over. */
export const atomic: Format = {
  provider,
  places: [
    ...placesLikeClaude(provider, ".atomic", false),
    ...inBoth({ path: ".atomic/workflows", type: "workflow", pattern: "*.ts", read: readWorkflow }),
    ...inBoth({ path: ".atomic/workflows", type: "workflow", pattern: "*.js", read: readWorkflow }),
  ],
};

/** A workflow is code: it is listed by its file name and the plain text in it, and runs only when you run it. */
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
