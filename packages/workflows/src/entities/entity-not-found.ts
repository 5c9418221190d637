import { ExplainedError } from "@atomic/durable-files/explained-error";
import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import { didYouMean, formatNotFound } from "@atomic/terminal/suggest";
import type { Diagnostic } from "./diagnostic.ts";
import type { EntityType } from "./entity.ts";

/** No entity has the requested name. */
export class EntityNotFoundError extends ExplainedError {
  override readonly name = "EntityNotFoundError";
  declare readonly code: "entity-not-found";
  readonly type: EntityType;
  /** The name as requested. */
  readonly wanted: string;
  /** Similar names, best first. */
  readonly suggestions: readonly string[];

  /**
   * `known` are the existing names, `others` the types that do have this name, and `unread` is the problem with a file
   * that may contain the name.
   */
  constructor(
    type: EntityType,
    wanted: string,
    known: readonly string[],
    others: readonly EntityType[],
    unread?: Diagnostic,
  ) {
    const message = formatNotFound(type.charAt(0).toUpperCase() + type.slice(1), wanted, known);
    const [other] = others;
    const elsewhere =
      other === undefined
        ? ""
        : `; there is ${other === "agent" ? "an agent" : `a ${other}`} "${escapeForTerminal(wanted, { singleLine: true })}"`;
    const at = unread?.line === undefined ? unread?.path : `${unread.path}:${unread.line}:${unread.column ?? 1}`;
    const because = unread === undefined ? "" : `. A file that may name it cannot be read: ${unread.message}`;
    super("entity-not-found", { message: message + elsewhere + because, at, hint: unread?.hint });
    this.type = type;
    this.wanted = wanted;
    this.suggestions = didYouMean(wanted, known);
  }
}

/** Hugo's locks and OpenCode's configs that could not be read: they may be why a name is missing. */
export function unreadSources(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.filter(
    ({ severity, path = "" }) => severity === "error" && /(?:^|[/\\])(?:hugo\.json|opencode\.jsonc?)$/.test(path),
  );
}
