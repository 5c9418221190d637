import type { ArgumentSpec, ChoiceSpec, Command, InputOf } from "@atomic/terminal/command";
import { didYouMean } from "@atomic/terminal/suggest";
import type { Diagnostic } from "@atomic/workflows/diagnostic";
import type { EntityType } from "@atomic/workflows/entity";
import type { EntityRegistry } from "@atomic/workflows/registry";
import type { Context } from "../context.ts";
import { type EntityRecord, recordOf } from "../entities/entity-record.ts";
import { loadEntities } from "../entities/load-entities.ts";
import { findNamesakes, type Namesake, type Standing } from "../entities/namesakes.ts";
import { type Reader, readersIn } from "../entities/readers.ts";
import type { Where } from "../report/path.ts";
import { whichReport } from "../report/which.ts";
import { entityTypes, typeOption } from "../vocabulary.ts";

type Arguments = { readonly name: ArgumentSpec & { readonly count: "one" } };
type Options = { readonly type: ChoiceSpec<EntityType> & { readonly many: true } };
type Input = InputOf<Arguments, Options>;

export interface WhichResult {
  readonly where: Where;
  readonly asked: Input;
  /** By type; of each type the one that answers first. */
  readonly matches: readonly Match[];
  /** What may have been meant, if there is no match. */
  readonly suggestions: readonly string[];
  /** Files that may hold the name but cannot be read, if there is no match. */
  readonly unread: readonly Diagnostic[];
}

export interface Match extends EntityRecord {
  readonly standing: Standing;
  readonly readers: readonly Reader[];
  readonly diagnostics: readonly Diagnostic[];
}

export const which: Command<Context, Arguments, Options, WhichResult> = {
  name: "which",
  summary: "Show what a name resolves to, why, and how each tool reads it",
  arguments: {
    name: { count: "one", summary: "A name or an alias, or a qualified name such as claude:project/commit" },
  },
  options: { type: typeOption },
  examples: [
    { command: "atomic which commit", shows: "Everything called commit, the winner first." },
    { command: "atomic which commit --type skill", shows: "Only skills with that name." },
    { command: "atomic which claude:user/commit", shows: "One that loses its name to another." },
  ],
  run: explainName,
  report: whichReport,
};

async function explainName(context: Context, asked: Input): Promise<WhichResult> {
  const [{ registry, where }, { lookupKey }, { unreadSources }] = await Promise.all([
    loadEntities(context),
    import("@atomic/workflows/lookup-key"),
    import("@atomic/workflows/entity-not-found"),
  ]);
  const types = asked.type.length === 0 ? entityTypes : asked.type;
  const found = spellings(asked.name)
    .map((name) => findNamesakes(registry, { name, types, keyOf: lookupKey }))
    .find((namesakes) => namesakes.length > 0);
  if (found === undefined) {
    const suggestions = suggestionsFor(asked.name, registry, types);
    return { where, asked, matches: [], suggestions, unread: unreadSources(registry.diagnostics()) };
  }
  return { where, asked, matches: await matchesOf(found, registry), suggestions: [], unread: [] };
}

/** People write commands as `/commit` and mention agents as `@reviewer`. */
function spellings(name: string): readonly string[] {
  return /^[/@]./.test(name) ? [name, name.slice(1)] : [name];
}

async function matchesOf(namesakes: readonly Namesake[], registry: EntityRegistry): Promise<readonly Match[]> {
  const [readersOf, { getCommandHint }] = await Promise.all([readersIn(registry), import("@atomic/workflows/hints")]);
  return namesakes.map(({ entity, standing }) => {
    const takesArguments = entity.type === "command" || entity.type === "skill";
    // A disabled entity's body may be unreadable.
    const isUsable = entity.disabledBecause === undefined;
    const argumentHint = takesArguments && isUsable ? getCommandHint(entity) : undefined;
    return {
      ...recordOf(entity, registry),
      ...(argumentHint !== undefined && { argumentHint }),
      standing,
      readers: readersOf(entity),
      diagnostics: entity.diagnostics,
    };
  });
}

function suggestionsFor(name: string, registry: EntityRegistry, types: readonly EntityType[]): readonly string[] {
  const ofType = registry.entries().filter(({ type }) => types.includes(type));
  const isQualified = name.includes("/") && name.includes(":");
  const known = ofType.flatMap((entity) =>
    isQualified ? registry.qualifiedName(entity) : [entity.displayName, ...entity.aliases],
  );
  return didYouMean(spellings(name).at(-1) ?? name, known);
}
