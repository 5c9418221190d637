import { resolve } from "node:path";
import { formatNotFound } from "@atomic/terminal/suggest";
import { BodyUnreadableError, defineEntity, type EntityInput, withFacts } from "./define-entity.ts";
import { compareDiagnostics, type Diagnostic } from "./diagnostic.ts";
import { type Entity, type EntityLocation, type EntityType, entityTypes, type Provider, providers } from "./entity.ts";
import { EntityNotFoundError, unreadSources } from "./entity-not-found.ts";
import type { SourceFile } from "./format.ts";
import { getCommandHint } from "./hints.ts";
import type { Loaded } from "./load.ts";
import { type Compare, NameIndex } from "./name-index.ts";
import type { OpencodeEnvironment } from "./opencode-general.ts";
import type { OpencodeLimits } from "./opencode-namesakes.ts";
import { fileOf, formatQualifiedName, parseQualifiedName, splitsOf } from "./qualified-name.ts";
import { compareRank } from "./rank.ts";
import { lookOr } from "./system-error.ts";

/** One entity that loses to another of the same type and name. */
interface Shadowed {
  readonly entity: Entity;
  readonly by: Entity;
}

/**
 * All entities of all formats under one roof. Lookups ignore case and know aliases. Where several entities share a
 * name, the best ranked one answers, and the others stay reachable by their qualified name (`claude:project/commit`).
 * An alias stands for a name, never beats one, and resolves to the winner of that name. Nothing depends on the order of calls.
 *
 * A disabled entity still wins: falling back to a namesake would run something that its author did not restrict.
 */
export interface EntityRegistry {
  /**
   * Adds an entity. It takes the place of one that was registered before from the same file (and the same place in
   * that file), or, if it has no file, with the same type, name, provider and location.
   */
  register(entity: EntityInput): void;
  /**
   * Loads what a provider has below `basePath`: a project, or a home folder with `location: "user"`, which is the
   * default for the user's own. Calling it again replaces what the call before found there.
   */
  registerFromProvider(provider: Provider, basePath: string, location?: LoadedLocation): Promise<void>;

  getCommand(name: string): Entity | undefined;
  getSkill(name: string): Entity | undefined;
  getAgent(name: string): Entity | undefined;
  getWorkflow(name: string): Entity | undefined;
  get(type: EntityType, name: string): Entity | undefined;
  /** Like `get`, but an unknown name is an `EntityNotFoundError` with a suggestion. */
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

  /** Of a command, or else of a skill; as `getCommandHint`. */
  getArgumentHint(name: string): string | undefined;

  /** Everything that was registered, winners and losers, by type, name and rank. */
  entries(): Entity[];
  shadowed(): Shadowed[];
  /** The shortest name with its origin under which `get` finds this very entity. */
  qualifiedName(entity: Entity): string;

  /** Adds to `diagnostics`, for those who load entities in another way. */
  report(diagnostic: Diagnostic): void;
  /** What was wrong with files that gave no entity, by path. An entity carries its own. */
  diagnostics(): readonly Diagnostic[];
}

type LoadedLocation = Exclude<EntityLocation, "builtin">;

export interface RegistryOptions {
  /** Which of two namesakes wins, where it is not the usual one (`compareRank`): negative for the first. */
  readonly rank?: (a: Entity, b: Entity) => number;
  /** Told about each file that is read, whether or not it gives an entity. */
  readonly onFile?: (file: SourceFile) => void;
  /** What OpenCode takes from elsewhere than the files of the formats, see `opencodeEnvironment`. */
  readonly environment?: OpencodeEnvironment;
}

/**
 * An empty registry.
 *
 * @example
 * const registry = createEntityRegistry();
 * await registry.registerFromProvider("claude", process.cwd());
 * registry.getCommand("commit")?.prompt;
 */
export function createEntityRegistry(options: RegistryOptions = {}): EntityRegistry {
  return new Registry(options);
}

interface Load extends Loaded {
  readonly places: readonly string[];
}

class Registry implements EntityRegistry {
  readonly #options: RegistryOptions;
  readonly #compare: Compare;
  readonly #indexes: Readonly<Record<EntityType, NameIndex>>;
  readonly #byIdentity = new Map<string, Entity>();
  readonly #loads = new Map<string, Load>();
  /** What an entity was before the restrictions of its namesakes came to it. */
  readonly #unmerged = new WeakMap<Entity, Entity>();
  readonly #claimed = new Set<string>();
  readonly #reported: Diagnostic[] = [];

  constructor(options: RegistryOptions) {
    this.#options = options;
    const { rank } = options;
    // A rank of one's own may leave ties, and a tie would let the order of registration decide.
    this.#compare = rank === undefined ? compareRank : (a, b) => rank(a, b) || compareRank(a, b);
    const index = (): NameIndex => new NameIndex(this.#compare);
    this.#indexes = { agent: index(), command: index(), skill: index(), workflow: index() };
  }

  register(input: EntityInput): void {
    const entity = defineEntity(input);
    const identity = identityOf(entity);
    const before = this.#byIdentity.get(identity);
    if (before === entity) return;
    if (before !== undefined) this.#indexes[before.type].remove(before);
    this.#byIdentity.set(identity, entity);
    this.#indexes[entity.type].add(entity);
  }

  async registerFromProvider(
    provider: Provider,
    basePath: string,
    location: LoadedLocation = locationOf(basePath),
  ): Promise<void> {
    // Not before something is loaded: a look-up needs none of the formats, and together they are fifty modules.
    const [{ formats }, { loadFormat }, { mergeGeneral, mergeNamesakes, whySwitchedOff }] = await Promise.all([
      import("./formats/all.ts"),
      import("./load.ts"),
      import("./opencode-namesakes.ts"),
    ]);
    const format = formats.find((candidate) => candidate.provider === provider);
    if (format === undefined) throw new Error(formatNotFound("Provider", provider, providers));
    if (location !== "project" && location !== "user")
      throw new TypeError(`A location is "project" or "user", not ${JSON.stringify(location)}.`);
    const base = resolve(basePath);
    const key = `${provider} ${location} ${base}`;
    const before = this.#loads.get(key);
    this.#forget(before);

    const places: string[] = [];
    const claim = (place: string): boolean => {
      if (this.#claimed.has(place)) return false;
      this.#claimed.add(place);
      places.push(place);
      return true;
    };
    const loaded = loadFormat(format, base, location, { ...this.#options, claim });
    for (const entity of loaded.entities) this.register(entity);
    this.#loads.set(key, { ...loaded, places });
    const isChanged = loaded.entities.length > 0 || loaded.generalFiles !== undefined || before !== undefined;
    if (isOpencodes(provider) && isChanged) this.#limitOpencodes({ mergeGeneral, mergeNamesakes, whySwitchedOff });
  }

  /** Who wins, and what others or a config restrict, may change with each load; so all start from their own files. */
  #limitOpencodes({ mergeGeneral, mergeNamesakes, whySwitchedOff }: OpencodeLimits): void {
    const { files = [], globalFolder } = this.#options.environment ?? {};
    const given = new Set(files.map(({ path }) => path));
    const found = [...this.#loads.values()]
      .flatMap(({ generalFiles = [] }) => generalFiles)
      // Whoever has moved the global folder has no files in the usual one.
      .filter(({ path, place }) => !given.has(path) && !(globalFolder && place.startsWith(".config/opencode/")));
    const general = mergeGeneral([...found, ...files]);
    const groups = new Map<string, Entity[]>();
    for (const entity of this.#byIdentity.values()) {
      const { type, source } = entity;
      if ((type !== "agent" && type !== "command") || !isOpencodes(source.provider)) continue;
      const own = this.#unmerged.get(entity) ?? entity;
      // OpenCode itself tells names apart by their case, and merges agents only.
      const key = type === "agent" ? own.displayName : identityOf(own);
      const namesakes = groups.get(key);
      if (namesakes === undefined) groups.set(key, [own]);
      else namesakes.push(own);
    }
    for (const namesakes of groups.values()) {
      const off = whySwitchedOff(namesakes.sort(this.#compare));
      for (const [rank, own] of namesakes.entries()) {
        const limited = mergeNamesakes(own, rank === 0 ? namesakes.slice(1) : [], general);
        const isOff = off !== undefined && limited.disabledBecause === undefined;
        const merged = isOff ? withFacts(limited, { disabledBecause: off }) : limited;
        if (merged !== own) this.#unmerged.set(merged, own);
        this.register(merged);
      }
    }
  }

  #forget(load: Load | undefined): void {
    for (const entity of load?.entities ?? []) {
      // Somebody may have registered another one in its place since.
      const identity = identityOf(entity);
      const current = this.#byIdentity.get(identity);
      if (current === undefined || (this.#unmerged.get(current) ?? current) !== entity) continue;
      this.#byIdentity.delete(identity);
      this.#indexes[current.type].remove(current);
    }
    for (const place of load?.places ?? []) this.#claimed.delete(place);
  }

  #index(type: EntityType): NameIndex {
    if (!entityTypes.includes(type))
      throw new TypeError(`An entity's type is one of ${entityTypes.join(", ")}, not ${JSON.stringify(type)}.`);
    return this.#indexes[type];
  }

  get(type: EntityType, name: string): Entity | undefined {
    // A qualified name goes first: a file must not get in between by the name that it gives itself.
    return this.#getQualified(type, name) ?? this.#index(type).find(name);
  }

  #getQualified(type: EntityType, text: string): Entity | undefined {
    const qualified = text.includes(":") ? parseQualifiedName(text) : undefined;
    if (qualified === undefined) return undefined;
    for (const { name, file } of splitsOf(qualified.rest)) {
      const found = this.#index(type)
        .candidates(name)
        .find(
          (entity) =>
            entity.source.provider === qualified.provider &&
            entity.source.location === qualified.location &&
            (file === undefined || fileOf(entity) === file),
        );
      if (found !== undefined) return found;
    }
    return undefined;
  }

  require(type: EntityType, name: string): Entity {
    const entity = this.get(type, name);
    if (entity !== undefined) return entity;
    const isQualified = parseQualifiedName(name) !== undefined;
    const known = isQualified
      ? this.#namesakes(type).flatMap((group) => group.map(formatQualifiedName))
      : this.#index(type).words();
    const others = entityTypes.filter((other) => this.get(other, name) !== undefined);
    const [unread] = unreadSources(this.diagnostics());
    throw new EntityNotFoundError(type, name, known, others, unread);
  }

  search(type: EntityType, prefix: string): Entity[] {
    return this.#index(type).startingWith(prefix);
  }

  all(type?: EntityType): Entity[] {
    return type === undefined ? entityTypes.flatMap((each) => this.all(each)) : this.#index(type).winners();
  }

  entries(): Entity[] {
    return [...new Set(entityTypes.flatMap((type) => this.#namesakes(type).flat()))];
  }

  shadowed(): Shadowed[] {
    const groups = entityTypes.flatMap((type) => this.#namesakes(type));
    return groups.flatMap(([by, ...losers]) => (by === undefined ? [] : losers.map((entity) => ({ entity, by }))));
  }

  #namesakes(type: EntityType): readonly (readonly Entity[])[] {
    return this.#index(type).namesakes();
  }

  qualifiedName(entity: Entity): string {
    const short = formatQualifiedName(entity);
    return this.get(entity.type, short) === entity ? short : `${short}@${fileOf(entity)}`;
  }

  report(diagnostic: Diagnostic): void {
    this.#reported.push(diagnostic);
  }

  diagnostics(): readonly Diagnostic[] {
    const all = [...this.#reported, ...[...this.#loads.values()].flatMap((load) => load.diagnostics)];
    // A folder that cannot be entered is met once a provider.
    return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()].sort(compareDiagnostics);
  }

  getArgumentHint(name: string): string | undefined {
    try {
      return getCommandHint(name, this);
    } catch (error) {
      // Its file went since it was loaded. Whoever runs the command will hear of it; whoever types need not.
      if (error instanceof BodyUnreadableError) return undefined;
      throw error;
    }
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
}

/** A workflow's agents are merged below the user's of the same name. */
function isOpencodes(provider: Provider): boolean {
  return provider === "opencode" || provider === "hugo";
}

function identityOf({ type, name, source: { provider, location, path, pointer } }: Entity): string {
  return path === undefined
    ? `${type}\0${provider}\0${location}\0\0${name}`
    : `${type}\0${provider}\0${location}\0${path}\0${pointer ?? ""}`;
}

function locationOf(basePath: string): LoadedLocation {
  // A user whom the system does not know has no home.
  const isHome = lookOr(false, () => resolve(basePath) === resolve(homeFolder()));
  return isHome ? "user" : "project";
}

/** As `homedir()` of `node:os`, which Bun takes two milliseconds to import and which is seldom needed to know it. */
export function homeFolder(): string {
  const { HOME } = process.env;
  return HOME && process.platform !== "win32" ? HOME : process.getBuiltinModule("node:os").homedir();
}
