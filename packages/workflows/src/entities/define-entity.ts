import { ExplainedError } from "@atomic/durable-files/explained-error";
import { deepFreeze } from "./deep-freeze.ts";
import type { Diagnostic } from "./diagnostic.ts";
import {
  type AgentModel,
  type Entity,
  type EntitySource,
  type EntityType,
  entityTypes,
  type Restrictions,
} from "./entity.ts";
import { splitFrontmatter } from "./frontmatter/split.ts";
import { readTextFile } from "./read-file.ts";

/** The minimum that makes an entity; whatever you leave out is empty or unrestricted. Every `Entity` is one, too. */
export type EntityInput = Pick<Entity, "type" | "name" | "description" | "prompt" | "source"> & Partial<Entity>;

/**
 * Makes an entity that is not in a file, or a copy of one with other facts. Returns a complete entity unchanged.
 *
 * @example
 * defineEntity({
 *   type: "command",
 *   name: "Greet",
 *   description: "Says hello",
 *   prompt: "Say hello to $ARGUMENTS.",
 *   source: { provider: "atomic", location: "builtin" },
 * }).name; // "greet"
 */
export function defineEntity(input: EntityInput): Entity {
  // It was made here before, so it is complete, immutable and in lower case.
  if (FileEntity.isOne(input)) return input;
  if (!entityTypes.includes(input.type))
    throw new TypeError(`An entity's type must be one of ${entityTypes.join(", ")}, not "${input.type}".`);
  if (typeof input.name !== "string" || input.name === "") throw new TypeError(`The ${input.type} needs a name.`);
  const { prompt, ...facts } = input;
  return makeEntity(
    {
      ...facts,
      name: input.name.toLowerCase(),
      displayName: input.displayName ?? input.name,
      aliases: [...(input.aliases ?? [])],
      ...(input.tools && { tools: [...input.tools] }),
      restrictions: structuredClone(input.restrictions ?? {}),
      argumentNames: [...(input.argumentNames ?? [])],
      source: { ...input.source },
      frontmatter: deepFreeze(structuredClone({ ...input.frontmatter })),
      diagnostics: (input.diagnostics ?? []).map((diagnostic) => ({ ...diagnostic })),
    },
    { text: prompt },
  );
}

/** Everything about an entity except its body. Facts that are `undefined` are left out of the entity. */
export type EntityFacts = Omit<Entity, "prompt" | Optional> & {
  readonly [Fact in Optional]?: Entity[Fact] | undefined;
};

type Optional = "possibleNames" | "tools" | "model" | "modelId" | "argumentHint" | "disabledBecause";

/**
 * A body that is known, or the file to read it from on demand. Then the file must still start with `head`, and its body
 * at `start`: a new body must not run under restrictions that were read from an old frontmatter. No body starts at
 * `UNREADABLE`: reading one says why, or asks you to load again if the file is readable by now.
 */
export type Body = { readonly text: string } | { readonly file: string; readonly head: string; readonly start: number };

export const UNREADABLE = -1;

/**
 * Makes an immutable entity. Its body stays on disk until `prompt` is read, so ten thousand of them stay small.
 *
 * @example
 * makeEntity(facts, { file: path, head: text.slice(0, bodyStart), start: bodyStart }).prompt;
 */
export function makeEntity(facts: EntityFacts, body: Body): Entity {
  return Object.freeze(new FileEntity(facts, body));
}

/** An entity's body can no longer be read; the message says why, and what to do. */
export class BodyUnreadableError extends ExplainedError {
  override readonly name = "BodyUnreadableError";
  declare readonly code: "body-unreadable";

  constructor(file: string, problem: string) {
    super("body-unreadable", { message: `${file}: ${problem}`, at: file });
  }

  override get exitCode(): number {
    return 3;
  }
}

// A process that just started makes thousands of these. Without `declare`, each field would be set twice.
class FileEntity implements Entity {
  declare readonly type: EntityType;
  declare readonly name: string;
  declare readonly displayName: string;
  declare readonly description: string;
  declare readonly aliases: readonly string[];
  declare readonly possibleNames?: readonly string[];
  declare readonly tools?: readonly string[];
  declare readonly restrictions: Restrictions;
  declare readonly model?: AgentModel;
  declare readonly modelId?: string;
  declare readonly argumentHint?: string;
  declare readonly argumentNames: readonly string[];
  declare readonly source: EntitySource;
  declare readonly frontmatter: Readonly<Record<string, unknown>>;
  declare readonly diagnostics: readonly Diagnostic[];
  declare readonly disabledBecause?: string;
  // Private fields are not frozen with the rest, so the text can be added later.
  #text: string | undefined;
  readonly #file: string;
  readonly #head: string;
  readonly #start: number;

  static isOne(value: object): value is Entity {
    return #text in value;
  }

  static copy(entity: Entity, facts: Partial<EntityFacts>): Entity {
    if (!(#text in entity))
      throw new TypeError(`The ${entity.type} "${entity.name}" was not created with defineEntity().`);
    const text = entity.#text;
    const body = text === undefined ? { file: entity.#file, head: entity.#head, start: entity.#start } : { text };
    return Object.freeze(new FileEntity({ ...entity, ...facts }, body));
  }

  constructor(facts: EntityFacts, body: Body) {
    this.type = facts.type;
    this.name = facts.name;
    this.displayName = facts.displayName;
    this.description = facts.description;
    this.aliases = frozen(facts.aliases);
    if (facts.possibleNames !== undefined) this.possibleNames = frozen(facts.possibleNames);
    if (facts.tools !== undefined) this.tools = frozen(facts.tools);
    const { restrictions } = facts;
    if (!Object.isFrozen(restrictions)) {
      for (const rules of Object.values(restrictions)) for (const rule of Object.freeze(rules)) Object.freeze(rule);
      Object.freeze(restrictions);
    }
    this.restrictions = restrictions;
    if (facts.model !== undefined) this.model = facts.model;
    if (facts.modelId !== undefined) this.modelId = facts.modelId;
    if (facts.argumentHint !== undefined) this.argumentHint = facts.argumentHint;
    this.argumentNames = frozen(facts.argumentNames);
    this.source = Object.freeze(facts.source);
    this.frontmatter = facts.frontmatter;
    this.diagnostics = frozen(facts.diagnostics);
    if (this.diagnostics !== NOTHING) for (const diagnostic of this.diagnostics) Object.freeze(diagnostic);
    if (facts.disabledBecause !== undefined) this.disabledBecause = facts.disabledBecause;
    const isAtHand = "text" in body;
    this.#text = isAtHand ? body.text : undefined;
    this.#file = isAtHand ? "" : body.file;
    this.#head = isAtHand ? "" : body.head;
    this.#start = isAtHand ? 0 : body.start;
  }

  get prompt(): string {
    if (this.#text !== undefined) return this.#text;
    const path = this.#file;
    const file = readTextFile(path);
    if (file.kind === "unreadable") {
      const { message, hint } = file.diagnostic;
      throw new BodyUnreadableError(path, `${message}${hint === undefined ? "" : ` ${hint}`}`);
    }
    const { bodyStart } = splitFrontmatter(file.text);
    if (bodyStart !== this.#start || !file.text.startsWith(this.#head)) {
      throw new BodyUnreadableError(
        path,
        "The frontmatter has changed since the file was loaded. Reload the entities.",
      );
    }
    this.#text = file.text.slice(bodyStart);
    return this.#text;
  }
}

/** The same entity, body included, with other facts. */
export const withFacts: (entity: Entity, facts: Partial<EntityFacts>) => Entity = FileEntity.copy;

const NOTHING: readonly never[] = Object.freeze([]);

/** Most lists are empty, and one empty list serves them all. */
function frozen<Item>(list: readonly Item[]): readonly Item[] {
  if (list.length === 0) return NOTHING;
  // Bun is slow to freeze a list, even a frozen one.
  return Object.isFrozen(list) ? list : Object.freeze(list);
}
