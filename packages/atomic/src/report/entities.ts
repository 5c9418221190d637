import type { Report } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { safe } from "@atomic/terminal/safe-text";
import { type Cell, formatTable } from "@atomic/terminal/table";
import { paragraph } from "@atomic/terminal/wrap";
import type { EntitiesResult, ListedEntity } from "../commands/entities.ts";
import { entityTypes } from "../vocabulary.ts";
import { countDiagnostics, formatDiagnostic } from "./diagnostics.ts";

export const entitiesReport: Report<EntitiesResult> = {
  text: (result, page) => {
    if (result.entities.length === 0) return "";
    return result.asked.shadowed ? shadowedTable(result, page) : entityTable(result, page);
  },
  notes: (result, page) => {
    const errors = result.diagnostics.filter(({ severity }) => severity === "error");
    const problems = errors.map((error) => formatDiagnostic(error, result.where, page));
    const outcome = result.entities.length === 0 ? nothingFound(result) : [summary(result)];
    // On a terminal the table stands right above.
    const space = page.columns === undefined || result.entities.length === 0 ? "" : "\n";
    return [space, ...problems, ...outcome.map((text) => paragraph(text, page, { indent: "  " }))].join("");
  },
  json: ({ where, entities, diagnostics }) => ({
    version: 1,
    project: where.project,
    home: where.home,
    entities,
    diagnostics,
  }),
  exitCode: () => 0,
};

function entityTable({ entities }: EntitiesResult, page: Page): string {
  const columns = [
    { title: "TYPE" },
    { title: "NAME", least: 16 },
    { title: "FROM" },
    { title: "DESCRIPTION", least: 16 },
  ];
  const rows = entities.map((entity): Cell[] => [
    { text: entity.type, colour: "dim" },
    { text: entity.displayName, colour: "bold" },
    { text: `${entity.provider}:${entity.location}`, colour: "cyan" },
    aboutOf(entity),
  ]);
  return formatTable(columns, rows, page);
}

function aboutOf({ disabledBecause, description }: ListedEntity): Cell {
  if (disabledBecause === undefined) return description;
  return { text: `disabled: ${disabledBecause}`, colour: "red" };
}

function shadowedTable({ entities }: EntitiesResult, page: Page): string {
  const columns = [
    { title: "TYPE" },
    { title: "SHADOWED", least: 16 },
    { title: "BY", least: 16 },
    { title: "BECAUSE", least: 10 },
  ];
  const rows = entities.map(({ type, qualifiedName, shadowedBy }): Cell[] => [
    { text: type, colour: "dim" },
    { text: qualifiedName, colour: "bold" },
    shadowedBy?.qualifiedName ?? "",
    shadowedBy?.because ?? "",
  ]);
  return formatTable(columns, rows, page);
}

function summary({ asked, entities, shadowedCount, diagnostics }: EntitiesResult): string {
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

function nothingFound({ asked, where, shadowedCount, lookedIn }: EntitiesResult): readonly string[] {
  const types = asked.type.length === 0 ? "entities" : asked.type.map((type) => `${type}s`).join(" or ");
  const from = asked.provider.length === 0 ? "" : ` from ${asked.provider.join(" or ")}`;
  if (asked.shadowed) return [`No ${types}${from} lose their name to another.`];
  const others = shadowedCount === 0 ? "." : `, but ${shadowedCount} shadowed (see --shadowed).`;
  const places = lookedIn.length === 0 ? "No file of that kind is read yet" : `Looked in ${lookedIn.join(", ")}`;
  return [`No ${types}${from} found${others}`, safe`${places}; the project is ${where.project}.`];
}
