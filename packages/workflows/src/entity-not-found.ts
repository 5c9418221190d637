import { ExplainedError } from "@atomic/durable-files/explained-error";
import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import { didYouMean, formatNotFound } from "@atomic/terminal/suggest";
import type { EntityType } from "./entity.ts";

/** Nobody has the name that was asked for. */
export class EntityNotFoundError extends ExplainedError {
  override readonly name = "EntityNotFoundError";
  declare readonly code: "entity-not-found";
  readonly type: EntityType;
  /** As it was asked for. */
  readonly wanted: string;
  /** What may have been meant, best first. */
  readonly suggestions: readonly string[];

  /** `known` are the names there are; `others` the types that do have something of this very name. */
  constructor(type: EntityType, wanted: string, known: readonly string[], others: readonly EntityType[]) {
    const message = formatNotFound(capitalized(type), wanted, known);
    const [other] = others;
    const elsewhere = other === undefined ? "" : `; there is ${withArticle(other)} "${shown(wanted)}"`;
    super("entity-not-found", { message: message + elsewhere });
    this.type = type;
    this.wanted = wanted;
    this.suggestions = didYouMean(wanted, known);
  }
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function withArticle(type: EntityType): string {
  return type === "agent" ? "an agent" : `a ${type}`;
}

function shown(name: string): string {
  return escapeForTerminal(name, { singleLine: true });
}
