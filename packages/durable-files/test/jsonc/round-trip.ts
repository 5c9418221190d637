import { editJsonc } from "@atomic/durable-files/jsonc/edit";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import type { JsonValue } from "@atomic/durable-files/jsonc/value";
import { containersOf } from "./places.ts";

export interface RoundTrip {
  readonly what: string;
  readonly inserted: string;
  /** The text after the insertion was undone, in either way. */
  readonly back: string;
}

const KEY = "new key";

/** Inserts at every place of the text where something can be inserted, and takes it out again. */
export function* roundTrips(text: string, value: JsonValue): Generator<RoundTrip> {
  for (const { path, container } of containersOf(parseJsonc(text))) {
    if (container.kind === "array") yield* itemRoundTrips(text, path, container.items.length, value);
    else for (const first of [false, true]) yield* keyRoundTrips(text, path, value, first);
  }
}

function* itemRoundTrips(
  text: string,
  path: readonly (string | number)[],
  length: number,
  value: JsonValue,
): Generator<RoundTrip> {
  for (let index = 0; index <= length; index++) {
    const inserted = editJsonc(text, [{ op: "insert", path, value, index }]);
    const back = editJsonc(inserted, [{ op: "remove", path: [...path, index] }]);
    yield { what: `item ${index} of ${JSON.stringify(path)}`, inserted, back };
  }
  const inserted = editJsonc(
    text,
    [value, "second"].map((item) => ({ op: "insert", path, value: item })),
  );
  const removeFirst = { op: "remove", path: [...path, length] } as const;
  yield {
    what: `two items of ${JSON.stringify(path)}`,
    inserted,
    back: editJsonc(inserted, [removeFirst, removeFirst]),
  };
}

function* keyRoundTrips(
  text: string,
  parent: readonly (string | number)[],
  value: JsonValue,
  first: boolean,
): Generator<RoundTrip> {
  const path = [...parent, KEY];
  const what = `${first ? "first" : "last"} key of ${JSON.stringify(parent)}`;
  const key = editJsonc(text, [{ op: "set", path, value, first }]);
  yield { what, inserted: key, back: editJsonc(key, [{ op: "remove", path }]) };
  const nested = editJsonc(text, [{ op: "set", path: [...path, "inner", "list"], value: [value], first }]);
  const stepwise = [[...path, "inner", "list", 0], [...path, "inner", "list"], [...path, "inner"], path];
  const back = editJsonc(
    nested,
    stepwise.map((step) => ({ op: "remove", path: step })),
  );
  yield { what: `${what}, with parents`, inserted: nested, back };
}
