import type { Entity } from "../../src/entities/entity.ts";
import type { ToolEntry, ToolView } from "../../src/entities/tools/tool.ts";
import { viewAs } from "../../src/entities/tools/view-as.ts";
import type { KnownDifference } from "./known-differences.ts";
import { entriesOf, type Line, type Listing } from "./listing.ts";

/** How an entry shows in the tool's own list; nothing if it does not. */
export type ToLines = (entry: ToolEntry) => Listing;

export interface Comparison {
  readonly ours: Listing;
  readonly theirs: Listing;
  /** The known differences that are really there. */
  readonly differing: readonly string[];
  /** What the tool chose where chance decides. */
  readonly byChance: readonly { readonly name: string; readonly isNamesake: boolean }[];
}

/** Takes the known differences and the choices by chance out of both lists, and tells about them. */
export function compare(
  view: ToolView,
  toLines: ToLines,
  theirs: Listing,
  known: readonly KnownDifference[],
): Comparison {
  const entries = entriesOf(view);
  const isChance = (line: Line): boolean =>
    entries.some(
      ({ decidedBy, name, ...entry }) => decidedBy === "chance" && name === line.name && matchesType(entry, line),
    );
  const isKnown = (line: Line): boolean => known.some((difference) => concerns(difference, line));
  const lines = entries.flatMap(toLines);
  const about = (difference: KnownDifference, list: Listing): string =>
    JSON.stringify(
      list
        .filter((line) => concerns(difference, line))
        .map((line) => JSON.stringify(line))
        .sort(),
    );
  return {
    ours: lines.filter((line) => !isKnown(line) && !isChance(line)),
    theirs: theirs.filter((line) => !isKnown(line) && !isChance(line)),
    differing: known.filter((each) => about(each, lines) !== about(each, theirs)).map(({ id }) => id),
    byChance: entries.flatMap((entry) =>
      entry.decidedBy === "chance" ? judgeChance(view, entry, toLines, theirs) : [],
    ),
  };
}

function concerns({ id }: KnownDifference, line: Line): boolean {
  return JSON.stringify(line).includes(id);
}

function matchesType({ type }: Pick<ToolEntry, "type">, line: Line): boolean {
  return line.type === type || (line.type === "slash" && type !== "agent");
}

function judgeChance(view: ToolView, entry: ToolEntry, toLines: ToLines, theirs: Listing): Comparison["byChance"] {
  const alone = (entity: Entity): Listing => entriesOf(viewAs(view.tool, [entity])).flatMap(toLines);
  const candidates = [entry.entity, ...entry.shadowed].flatMap(alone).map((line) => JSON.stringify(line));
  const chosen = theirs.filter((line) => line.name === entry.name && matchesType(entry, line));
  return chosen.map((line) => ({ name: line.name, isNamesake: candidates.includes(JSON.stringify(line)) }));
}
