import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Entity } from "../src/entities/entity.ts";
import { createEntityRegistry, type EntityRegistry } from "../src/entities/registry.ts";
import { entity } from "./entities.ts";

const word = fc.constantFrom("a", "b", "ab", "abc", "Ab", "ä", "A\u0308", "x/y", "n:x", "__proto__", "a@b");
const origin = fc.constantFrom(
  "claude:project",
  "claude:user",
  "opencode:project",
  "opencode:user",
  "atomic:builtin",
  "copilot:project",
) as fc.Arbitrary<NonNullable<Parameters<typeof entity>[1]>>;

/** Each from a file of its own, as on a disk; names and aliases collide all the time. */
const entities = fc
  .array(
    fc.record({
      name: word,
      origin,
      type: fc.constantFrom("command", "skill"),
      aliases: fc.array(word, { maxLength: 3 }),
    }),
    { maxLength: 12 },
  )
  .map((facts) =>
    facts.map(({ name, origin: from, type, aliases }, at) => {
      const [provider, location] = from.split(":") as [Entity["source"]["provider"], Entity["source"]["location"]];
      const relative = `${at}.md`;
      const source = { provider, location, path: `/${from}/${type}/${relative}`, place: type, relative };
      return entity(name, from, { type, aliases, source });
    }),
  );

function registryOf(list: readonly Entity[]): EntityRegistry {
  const registry = createEntityRegistry();
  for (const each of list) registry.register(each);
  return registry;
}

const types = ["command", "skill"] as const;
const prefixes = ["", "a", "A", "ab", "ä", "x", "n:", "_"];

function everythingAbout(registry: EntityRegistry): unknown {
  return {
    all: registry.all(),
    entries: registry.entries(),
    shadowed: registry.shadowed(),
    found: types.flatMap((type) => prefixes.map((prefix) => registry.search(type, prefix))),
    qualified: registry.entries().map((each) => registry.qualifiedName(each)),
  };
}

test("the order of registration never matters", () => {
  fc.assert(
    fc.property(
      entities.chain((list) =>
        fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length })),
      ),
      ([list, shuffled]) => {
        expect(everythingAbout(registryOf(shuffled))).toEqual(everythingAbout(registryOf(list)));
      },
    ),
    { numRuns: 500 },
  );
});

test("registering and replacing in any order leaves what registering the last ones leaves", () => {
  fc.assert(
    fc.property(entities, entities, (before, after) => {
      // `after` lies in the same files as `before` as far as both have an origin and a type in common.
      const last = new Map([...before, ...after].map((each) => [each.source.path, each]));
      const registry = registryOf([...before, ...after]);
      expect(everythingAbout(registry)).toEqual(everythingAbout(registryOf([...last.values()])));
    }),
    { numRuns: 300 },
  );
});

test("every entity is reachable, a plain name or alias leads to a winner, and a name beats every alias", () => {
  fc.assert(
    fc.property(entities, (list) => {
      const registry = registryOf(list);
      for (const each of list) {
        const { type, name, aliases } = each;
        expect(registry.get(type, registry.qualifiedName(each))).toBe(each);
        const winners = registry.all(type);
        expect(winners).toContain(registry.require(type, name));
        for (const alias of aliases) {
          const found = registry.require(type, alias);
          const named = winners.find((winner) => winner.name.normalize("NFC") === alias.toLowerCase().normalize("NFC"));
          expect(winners).toContain(found);
          if (named !== undefined) expect(found).toBe(named);
        }
      }
      expect(registry.all().length + registry.shadowed().length).toBe(list.length);
    }),
    { numRuns: 500 },
  );
});

test("a search returns exactly the winners whose name or alias has that prefix", () => {
  fc.assert(
    fc.property(entities, fc.constantFrom(...prefixes), (list, prefix) => {
      const registry = registryOf(list);
      for (const type of types) {
        const key = (text: string): string => text.toLowerCase().normalize("NFC");
        const words = list.filter((each) => each.type === type).flatMap(({ name, aliases }) => [name, ...aliases]);
        const expected = new Set(
          words.filter((each) => key(each).startsWith(key(prefix))).map((each) => registry.get(type, each)),
        );
        const found = registry.search(type, prefix);
        expect(new Set(found)).toEqual(expected as Set<Entity>);
        expect(found.length).toBe(expected.size);
      }
    }),
    { numRuns: 500 },
  );
});
