import type { ChoiceSpec, Command, FlagSpec, InputOf } from "@atomic/terminal/command";
import type { Diagnostic } from "@atomic/workflows/diagnostic";
import type { EntityType, Provider } from "@atomic/workflows/entity";
import type { EntityRegistry } from "@atomic/workflows/registry";
import type { Context } from "../context.ts";
import { type EntityRecord, recordOf } from "../entities/entity-record.ts";
import { loadEntities } from "../entities/load-entities.ts";
import { whyWins } from "../entities/why-wins.ts";
import { entitiesReport } from "../report/entities.ts";
import type { Where } from "../report/path.ts";
import { providers, typeOption } from "../vocabulary.ts";

type Options = {
  readonly type: ChoiceSpec<EntityType> & { readonly many: true };
  readonly provider: ChoiceSpec<Provider> & { readonly many: true };
  readonly shadowed: FlagSpec;
};
type Input = InputOf<Record<never, never>, Options>;

export interface EntitiesResult {
  readonly where: Where;
  readonly asked: Input;
  readonly entities: readonly ListedEntity[];
  /** How many there are of what was asked for that lose their name to another. */
  readonly shadowedCount: number;
  /** Where such files would lie. */
  readonly lookedIn: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface ListedEntity extends EntityRecord {
  readonly shadowedBy?: { readonly qualifiedName: string; readonly because: string };
}

export const entities: Command<Context, Record<never, never>, Options, EntitiesResult> = {
  name: "entities",
  summary: "List all agents, commands, skills and workflows",
  arguments: {},
  options: {
    type: typeOption,
    provider: { kind: "choice", value: "provider", choices: providers, many: true, summary: "Only this format" },
    shadowed: { kind: "flag", summary: "Only those that lose their name to another, and which one wins" },
  },
  examples: [
    { command: "atomic entities", shows: "Everything in the project, in your home folder and built into atomic." },
    { command: "atomic entities --type agent --type skill", shows: "Agents and skills." },
    {
      command: "atomic entities --provider claude --shadowed",
      shows: "Claude's files that lose their name to another.",
    },
  ],
  run: listEntities,
  report: entitiesReport,
};

async function listEntities(context: Context, asked: Input): Promise<EntitiesResult> {
  const { registry, where } = await loadEntities(context);
  const isAskedFor = ({ type, provider }: EntityRecord): boolean =>
    isAmong(type, asked.type) && isAmong(provider, asked.provider);
  const losers = losersOf(registry).filter(isAskedFor);
  const winners = registry.all().map((entity) => recordOf(entity, registry));
  return {
    where,
    asked,
    entities: asked.shadowed ? losers : winners.filter(isAskedFor),
    shadowedCount: losers.length,
    lookedIn: await placesOf(asked),
    diagnostics: [...registry.diagnostics(), ...registry.entries().flatMap((entity) => entity.diagnostics)],
  };
}

function losersOf(registry: EntityRegistry): ListedEntity[] {
  return registry.shadowed().map(({ entity, by }) => ({
    ...recordOf(entity, registry),
    shadowedBy: { qualifiedName: registry.qualifiedName(by), because: whyWins(by, entity) },
  }));
}

async function placesOf({ type, provider }: Input): Promise<readonly string[]> {
  const { formats } = await import("@atomic/workflows/formats/all");
  const places = formats
    .filter((format) => isAmong(format.provider, provider))
    .flatMap((format) => format.places)
    .filter((place) =>
      place.kind === "config" ? place.types.some((one) => isAmong(one, type)) : isAmong(place.type, type),
    );
  return [...new Set(places.map(({ location, path }) => (location === "user" ? `~/${path}` : path)))];
}

/** Nothing chosen means everything. */
function isAmong<Choice>(one: Choice, chosen: readonly Choice[]): boolean {
  return chosen.length === 0 || chosen.includes(one);
}
