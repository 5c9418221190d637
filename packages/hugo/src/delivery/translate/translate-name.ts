import type { KeyEdits } from "./key-edits.ts";
import type { MarkdownFile } from "./markdown-file.ts";

/** What Hugo shows, compares and asks for is the name of the file, so a file must not call itself anything else. */
export function translateName(edits: KeyEdits, { name }: MarkdownFile): void {
  const given = edits.values.name;
  if (given === undefined || given === name) return;
  edits.remove("name");
  edits.note("name", `It calls itself ${JSON.stringify(given)}; in OpenCode it is called "${name}", after its file`);
}
