import { resolve } from "node:path";
import { formatNotFound } from "@atomic/terminal/suggest";
import { defineEntity, type EntityInput, withFacts } from "./define-entity.ts";
import { type Diagnostic, distinctInOrder } from "./diagnostic.ts";
import { type Entity, type EntityLocation, type EntityType, entityTypes, type Provider, providers } from "./entity.ts";
import { EntityNotFoundError, unreadSources } from "./entity-not-found.ts";
import type { SourceFile } from "./format.ts";
import { hintWhileTyping } from "./hints.ts";
import type { Loaded, LoadOptions } from "./load.ts";
import { type Compare, NameIndex } from "./name-index.ts";
import type { OpencodeEnvironment } from "./opencode-general.ts";
import type * as opencodeNamesakes from "./opencode-namesakes.ts";
import { fileOf, formatQualifiedName, parseQualifiedName } from "./qualified-name.ts";
import { compareRank } from "./rank.ts";
import { countLookup, type RegistryStats } from "./registry-stats.ts";
import { lookOr } from "./system-error.ts";

/** One entity that loses to another of the same type and name. */
interface Shadowed {
  readonly entity: Entity;
  readonly by: Entity;
}

/**
 * All entities of all formats in one place. Lookups ignore case and know aliases. If several entities share a name, the
 * best ranked one wins, and you reach the others by their qualified names (`claude:project/commit`). An alias stands for
 * a name, never beats one, and resolves to that name's winner. Nothing depends on the order of calls.
 *
 * A disabled entity still wins: falling back to a namesake could run something that is not restricted as intended.
 */
export interface EntityRegistry {
  /**
   * Adds an entity. It replaces one that was registered before from the same file (and the same position in that file)
   * or, if it has no file, with the same type, name, provider and location.
   */
  register(entity: EntityInput): void;
  /**
   * Loads a provider's entities below `basePath`: a project, or a home folder with `location: "user"`, which is the
   * default for the user's own. Calling it again replaces what the previous call found there.
   *
   * @param search Where exactly to look, if not simply below `basePath`; see `searchedFolders`.
   */
  registerFromProvider(
    provider: Provider,
    basePath: string,
    location?: LoadedLocation,
    search?: Pick<LoadOptions, "above" | "locate">,
  ): Promise<void>;

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

  /** The hint of a command, a skill or a workflow, in this order; see `getCommandHint`. */
  getArgumentHint(name: string): string | undefined;

  /** Everything that was registered, winners and losers, by type, name and rank. */
  entries(): Entity[];
  shadowed(): Shadowed[];
  /** The shortest qualified name with which `get` finds this entity. */
  qualifiedName(entity: Entity): string;

  /** Adds to `diagnostics`, for code that loads entities in another way. */
  report(diagnostic: Diagnostic): void;
  /** What is wrong with files that gave no entity, by path. An entity has its own diagnostics. */
  diagnostics(): readonly Diagnostic[];
}

type LoadedLocation = Exclude<EntityLocation, "builtin">;

export interface RegistryOptions {
  /** Decides which of two namesakes wins: negative for the first. Default: `compareRank`. */
  readonly rank?: (a: Entity, b: Entity) => number;
  /** Called with each file that is read, whether or not it gives an entity. */
  readonly onFile?: (file: SourceFile) => void;
  /** What OpenCode reads besides the formats' files; see `opencodeEnvironment`. */
  readonly environment?: OpencodeEnvironment;
  /** Counts lookups and uses of the cache, from `newRegistryStats()`. Without it, nothing is counted. */
  readonly stats?: RegistryStats;
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

class Registry implements EntityRegistry {
  readonly #options: RegistryOptions;
  readonly #compare: Compare;
  readonly #indexes: Readonly<Record<EntityType, NameIndex>>;
  readonly #byIdentity = new Map<string, Entity>();
  readonly #loads = new Map<string, Loaded & { readonly places: readonly string[] }>();
  /** Each entity before it was merged with its namesakes' restrictions. */
  readonly #unmerged = new WeakMap<Entity, Entity>();
  readonly #claimed = new Set<string>();
  readonly #reported: Diagnostic[] = [];

  constructor(options: RegistryOptions) {
    this.#options = options;
    const { rank, stats } = options;
    // A custom rank may leave ties, and then the order of registration would decide.
    this.#compare = rank === undefined ? compareRank : (a, b) => rank(a, b) || compareRank(a, b);
    this.#indexes = {
      agent: new NameIndex(this.#compare, stats),
      command: new NameIndex(this.#compare, stats),
      skill: new NameIndex(this.#compare, stats),
      workflow: new NameIndex(this.#compare, stats),
    };
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
    wanted?: LoadedLocation,
    search: Pick<LoadOptions, "above" | "locate"> = {},
  ): Promise<void> {
    // A user whom the system does not know has no home folder.
    const isHome = wanted === undefined && lookOr(false, () => resolve(basePath) === resolve(homeFolder()));
    const location = wanted === undefined ? (isHome ? "user" : "project") : wanted;
    // Loaded late: a lookup needs none of the formats, and together they are fifty modules.
    const [{ formats }, { loadFormat }, limits] = await Promise.all([
      import("./formats/all.ts"),
      import("./load.ts"),
      import("./opencode-namesakes.ts"),
    ]);
    const format = formats.find((candidate) => candidate.provider === provider);
    if (format === undefined) throw new Error(formatNotFound("Provider", provider, providers));
    if (location !== "project" && location !== "user")
      throw new TypeError(`A location must be "project" or "user", not ${JSON.stringify(location)}.`);
    const base = resolve(basePath);
    const key = `${provider} ${location} ${base}`;
    const before = this.#loads.get(key);
    // Forget what the previous call loaded, except where another entity was registered in its place since.
    for (const entity of before?.entities ?? []) {
      const identity = identityOf(entity);
      const current = this.#byIdentity.get(identity);
      if (current === undefined || (this.#unmerged.get(current) ?? current) !== entity) continue;
      this.#byIdentity.delete(identity);
      this.#indexes[current.type].remove(current);
    }
    for (const place of before?.places ?? []) this.#claimed.delete(place);

    const places: string[] = [];
    const loaded = loadFormat(format, base, location, {
      ...this.#options,
      above: search.above,
      locate: search.locate,
      claim: (place) => {
        if (this.#claimed.has(place)) return false;
        this.#claimed.add(place);
        places.push(place);
        return true;
      },
    });
    for (const entity of loaded.entities) this.register(entity);
    this.#loads.set(key, { ...loaded, places });
    const isChanged = loaded.entities.length > 0 || loaded.generalFiles !== undefined || before !== undefined;
    if (isOpencodes(provider) && isChanged) this.#limitOpencodes(limits);
  }

  /** Each load may change which entity wins and what restricts it, so every entity starts again from its own file. */
  #limitOpencodes({ mergeGeneral, mergeNamesakes, whySwitchedOff }: typeof opencodeNamesakes): void {
    const { files = [], globalFolder } = this.#options.environment ?? {};
    const given = new Set(files.map(({ path }) => path));
    const found = [...this.#loads.values()]
      .flatMap(({ generalFiles = [] }) => generalFiles)
      // If you moved the global folder, OpenCode does not read the usual one.
      .filter(({ path, place }) => !given.has(path) && !(globalFolder && place.startsWith(".config/opencode/")));
    const general = mergeGeneral([...found, ...files]);
    const groups = new Map<string, Entity[]>();
    for (const entity of this.#byIdentity.values()) {
      const { type, source } = entity;
      if ((type !== "agent" && type !== "command") || !isOpencodes(source.provider)) continue;
      const own = this.#unmerged.get(entity) ?? entity;
      // OpenCode itself distinguishes names by case, and merges only agents.
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

  #index(type: EntityType): NameIndex {
    if (!entityTypes.includes(type))
      throw new TypeError(`An entity's type must be one of ${entityTypes.join(", ")}, not ${JSON.stringify(type)}.`);
    return this.#indexes[type];
  }

  get(type: EntityType, name: string): Entity | undefined {
    const { stats } = this.#options;
    const start = stats && performance.now();
    const found = this.#find(type, name);
    if (stats !== undefined && start !== undefined) countLookup(stats, start, found !== undefined);
    return found;
  }

  #find(type: EntityType, name: string): Entity | undefined {
    const index = this.#index(type);
    // A qualified name comes first: no file may intercept it by choosing such a name for itself.
    const qualified = name.includes(":") ? parseQualifiedName(name) : undefined;
    if (qualified === undefined) return index.find(name);
    const { provider, location, rest } = qualified;
    // Try every `@` as the end of the name, and the whole as a plain name last: no file may intercept another's
    // `name@file` either.
    for (let at = rest.indexOf("@"); ; at = rest.indexOf("@", at + 1)) {
      const isPlain = at <= 0;
      const found = index.candidates(isPlain ? rest : rest.slice(0, at)).find((entity) => {
        const { source } = entity;
        if (source.provider !== provider || source.location !== location) return false;
        return isPlain || fileOf(entity) === rest.slice(at + 1);
      });
      if (found !== undefined || isPlain) return found ?? index.find(name);
    }
  }

  require(type: EntityType, name: string): Entity {
    const entity = this.get(type, name);
    if (entity !== undefined) return entity;
    const isQualified = parseQualifiedName(name) !== undefined;
    const known = isQualified
      ? this.#index(type)
          .namesakes()
          .flatMap((group) => group.map(formatQualifiedName))
      : this.#index(type).words();
    const others = entityTypes.filter((other) => this.get(other, name) !== undefined);
    const [unread] = unreadSources(this.diagnostics());
    throw new EntityNotFoundError(type, name, known, others, unread);
  }

  search(type: EntityType, prefix: string): Entity[] {
    const { stats } = this.#options;
    const start = stats && performance.now();
    const found = this.#index(type).startingWith(prefix);
    if (stats !== undefined && start !== undefined) countLookup(stats, start, found.length > 0);
    return found;
  }

  all(type?: EntityType): Entity[] {
    return type === undefined ? entityTypes.flatMap((each) => this.all(each)) : this.#index(type).winners();
  }

  entries(): Entity[] {
    return [...new Set(entityTypes.flatMap((type) => this.#indexes[type].namesakes().flat()))];
  }

  shadowed(): Shadowed[] {
    const groups = entityTypes.flatMap((type) => this.#indexes[type].namesakes());
    return groups.flatMap(([by, ...losers]) => (by === undefined ? [] : losers.map((entity) => ({ entity, by }))));
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
    // Each provider reports a folder that cannot be entered.
    return distinctInOrder(all);
  }

  getArgumentHint(name: string): string | undefined {
    return hintWhileTyping(name, this);
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

/** OpenCode merges an installed workflow's agents with the user's of the same name, which win. */
function isOpencodes(provider: Provider): boolean {
  return provider === "opencode" || provider === "hugo";
}

function identityOf({ type, name, source: { provider, location, path, pointer } }: Entity): string {
  return path === undefined
    ? `${type}\0${provider}\0${location}\0\0${name}`
    : `${type}\0${provider}\0${location}\0${path}\0${pointer ?? ""}`;
}

/** Like `homedir()` of `node:os`, which Bun takes two milliseconds to import and which is seldom needed. */
export function homeFolder(): string {
  const { HOME } = process.env;
  return HOME && process.platform !== "win32" ? HOME : process.getBuiltinModule("node:os").homedir();
}
