import { DurableError } from "../errors.ts";
import { type Change, type Edit, planChange } from "./change.ts";
import { insertionCandidates, rootCandidates } from "./insert.ts";
import { parseJsonc } from "./parse.ts";
import { removeMember, removeRoot } from "./remove.ts";
import { replaceValue } from "./replace.ts";
import { applySplices, type Splice } from "./splice.ts";
import { type ContainerNode, type JsonDocument, members, memberValue } from "./tree.ts";
import { isFaithful } from "./verify.ts";

export type { Edit, InsertEdit, RemoveEdit, SetEdit } from "./change.ts";

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
  const change = planChange(document, edit);
  switch (change.kind) {
    case "none":
      return document;
    case "replace":
      return apply(document, change, [replaceValue(document.text, change)]);
    case "remove":
      return apply(document, change, removeMember(document.text, change.container, change.index));
    case "remove-root":
      return apply(document, change, removeRoot(document.text, change.root));
    case "create-root":
      return applyReversible(document, change, rootCandidates(document.text, change.value));
    case "insert":
      return applyReversible(document, change, insertionCandidates(document.text, change));
  }
}

function applyReversible(
  document: JsonDocument,
  change: Extract<Change, { kind: "insert" | "create-root" }>,
  candidates: readonly (readonly Splice[])[],
): JsonDocument {
  for (const splices of candidates) {
    const next = apply(document, change, splices);
    if (undone(next, change) === document.text) return next;
  }
  throw internal(document, "no layout for the new value can be removed again without a trace");
}

function undone(next: JsonDocument, change: Extract<Change, { kind: "insert" | "create-root" }>): string {
  if (change.kind === "create-root") return applySplices(next.text, removeRoot(next.text, next.root!));
  const container = change.steps.reduce((node, step) => memberValue(members(node)[step]!), next.root!);
  return applySplices(next.text, removeMember(next.text, container as ContainerNode, change.index));
}

/** The only way to a new text: what does not parse to exactly the expected data is never returned. */
function apply(document: JsonDocument, change: Change, splices: readonly Splice[]): JsonDocument {
  const text = applySplices(document.text, splices);
  const next = reparse(document, text);
  if (!isFaithful(document, change, splices, next)) throw internal(document, "the edited text means something else");
  return next;
}

function reparse(document: JsonDocument, text: string): JsonDocument {
  try {
    return parseJsonc(text, document.file === undefined ? {} : { file: document.file });
  } catch (cause) {
    if (cause instanceof DurableError) throw internal(document, "the edited text does not parse", cause);
    throw cause;
  }
}

function internal(document: JsonDocument, problem: string, cause?: unknown): DurableError {
  const at = document.file ?? "<text>";
  const hint = "This is a bug in @atomic/durable-files, please report it with the file. Nothing was changed.";
  return new DurableError("internal", { message: `${at}: ${problem}`, at, hint, cause });
}
