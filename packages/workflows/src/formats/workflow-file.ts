import type { Provider } from "../entity.ts";
import { makeEntity } from "../file-entity.ts";
import { type Reading, type SourceFile, sourceOf } from "./format.ts";

/** A workflow is code: it is listed by its file name and not run, nor even looked into, until somebody runs it. */
export function readWorkflowFile(provider: Provider): (file: SourceFile) => Reading {
  return (file) => {
    const { relative, text } = file;
    if (relative.endsWith(".d.ts")) return { entities: [], diagnostics: [] };
    const displayName = relative.replace(/\.[tj]s$/, "");
    const facts = {
      type: "workflow",
      name: displayName.toLowerCase(),
      displayName,
      description: "",
      aliases: [],
      restrictions: {},
      argumentNames: [],
      source: sourceOf(provider, file),
      frontmatter: Object.freeze(Object.create(null)),
      diagnostics: [],
    } as const;
    return { entities: [makeEntity(facts, { text })], diagnostics: [] };
  };
}
