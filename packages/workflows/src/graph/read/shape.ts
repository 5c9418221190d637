// Small checks that make larger ones: what data from outside must look like.

/** Tells `report` about all that is wrong with a value; `at` is its place. */
export type Shape = (value: unknown, at: string, report: Report) => void;
export type Report = (at: string, message: string) => void;

export const text: Shape = expecting("text", (value) => typeof value === "string");
export const word: Shape = expecting("text that is not empty", (value) => typeof value === "string" && value !== "");
export const flag: Shape = expecting("true or false", (value) => typeof value === "boolean");
export const number: Shape = expecting("a number", isNumber);
export const amount: Shape = expecting("a number above 0", (value) => isNumber(value) && value > 0);
export const notNegative: Shape = expecting("a number from 0", (value) => isNumber(value) && value >= 0);
export const count: Shape = expecting(
  "a whole number from 1",
  (value) => Number.isSafeInteger(value) && Number(value) > 0,
);
export const countOrNone: Shape = expecting(
  "a whole number from 0",
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);
/** Whatever was read as JSON is JSON. */
export const anything: Shape = (value, at, report) => {
  if (value === undefined) report(at, "is missing.");
};

export function oneOf(...words: readonly string[]): Shape {
  return expecting(words.map((each) => `"${each}"`).join(" or "), (value) => words.includes(value as string));
}

export function list(item: Shape, least = 0): Shape {
  return (value, at, report) => {
    if (!Array.isArray(value)) {
      report(at, `must be a list, not ${named(value)}.`);
      return;
    }
    if (value.length < least) report(at, `needs at least ${least === 1 ? "one item" : `${least} items`}.`);
    for (const [index, each] of value.entries()) item(each, `${at}[${index}]`, report);
  };
}

export function record(item: Shape): Shape {
  return (value, at, report) => {
    if (!isObject(value)) {
      report(at, `must be an object, not ${named(value)}.`);
      return;
    }
    for (const [key, each] of Object.entries(value)) item(each, inside(at, key), report);
  };
}

/** Exactly these keys; those of `optional` may be missing. */
export function object(
  required: Readonly<Record<string, Shape>>,
  optional: Readonly<Record<string, Shape>> = {},
): Shape {
  return (value, at, report) => {
    if (!isObject(value)) {
      report(at, `must be an object, not ${named(value)}.`);
      return;
    }
    for (const [key, shape] of Object.entries(required)) {
      if (Object.hasOwn(value, key)) shape(value[key], inside(at, key), report);
      else report(inside(at, key), "is missing.");
    }
    for (const [key, each] of Object.entries(value)) {
      if (Object.hasOwn(required, key)) continue;
      if (Object.hasOwn(optional, key)) optional[key]?.(each, inside(at, key), report);
      else report(inside(at, key), "is not a key that belongs here.");
    }
  };
}

/** The first shape whose key is there decides. */
export function byKey(shapes: Readonly<Record<string, Shape>>): Shape {
  return (value, at, report) => {
    const key = isObject(value) ? Object.keys(shapes).find((each) => Object.hasOwn(value, each)) : undefined;
    if (key === undefined) report(at, `must be an object with ${Object.keys(shapes).join(" or ")}.`);
    else shapes[key]?.(value, at, report);
  };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function inside(at: string, key: string): string {
  return at === "" ? key : `${at}.${key}`;
}

function expecting(what: string, fits: (value: unknown) => boolean): Shape {
  return (value, at, report) => {
    if (!fits(value)) report(at, `must be ${what}, not ${named(value)}.`);
  };
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function named(value: unknown): string {
  if (typeof value === "string") return value.length > 40 ? `"${value.slice(0, 40)}…"` : `"${value}"`;
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
