import { DurableError } from "../errors.ts";
import { insertionCandidates, rootCandidates } from "./insert.ts";
import { hasOwnLine, indentOf, printInline, printLines, styleIn } from "./layout.ts";
import { parseJsonc } from "./parse.ts";
import { type Edit, type PlannedEdit, planEdit } from "./plan-edit.ts";
import { removeMember, removeRoot } from "./remove.ts";
import { applySplices, type Splice } from "./splice.ts";
import { type ContainerNode, type JsonDocument, members, memberValue } from "./tree.ts";
import { isFaithful } from "./verify.ts";

export type { Edit, InsertEdit, RemoveEdit, SetEdit } from "./plan-edit.ts";

export interface EditOptions {
  /** Named in every error. */
  readonly file?: string;
  /**
   * What a text without any value is: refused (the default, since a full disk or a failed editor empties files), or, for a file
   * that is yet to be made, a document to begin with.
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
  return edits.reduce(applyEdit, parseJsonc(text, { empty: "refuse", ...options })).text;
}

function applyEdit(document: JsonDocument, edit: Edit): JsonDocument {
  const { text } = document;
  const planned = planEdit(document, edit);
  switch (planned.kind) {
    case "none":
      return document;
    case "replace": {
      // Only the value changes: its key, its comma and the comments around it are not touched.
      const { chain, target, value } = planned;
      const style = styleIn(text, chain);
      const printed = hasOwnLine(text, chain.at(-1), target)
        ? printLines(value, style, indentOf(text, target.start))
        : printInline(value, style);
      return apply(document, planned, [{ start: target.start, end: target.end, text: printed }]);
    }
    case "remove":
      return apply(document, planned, removeMember(text, planned.container, planned.index));
    case "remove-root":
      return apply(document, planned, removeRoot(text, planned.root));
  }
  const candidates =
    planned.kind === "insert" ? insertionCandidates(text, planned) : rootCandidates(text, planned.value);
  for (const splices of candidates) {
    const next = apply(document, planned, splices);
    let undoing: readonly Splice[];
    if (planned.kind === "insert") {
      const container = planned.steps.reduce((node, step) => memberValue(members(node)[step]!), next.root!);
      undoing = removeMember(next.text, container as ContainerNode, planned.index);
    } else undoing = removeRoot(next.text, next.root!);
    if (applySplices(next.text, undoing) === text) return next;
  }
  throw internal(document, "no layout for the new value can be removed again without a trace");
}

/** The only way to a new text: what does not parse to exactly the expected data is never returned. */
function apply(document: JsonDocument, planned: PlannedEdit, splices: readonly Splice[]): JsonDocument {
  let next: JsonDocument;
  try {
    next = parseJsonc(applySplices(document.text, splices), { file: document.file });
  } catch (cause) {
    if (cause instanceof DurableError) throw internal(document, "the edited text does not parse", cause);
    throw cause;
  }
  if (!isFaithful(document, planned, splices, next)) throw internal(document, "the edited text means something else");
  return next;
}

function internal(document: JsonDocument, problem: string, cause?: unknown): DurableError {
  const at = document.file ?? "<text>";
  const hint = "This is a bug in @atomic/durable-files, please report it with the file. Nothing was changed.";
  return new DurableError("internal", { message: `${at}: ${problem}`, at, hint, cause });
}
