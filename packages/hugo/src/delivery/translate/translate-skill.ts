import type { Frontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { AUTHOR, KeyEdits } from "./key-edits.ts";
import { lostHooks } from "./lost-hooks.ts";
import type { MarkdownFile, Translation } from "./markdown-file.ts";
import { lostRestriction, lostShellLimit } from "./translate-command.ts";

/** The SKILL.md of whatever tool as OpenCode loads it: by a name, which is that of its folder. */
export function translateSkill(file: MarkdownFile, matter: Frontmatter): Translation {
  const edits = new KeyEdits(file, matter);
  const lost = lostRestriction(edits) ?? lostHooks(edits) ?? lostShellLimit(file, edits, matter.bodyStart);
  if (lost !== undefined) return { kind: "stopped", reason: lost };
  const { name, description } = edits.values;
  if (isTrue(edits.values["disable-model-invocation"])) {
    return edits.stop(
      "disable-model-invocation",
      "Only a person may use it, and in OpenCode a model can use every skill",
      AUTHOR,
    );
  }
  // There is nothing to add a name to, and OpenCode passes over it.
  if (Object.keys(edits.values).length === 0) return { kind: "translated", text: file.text, notes: [] };
  if (name === undefined) edits.add(KeyEdits.text("name", file.name));
  else if (name !== file.name) {
    edits.replace("name", KeyEdits.text("name", file.name));
    edits.note(
      "name",
      `It calls itself ${JSON.stringify(name)}; in OpenCode it is called "${file.name}", after its folder`,
    );
  }
  if (description === undefined || description === "") {
    edits.note("description", "Without a description OpenCode does not tell the model about this skill");
  }
  return edits.apply();
}

/** As Claude Code reads a flag. */
function isTrue(value: unknown): boolean {
  return ["true", "1", "yes", "on"].includes(String(value).trim().toLowerCase());
}
