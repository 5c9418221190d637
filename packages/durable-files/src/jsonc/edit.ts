import { DurableError } from "../errors.ts";
import { insertionCandidates } from "./insert.ts";
import { hasOwnLine, indentOf, printInline, printLines, styleIn } from "./layout.ts";
import { parseJsonc } from "./parse.ts";
import { type Edit, planEdit } from "./plan-edit.ts";
import { removeMember, removeRoot } from "./remove.ts";
import { applySplices, insertAt, type Splice } from "./splice.ts";
import { type ContainerNode, type JsonDocument, members, memberValue } from "./tree.ts";
import { isFaithful } from "./verify.ts";

export type { Edit, InsertEdit, RemoveEdit, SetEdit } from "./plan-edit.ts";

export interface EditOptions {
  /** Named in every error. */
  readonly file?: string;
  /**
   * How to treat a text without any value: refuse it (the default, because a full disk or a failed editor empties files), or, for a
   * file that does not exist yet, start a new document.
   */
  readonly empty?: "refuse" | "absent";
}

/**
 * Applies edits, one after the other, and returns the new text; every byte that is not part of an edit stays as it is.
 * The result has been parsed again and compared before it is returned, and removing what was inserted gives back the
 * identical text. Anything that cannot be done that way is a `DurableError`.
 *
 * @example
 * const next = editJsonc(text, [{ op: "insert", path: ["plugin"], value: "review@1.2.0" }], { file: "opencode.json" });
 */
export function editJsonc(text: string, edits: readonly Edit[], options: EditOptions = {}): string {
  let document = parseJsonc(text, { empty: "refuse", ...options });
  for (const edit of edits) {
    const planned = planEdit(document, edit);
    if (planned.kind === "none") continue;
    const before = document.text;
    let candidates: readonly (readonly Splice[])[];
    if (planned.kind === "insert") candidates = insertionCandidates(before, planned);
    else if (planned.kind === "create-root") {
      const style = styleIn(before, []);
      const printed = printLines(planned.value, style, "") + style.eol;
      const above = [insertAt(before.startsWith("\ufeff") ? 1 : 0, printed)];
      // Below what the text contains, or above a last comment that no line break ends.
      candidates = /^\ufeff?$|[\n\r]$/.test(before) ? [[insertAt(before.length, printed)], above] : [above];
    } else if (planned.kind === "remove") candidates = [removeMember(before, planned.container, planned.index)];
    else if (planned.kind === "remove-root") candidates = [removeRoot(before, planned.root)];
    else {
      // Only the value changes: its key, its comma and the comments around it are not touched.
      const { chain, target, value } = planned;
      const style = styleIn(before, chain);
      const printed = hasOwnLine(before, chain.at(-1), target)
        ? printLines(value, style, indentOf(before, target.start))
        : printInline(value, style);
      candidates = [[{ start: target.start, end: target.end, text: printed }]];
    }

    let chosen: JsonDocument | undefined;
    for (const splices of candidates) {
      // The only way to a new text: what does not parse to exactly the expected data is never returned.
      let next: JsonDocument;
      try {
        next = parseJsonc(applySplices(before, splices), { file: document.file });
      } catch (cause) {
        if (cause instanceof DurableError) throw internal(document, "the edited text does not parse", cause);
        throw cause;
      }
      if (!isFaithful(document, planned, splices, next)) {
        throw internal(document, "the edit did not produce the expected value");
      }
      // Removing what was added must give back the identical text.
      let undoing: readonly Splice[] | undefined;
      if (planned.kind === "insert") {
        const container = planned.steps.reduce((node, step) => memberValue(members(node)[step]!), next.root!);
        undoing = removeMember(next.text, container as ContainerNode, planned.index);
      } else if (planned.kind === "create-root") undoing = removeRoot(next.text, next.root!);
      if (undoing !== undefined && applySplices(next.text, undoing) !== before) continue;
      chosen = next;
      break;
    }
    if (!chosen) throw internal(document, "inserting the new value could not be undone exactly");
    document = chosen;
  }
  return document.text;
}

function internal(document: JsonDocument, problem: string, cause?: unknown): DurableError {
  const at = document.file ?? "<text>";
  const hint = "This is a bug in @atomic/durable-files. Please report it and include the file. Nothing was changed.";
  return new DurableError("internal", { message: `${at}: ${problem}`, at, hint, cause });
}
