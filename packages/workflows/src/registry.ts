import { compareCodePoints } from "./code-point-order.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { Entity, EntityLocation, EntityType, Provider } from "./entity.ts";
import { formats } from "./formats/all.ts";
import { getCommandHint } from "./hints.ts";
import { loadFormat } from "./load.ts";
import { compareRank } from "./rank.ts";
import { formatNotFound } from "./suggest.ts";

/** One entity that loses to another of the same type and name. */
export interface Shadowed {
  readonly entity: Entity;
  readonly by: Entity;
}

/**
 * All entities of all formats under one roof. Lookups ignore case and know aliases; where several entities share a name,
 * the best ranked one answers, and the others stay reachable as `provider:location/name` (`claude:project/commit`).
 *
 * A disabled entity still wins: falling back to a namesake would run something that its author did not restrict.
 */
export interface EntityRegistry {
  register(entity: Entity): void;
  /** Loads what a provider has below `basePath`: a project, or a home folder with `location: "user"`. */
  registerFromProvider(
    provider: Provider,
    basePath: string,
    location?: Exclude<EntityLocation, "builtin">,
  ): Promise<void>;

  getCommand(name: string): Entity | undefined;
  getSkill(name: string): Entity | undefined;
  getAgent(name: string): Entity | undefined;
  getWorkflow(name: string): Entity | undefined;
  get(type: EntityType, name: string): Entity | undefined;
  /** Like `get`, but an unknown name is an error with a suggestion. */
  require(type: EntityType, name: string): Entity;

  /** Winners whose name or alias starts with `prefix`: an exact match first, then by name. */
  searchCommands(prefix: string): Entity[];
  searchSkills(prefix: string): Entity[];
  searchAgents(prefix: string): Entity[];
  search(type: EntityType, prefix: string): Entity[];

  /** Winners, by name. */
  allCommands(): Entity[];
  allSkills(): Entity[];
  allAgents(): Entity[];
  all(type?: EntityType): Entity[];

  getArgumentHint(name: string): string | undefined;

  /** Everything that was registered, winners and losers, by type, name and rank. */
  entries(): Entity[];
  shadowed(): Shadowed[];
  /** What was wrong with files that gave no entity. */
  diagnostics(): readonly Diagnostic[];
}

/**
 * An empty registry.
 *
 * @example
 * const registry = createEntityRegistry();
 * await registry.registerFromProvider("claude", process.cwd());
 * registry.getCommand("commit")?.prompt;
 */
export function createEntityRegistry(): EntityRegistry {
  return new Registry();
}

type Names = Map<string, Entity[]>;

class Registry implements EntityRegistry {
  readonly #byName: Record<EntityType, Names> = {
    agent: new Map(),
    command: new Map(),
    skill: new Map(),
    workflow: new Map(),
  };
  readonly #byAlias: Record<EntityType, Names> = {
    agent: new Map(),
    command: new Map(),
    skill: new Map(),
    workflow: new Map(),
  };
  readonly #sorted = new Map<EntityType, readonly string[]>();
  readonly #diagnostics: Diagnostic[] = [];

  register(entity: Entity): void {
    insert(this.#byName[entity.type], entity.name, entity);
    for (const alias of entity.aliases) insert(this.#byAlias[entity.type], alias.toLowerCase(), entity);
    this.#sorted.delete(entity.type);
  }

  async registerFromProvider(
    provider: Provider,
    basePath: string,
    location: Exclude<EntityLocation, "builtin"> = "project",
  ): Promise<void> {
    const format = formats.find((candidate) => candidate.provider === provider);
    if (format === undefined) {
      throw new Error(
        formatNotFound(
          "Provider",
          provider,
          formats.map((candidate) => candidate.provider),
        ),
      );
    }
    const loaded = loadFormat(format, basePath, location);
    for (const entity of loaded.entities) this.register(entity);
    this.#diagnostics.push(...loaded.diagnostics);
  }

  get(type: EntityType, name: string): Entity | undefined {
    const key = name.toLowerCase();
    return this.#byName[type].get(key)?.[0] ?? this.#byAlias[type].get(key)?.[0] ?? this.#getQualified(type, key);
  }

  #getQualified(type: EntityType, name: string): Entity | undefined {
    const [, provider, location, plain] = /^([a-z-]+):(project|user|builtin)\/(.+)$/.exec(name) ?? [];
    if (plain === undefined) return undefined;
    const namesakes = [...(this.#byName[type].get(plain) ?? []), ...(this.#byAlias[type].get(plain) ?? [])];
    return namesakes.find(({ source }) => source.provider === provider && source.location === location);
  }

  require(type: EntityType, name: string): Entity {
    const entity = this.get(type, name);
    if (entity !== undefined) return entity;
    const what = type.charAt(0).toUpperCase() + type.slice(1);
    throw new Error(formatNotFound(what, name, [...this.#byName[type].keys(), ...this.#byAlias[type].keys()]));
  }

  search(type: EntityType, prefix: string): Entity[] {
    const wanted = prefix.toLowerCase();
    const names = this.#namesOf(type);
    const found = new Set<Entity>();
    const exact = wanted === "" ? undefined : this.get(type, wanted);
    if (exact !== undefined) found.add(exact);
    for (let at = firstAtLeast(names, wanted); names[at]?.startsWith(wanted) === true; at += 1) {
      const entity = this.get(type, names[at] ?? "");
      if (entity !== undefined) found.add(entity);
    }
    return [...found];
  }

  all(type?: EntityType): Entity[] {
    const types: readonly EntityType[] = type === undefined ? ["agent", "command", "skill", "workflow"] : [type];
    return types.flatMap((each) => {
      const names = [...this.#byName[each].keys()].sort(compareCodePoints);
      return names.flatMap((name) => this.#byName[each].get(name)?.[0] ?? []);
    });
  }

  entries(): Entity[] {
    return this.all().flatMap(({ type, name }) => this.#byName[type].get(name) ?? []);
  }

  shadowed(): Shadowed[] {
    return this.all().flatMap((by) => {
      const [, ...losers] = this.#byName[by.type].get(by.name) ?? [];
      return losers.map((entity) => ({ entity, by }));
    });
  }

  diagnostics(): readonly Diagnostic[] {
    return [...this.#diagnostics];
  }

  getArgumentHint(name: string): string | undefined {
    return getCommandHint(name, this);
  }

  getCommand = (name: string): Entity | undefined => this.get("command", name);
  getSkill = (name: string): Entity | undefined => this.get("skill", name);
  getAgent = (name: string): Entity | undefined => this.get("agent", name);
  getWorkflow = (name: string): Entity | undefined => this.get("workflow", name);
  searchCommands = (prefix: string): Entity[] => this.search("command", prefix);
  searchSkills = (prefix: string): Entity[] => this.search("skill", prefix);
  searchAgents = (prefix: string): Entity[] => this.search("agent", prefix);
  allCommands = (): Entity[] => this.all("command");
  allSkills = (): Entity[] => this.all("skill");
  allAgents = (): Entity[] => this.all("agent");

  /** Names and aliases in order, for prefix search; rebuilt after a change. */
  #namesOf(type: EntityType): readonly string[] {
    const known = this.#sorted.get(type);
    if (known !== undefined) return known;
    const names = new Set([...this.#byName[type].keys(), ...this.#byAlias[type].keys()]);
    const sorted = [...names].sort(compareCodePoints);
    this.#sorted.set(type, sorted);
    return sorted;
  }
}

/** Keeps the namesakes in the order of their rank, so that the order of registration never shows. */
function insert(names: Names, name: string, entity: Entity): void {
  const namesakes = names.get(name);
  if (namesakes === undefined) {
    names.set(name, [entity]);
    return;
  }
  const after = namesakes.findIndex((other) => compareRank(entity, other) < 0);
  namesakes.splice(after === -1 ? namesakes.length : after, 0, entity);
}

function firstAtLeast(sorted: readonly string[], wanted: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareCodePoints(sorted[middle] ?? "", wanted) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
