import { basename, dirname } from "node:path";
import { type Entry, isUsable, nameProblem, readEntryFile } from "./entry-file.ts";

export interface WorkflowSkill {
  readonly name: string;
  readonly description?: string;
  /** The folder that holds its SKILL.md. */
  readonly folder: string;
}

/** OpenCode reads the file itself, and calls the skill by the `name` in it. */
export function readSkill(path: string): Entry<WorkflowSkill> {
  const file = readEntryFile(path);
  const diagnostics = [...file.diagnostics];
  if (!isUsable(diagnostics)) return { diagnostics };
  const folder = dirname(path);
  const { name, description } = file.values;
  if (typeof name !== "string") {
    const message = 'A skill needs a "name" that is text; OpenCode skips it without a word.';
    const finding = { severity: "error", code: "name-missing", message, hint: "Add it to the frontmatter." } as const;
    return { diagnostics: [...diagnostics, file.at("name", finding)] };
  }
  const problem = nameProblem(name);
  if (problem !== undefined) diagnostics.push(file.at("name", problem));
  if (description !== undefined && typeof description !== "string") {
    const message = 'The "description" is no text.';
    diagnostics.push(
      file.at("description", { severity: "error", code: "value-unaccepted", message, hint: "Quote it." }),
    );
  }
  if (!isUsable(diagnostics)) return { diagnostics };
  if (description === undefined || description === "") {
    const message = 'Without a "description" OpenCode does not tell the model about this skill.';
    const hint = "Say when to use it.";
    diagnostics.push(file.at("description", { severity: "warning", code: "description-missing", message, hint }));
  }
  if (basename(folder) !== name) {
    const message = `The skill is called "${name}", its folder is not.`;
    diagnostics.push(file.at("name", { severity: "warning", code: "name-mismatch", message, hint: "Rename one." }));
  }
  return { config: { name, ...(typeof description === "string" && { description }), folder }, diagnostics };
}
