import { expect, test } from "bun:test";
import type { Entity } from "@atomic/workflows/internal/entities/entity";
import { entityTypes, providers } from "@atomic/workflows/internal/entities/entity";
import { formats } from "@atomic/workflows/internal/entities/formats/all";
import { lookupKey } from "@atomic/workflows/internal/entities/qualified-name";
import { createEntityRegistry, type EntityRegistry } from "@atomic/workflows/internal/entities/registry";
import fc from "fast-check";
import { findNamesakes } from "../src/entities/namesakes.ts";

test("the words of the command line are those of the library", () => {
  expect([...providers]).toEqual(formats.map(({ provider }) => provider));
  const types = formats.flatMap(({ places }) =>
    places.flatMap((place) => (place.kind === "folder" ? [place.type] : [])),
  );
  expect([...entityTypes]).toEqual([...new Set(types)].sort());
});

const word = fc.constantFrom("a", "B", "b", "c:d", "é", "e\u0301");

/** Files of any format, in any of its places, whatever they call themselves. */
const inputs = fc.array(
  fc.record({
    type: fc.constantFrom(...entityTypes),
    name: word,
    aliases: fc.array(word, { maxLength: 2 }),
    place: fc.constantFrom(...formats.flatMap(({ provider, places }) => places.map((place) => ({ provider, place })))),
    file: fc.nat(3),
  }),
  { maxLength: 12 },
);

function registryOf(files: typeof inputs extends fc.Arbitrary<infer Files> ? Files : never): EntityRegistry {
  const registry = createEntityRegistry();
  for (const { type, name, aliases, place, file } of files) {
    const { provider } = place;
    const { location, path: folder } = place.place;
    const relative = `${file}.md`;
    const source = { provider, location, place: folder, relative, path: `/${location}/${folder}/${relative}` };
    registry.register({ type, name, aliases, description: "", prompt: "", source });
  }
  return registry;
}

function hasName(entity: Entity, name: string): boolean {
  return [entity.name, ...entity.aliases].map(lookupKey).includes(lookupKey(name));
}

test("the winner comes first, followed once by every other entity of that name", () => {
  fc.assert(
    fc.property(inputs, word, fc.constantFrom(...entityTypes), (files, name, type) => {
      const registry = registryOf(files);
      const found = findNamesakes(registry, { name, types: [type], keyOf: lookupKey }).map(({ entity }) => entity);
      expect(found[0]).toBe(registry.get(type, name) as Entity);
      expect(new Set(found).size).toBe(found.length);
      const all = registry.entries().filter((entity) => entity.type === type && hasName(entity, name));
      expect(found).toEqual(expect.arrayContaining(all));
    }),
  );
});

test("every entity but the winner says which one beats it, and why", () => {
  fc.assert(
    fc.property(inputs, word, (files, name) => {
      const registry = registryOf(files);
      for (const type of entityTypes) {
        const [first, ...others] = findNamesakes(registry, { name, types: [type], keyOf: lookupKey });
        if (first === undefined) continue;
        expect(["only", "winner", "answers-alias"]).toContain(first.standing.kind);
        for (const { standing } of others) {
          expect(standing).toMatchObject({ by: registry.qualifiedName(first.entity), because: expect.any(String) });
          expect(standing).not.toMatchObject({ because: expect.stringContaining("undefined") });
        }
      }
    }),
  );
});

test("a qualified name finds exactly one entity and its position among its namesakes", () => {
  fc.assert(
    fc.property(inputs, (files) => {
      const registry = registryOf(files);
      for (const entity of registry.entries()) {
        const name = registry.qualifiedName(entity);
        const found = findNamesakes(registry, { name, types: [entity.type], keyOf: lookupKey });
        const isWinner = registry.get(entity.type, entity.name) === entity;
        expect(found).toEqual([{ entity, standing: expect.anything() }]);
        expect(isWinner ? ["only", "winner"] : ["shadowed"]).toContain(found[0]?.standing.kind ?? "");
      }
    }),
  );
});
