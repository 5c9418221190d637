// Everything that can be typed after a slash: what the prompt line does itself, the commands of `atomic`, and what the
// project and your home contain.
import { argumentTerm } from "@atomic/terminal/command";
import { typedText } from "@atomic/terminal/keys";
import type { Entity, EntityType } from "@atomic/workflows/internal/entities/entity";
import type { EntityRegistry } from "@atomic/workflows/internal/entities/registry";
import { commands } from "../commands.ts";
import type { AtomicContext } from "../context.ts";
import { loadEntities } from "../entities/load-entities.ts";
import { isOwnName, ownEntries } from "./line/own-commands.ts";
import type { LeftOut, PromptEntry } from "./line/suggestions.ts";

/** An entry for something in the registry. */
export interface EntityEntry extends PromptEntry {
  readonly entity: Entity;
}

export interface LoadedCatalog {
  readonly entries: readonly PromptEntry[];
  /** What the project has and the catalog has not. */
  readonly leftOut: readonly LeftOut[];
  readonly registry: EntityRegistry;
}

export function isEntityEntry(entry: PromptEntry): entry is EntityEntry {
  return "entity" in entry;
}

/** Does nothing that makes sense here: the prompt line completes by itself, and it is one. */
const leftOut = ["completion"];

/** `atomic`'s own commands, each with what follows its name. */
async function atomicEntries(): Promise<PromptEntry[]> {
  const rows = commands.filter(({ name }) => !isOwnName(name) && !leftOut.includes(name) && !name.includes(" "));
  return await Promise.all(
    rows.map(async ({ name, load }): Promise<PromptEntry> => {
      const { summary, arguments: args } = await load();
      const hint = Object.entries(args).map(argumentTerm).join(" ");
      return { name, kind: "own", description: summary, aliases: [], hint };
    }),
  );
}

/** Who wins a name: what the prompt line does itself, then as `getCommandHint` looks it up; yours before builtins. */
const order: readonly EntityType[] = ["command", "skill", "workflow", "agent"];

export async function loadCatalog(context: AtomicContext): Promise<LoadedCatalog> {
  const [{ registry }, { hintWhileTyping }, own] = await Promise.all([
    loadEntities(context),
    import("@atomic/workflows/internal/entities/hints"),
    atomicEntries(),
  ]);
  const entries = new Map<string, PromptEntry>([...ownEntries, ...own].map((entry) => [entry.name, entry]));
  const all = order.flatMap((type) => registry.all(type));
  const leftOut: LeftOut[] = [];
  const builtin = ({ source }: Entity): boolean => source.location === "builtin";
  for (const entity of [...all.filter((each) => !builtin(each)), ...all.filter(builtin)]) {
    // A namesake can still be typed by its whole name.
    const name = entries.has(entity.name) ? registry.qualifiedName(entity).toLowerCase() : entity.name;
    if (/\s/.test(name)) leftOut.push({ name, because: "has spaces" });
    else if (typedText(name) !== name) leftOut.push({ name, because: "cannot be typed" });
    else if (entries.has(name)) leftOut.push({ name, because: "is taken" });
    else
      entries.set(
        name,
        entryOf(entity, name, (each) => hintWhileTyping(each)),
      );
  }
  return { entries: [...entries.values()], leftOut, registry };
}

/** The hint may have to be read from the file's body, so it is looked up when it is shown. */
function entryOf(entity: Entity, name: string, hintOf: (entity: Entity) => string | undefined): EntityEntry {
  let hint: { readonly value: string | undefined } | undefined;
  return {
    name,
    kind: entity.type,
    description: entity.description,
    aliases: entity.aliases,
    entity,
    get hint() {
      hint ??= { value: entity.type === "agent" ? "[task]" : hintOf(entity) };
      return hint.value;
    },
  };
}
