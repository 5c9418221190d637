import type { Diagnostic } from "./diagnostic.ts";
import type { AgentModel, Entity, EntitySource, EntityType, Restrictions } from "./entity.ts";
import { splitFrontmatter } from "./frontmatter/split.ts";
import { readTextFile } from "./read-file.ts";

/** Everything about an entity but its body. */
export type EntityFacts = Omit<Entity, "prompt">;

/** A body that is at hand, or the file to read it from when somebody asks. */
export type Body = { readonly text: string } | { readonly file: string };

/** Makes an immutable entity. Its body stays on disk until `prompt` is read, so ten thousand of them stay small. */
export function makeEntity(facts: EntityFacts, body: Body): Entity {
  return Object.freeze(new FileEntity(facts, body));
}

class FileEntity implements Entity {
  readonly type: EntityType;
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly aliases: readonly string[];
  declare readonly tools?: readonly string[];
  readonly restrictions: Restrictions;
  declare readonly model?: AgentModel;
  declare readonly modelId?: string;
  declare readonly argumentHint?: string;
  readonly argumentNames: readonly string[];
  readonly source: EntitySource;
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly diagnostics: readonly Diagnostic[];
  declare readonly disabledBecause?: string;
  readonly #body: { text?: string; readonly file?: string };

  constructor(facts: EntityFacts, body: Body) {
    this.type = facts.type;
    this.name = facts.name;
    this.displayName = facts.displayName;
    this.description = facts.description;
    this.aliases = facts.aliases;
    if (facts.tools !== undefined) this.tools = facts.tools;
    this.restrictions = facts.restrictions;
    if (facts.model !== undefined) this.model = facts.model;
    if (facts.modelId !== undefined) this.modelId = facts.modelId;
    if (facts.argumentHint !== undefined) this.argumentHint = facts.argumentHint;
    this.argumentNames = facts.argumentNames;
    this.source = Object.freeze(facts.source);
    this.frontmatter = facts.frontmatter;
    this.diagnostics = facts.diagnostics;
    if (facts.disabledBecause !== undefined) this.disabledBecause = facts.disabledBecause;
    // Frozen with the rest, `#body` itself could not take the text later; the object it points to can.
    this.#body = { ...body };
  }

  get prompt(): string {
    const body = this.#body;
    body.text ??= readBody(body.file ?? "");
    return body.text;
  }
}

function readBody(path: string): string {
  const file = readTextFile(path);
  if (file.kind === "unreadable") {
    const { message, hint } = file.diagnostic;
    throw new Error(`${path}: ${message}${hint === undefined ? "" : ` ${hint}`}`);
  }
  return file.text.slice(splitFrontmatter(file.text).bodyStart);
}
