import { describe, expect, test } from "bun:test";
import { providers } from "../src/entities/entity.ts";
import { formats } from "../src/entities/formats/all.ts";
import { compareRank } from "../src/entities/rank.ts";
import { entity } from "./entities.ts";

test("formats are listed in the order in which they win", () => {
  expect(formats.map(({ provider }) => provider)).toEqual([...providers]);
});

describe("a file wins by the place of its format that comes first", () => {
  const types = ["agent", "command", "skill", "workflow"] as const;
  const locations = ["project", "user"] as const;
  for (const { provider, places } of formats) {
    for (const type of types) {
      for (const location of locations) {
        const inOrder = places
          .filter((place) => place.location === location && (place.kind === "config" || place.type === type))
          .map(({ path }) => path);
        // One folder may be two places, for two kinds of file.
        const distinct = [...new Set(inOrder)];
        if (distinct.length < 2) continue;
        test(`${provider}: ${type}s of the ${location}`, () => {
          // The later its place, the earlier the path in the alphabet: so only the place can put them in order.
          const rivals = distinct.map((place, index) => {
            const path = `/${String.fromCharCode(122 - index)}`;
            return entity("x", `${provider}:${location}`, { type, source: { provider, location, place, path } });
          });
          expect(rivals.toSorted(compareRank).map(({ source }) => source.place)).toEqual(distinct);
        });
      }
    }
  }
});
