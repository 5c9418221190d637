import { relative } from "node:path";
import type { ChoiceSpec, Command, CommandLineInput, FlagSpec } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import { safe } from "@atomic/terminal/safe-text";
import { type Cell, formatTable } from "@atomic/terminal/table";
import { paragraph } from "@atomic/terminal/wrap";
import type { Diagnostic } from "@atomic/workflows/internal/entities/diagnostic";
import {
  type Entity,
  type EntityType,
  entityTypes,
  type Provider,
  providers,
} from "@atomic/workflows/internal/entities/entity";
import type { FormatPlace } from "@atomic/workflows/internal/entities/format";
import {
  countRegistrations,
  formatRegistration,
  type Registration,
} from "@atomic/workflows/internal/entities/registration";
import { newRegistryStats, type RegistryStats } from "@atomic/workflows/internal/entities/registry-stats";
import type { AtomicContext } from "../context.ts";
import { type EntityRecord, recordOf } from "../entities/entity-record.ts";
import { loadEntities } from "../entities/load-entities.ts";
import { whyWins } from "../entities/namesakes.ts";
import { typeOption } from "../options.ts";
import { countDiagnostics, formatDiagnostic } from "../report/diagnostics.ts";
import { documentOf, shortPath, type Where } from "../report/path.ts";

type Options = {
  readonly type: ChoiceSpec<EntityType> & { readonly many: true };
  readonly provider: ChoiceSpec<Provider> & { readonly many: true };
  readonly shadowed: FlagSpec;
  readonly verbose: FlagSpec;
  readonly stats: FlagSpec;
};

interface EntitiesResult {
  readonly where: Where;
  readonly asked: CommandLineInput<Record<never, never>, Options>;
  readonly entities: readonly ListedEntity[];
  /** How many there are of what was asked for that lose their name to another. */
  readonly shadowedCount: number;
  /** Where such files would be. */
  readonly lookedIn: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** With `--verbose`: how many were registered from each source. */
  readonly registrations?: readonly Registration[];
  /** With `--stats`: what this command looked up. */
  readonly stats?: RegistryStats;
}

interface ListedEntity extends EntityRecord {
  readonly shadowedBy?: { readonly qualifiedName: string; readonly because: string };
}

export const entities: Command<AtomicContext, Record<never, never>, Options, EntitiesResult> = {
  name: "entities",
  summary: "List all agents, commands, skills and workflows",
  arguments: {},
  options: {
    type: typeOption,
    provider: { kind: "choice", value: "provider", choices: providers, many: true, summary: "Show only this format" },
    shadowed: { kind: "flag", summary: "Show only shadowed entities, and what shadows them" },
    verbose: { kind: "flag", summary: "Also show how many entities were registered from each format" },
    stats: {
      kind: "flag",
      summary: "Also show how many lookups there were, and what came from the cache",
    },
  },
  examples: [
    { command: "atomic entities", shows: "List everything in the project, in your home folder and built into atomic." },
    { command: "atomic entities --type agent --type skill", shows: "List only agents and skills." },
    {
      command: "atomic entities --provider claude --shadowed",
      shows: "List the Claude files that another file shadows.",
    },
    {
      command: "atomic entities --verbose --stats",
      shows: "Also show where the entities come from, and how long looking one up takes.",
    },
  ],
  run: async (context, asked) => {
    const stats = asked.stats ? newRegistryStats() : undefined;
    const { registry, where } = await loadEntities(context, stats && { stats });
    const [{ formats }, { foldersOf }, { isReadByNone }] = await Promise.all([
      import("@atomic/workflows/internal/entities/formats/all"),
      import("@atomic/workflows/internal/entities/initialize"),
      import("@atomic/workflows/internal/entities/tools/read-by-none"),
    ]);
    const isRead = (entity: Entity): boolean => !isReadByNone(entity);
    const isAskedFor = ({ type, provider }: EntityRecord): boolean =>
      isAmong(type, asked.type) && isAmong(provider, asked.provider);
    const shadowed = registry
      .shadowed()
      .filter(({ entity }) => isRead(entity))
      .map(({ entity, by }) => ({
        ...recordOf(entity, registry),
        shadowedBy: { qualifiedName: registry.qualifiedName(by), because: whyWins(by, entity) },
      }));
    const losers = shadowed.filter(isAskedFor);
    const winners = registry
      .all()
      .filter(isRead)
      .map((entity) => recordOf(entity, registry));
    const places = formats
      .filter((format) => isAmong(format.provider, asked.provider))
      .flatMap((format) => format.places)
      .filter((place) =>
        (place.kind === "config" ? place.types : [place.type]).some((one) => isAmong(one, asked.type)),
      );
    const { project: projectPath, home: userPath } = where;
    const home = foldersOf({ projectPath, userPath, env: context.env }).find(({ location }) => location === "user");
    const lookedIn = (place: FormatPlace): readonly string[] =>
      place.location === "project"
        ? [place.path]
        : (home?.locate(place) ?? []).map(({ path }) => shortPath(path, where));
    return {
      where,
      asked,
      entities: asked.shadowed ? losers : winners.filter(isAskedFor),
      shadowedCount: losers.length,
      lookedIn: [...new Set(places.flatMap(lookedIn))],
      diagnostics: [...registry.diagnostics(), ...registry.entries().flatMap((entity) => entity.diagnostics)],
      ...(asked.verbose && {
        registrations: countRegistrations(
          registry.entries().filter(isRead),
          asked.provider.length === 0 ? undefined : asked.provider,
        ),
      }),
      ...(stats && { stats }),
    };
  },
  report: {
    text: ({ asked, entities: found, where }, page) => {
      if (found.length === 0) return "";
      if (asked.shadowed) {
        const columns = [
          { title: "TYPE" },
          { title: "SHADOWED", least: 16 },
          { title: "BY", least: 16 },
          { title: "BECAUSE", least: 10 },
        ];
        const rows = found.map(({ type, qualifiedName, shadowedBy }): Cell[] => [
          { text: type, colour: "dim" },
          { text: qualifiedName, colour: "bold" },
          shadowedBy?.qualifiedName ?? "",
          shadowedBy?.because ?? "",
        ]);
        return formatTable(columns, rows, page);
      }
      const columns = [
        { title: "TYPE" },
        { title: "NAME", least: 16 },
        { title: "FROM" },
        { title: "DESCRIPTION", least: 16 },
      ];
      const rows = found.map(
        ({ type, displayName, provider, location, folder, disabledBecause, description }): Cell[] => [
          { text: type, colour: "dim" },
          { text: displayName, colour: "bold" },
          {
            text: `${provider}:${location}${folder === undefined ? "" : ` in ${relative(where.cwd, folder) || "."}`}`,
            colour: "cyan",
          },
          disabledBecause === undefined ? description : { text: `disabled: ${disabledBecause}`, colour: "red" },
        ],
      );
      return formatTable(columns, rows, page);
    },
    notes: (result, page) => {
      const errors = result.diagnostics.filter(({ severity }) => severity === "error");
      const problems = errors.map((error) => formatDiagnostic(error, result.where, page));
      const { registrations = [], stats } = result;
      const outcome = [
        ...(result.entities.length === 0 ? describeNothing(result) : [summarize(result)]),
        ...registrations.map(formatRegistration),
        ...(stats === undefined ? [] : [describeStats(stats)]),
      ];
      // On a terminal the table is right above.
      const space = page.columns === undefined || result.entities.length === 0 ? "" : "\n";
      return [space, ...problems, ...outcome.map((text) => paragraph(text, page, { indent: "  " }))].join("");
    },
    json: ({ where, entities: found, diagnostics, registrations, stats }) =>
      documentOf(where, { entities: found, diagnostics, registrations, stats }),
    exitCode: () => 0,
  },
};

/** An empty choice means everything. */
function isAmong<Choice>(one: Choice, chosen: readonly Choice[]): boolean {
  return chosen.length === 0 || chosen.includes(one);
}

function summarize({ asked, entities, shadowedCount, diagnostics }: EntitiesResult): string {
  const byType = entityTypes.flatMap((type) => {
    const amount = entities.filter((entity) => entity.type === type).length;
    return amount === 0 ? [] : [count(amount, type)];
  });
  const total = asked.shadowed ? `${entities.length} shadowed` : count(entities.length, "entity", "entities");
  const more = [
    ...(asked.shadowed || shadowedCount === 0 ? [] : [`${shadowedCount} shadowed (see --shadowed)`]),
    ...(diagnostics.length === 0 ? [] : [`${countDiagnostics(diagnostics)} (see \`atomic lint\`)`]),
  ];
  return [`${total}: ${byType.join(", ")}`, ...more].join("; ");
}

function describeStats({ lookups, found, lookupMs, sortedNames, sortedNamesCached }: RegistryStats): string {
  const each = lookups === 0 ? "" : `, ${((lookupMs * 1000) / lookups).toFixed(1)} µs each`;
  const cached = `${sortedNamesCached} of ${count(sortedNames, "sorted list")} of names from the cache`;
  return `${count(lookups, "lookup")}, ${found} found${each}; ${cached}`;
}

function describeNothing({ asked, where, shadowedCount, lookedIn }: EntitiesResult): readonly string[] {
  const types = asked.type.length === 0 ? "entities" : asked.type.map((type) => `${type}s`).join(" or ");
  const from = asked.provider.length === 0 ? "" : ` from ${asked.provider.join(" or ")}`;
  if (asked.shadowed) return [`No ${types}${from} are shadowed.`];
  const others = shadowedCount === 0 ? "." : `, but ${shadowedCount} shadowed (see --shadowed).`;
  const places =
    lookedIn.length === 0 ? "Files of that kind are not supported yet" : `Looked in ${lookedIn.join(", ")}`;
  return [`No ${types}${from} found${others}`, safe`${places}; the project is ${where.project}.`];
}
