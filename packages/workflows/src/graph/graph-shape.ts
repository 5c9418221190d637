import { graphVersion, type NodeKind } from "./graph-json.ts";

// Small checks that make larger ones: what data from outside must look like.

/** Tells `report` about all that is wrong with a value; `at` is its place. */
export type Shape = (value: unknown, at: string, report: Report) => void;
type Report = (at: string, message: string) => void;

const text: Shape = expecting("text", (value) => typeof value === "string");
const word: Shape = expecting("text that is not empty", (value) => typeof value === "string" && value !== "");
const flag: Shape = expecting("true or false", (value) => typeof value === "boolean");
const number: Shape = expecting("a number", isNumber);
const amount: Shape = expecting("a number above 0", (value) => isNumber(value) && value > 0);
const notNegative: Shape = expecting("a number from 0", (value) => isNumber(value) && value >= 0);
const count: Shape = expecting("a whole number from 1", (value) => Number.isSafeInteger(value) && Number(value) > 0);
const countOrNone: Shape = expecting(
  "a whole number from 0",
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);
/** Whatever was read as JSON is JSON. */
const anything: Shape = (value, at, report) => {
  if (value === undefined) report(at, "is missing.");
};

function oneOf(...words: readonly string[]): Shape {
  return expecting(words.map((each) => `"${each}"`).join(" or "), (value) => words.includes(value as string));
}

function list(item: Shape, least = 0): Shape {
  return (value, at, report) => {
    if (!Array.isArray(value)) {
      report(at, `must be a list, not ${named(value)}.`);
      return;
    }
    if (value.length < least) report(at, `needs at least ${least === 1 ? "one item" : `${least} items`}.`);
    for (const [index, each] of value.entries()) item(each, `${at}[${index}]`, report);
  };
}

function record(item: Shape): Shape {
  return (value, at, report) => {
    if (!isObject(value)) {
      report(at, `must be an object, not ${named(value)}.`);
      return;
    }
    for (const [key, each] of Object.entries(value)) item(each, inside(at, key), report);
  };
}

/** Exactly these keys; those of `optional` may be missing. */
function object(required: Readonly<Record<string, Shape>>, optional: Readonly<Record<string, Shape>> = {}): Shape {
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
function byKey(shapes: Readonly<Record<string, Shape>>): Shape {
  return (value, at, report) => {
    const key = isObject(value) ? Object.keys(shapes).find((each) => Object.hasOwn(value, each)) : undefined;
    if (key === undefined) report(at, `must be an object with ${Object.keys(shapes).join(" or ")}.`);
    else shapes[key]?.(value, at, report);
  };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function inside(at: string, key: string): string {
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

// What the data of a graph looks like, kind by kind.
export const graphShape: Shape = object(
  {
    version,
    name: word,
    state: record(object({ initial: anything, reducer: oneOf("last", "append", "merge", "sum", "max", "custom") })),
    nodes,
  },
  { description: text, arguments: record(argument), entities: record(word) },
);

function version(value: unknown, at: string, report: Report): void {
  if (value !== graphVersion) report(at, `must be ${graphVersion}.`);
}

function argument(value: unknown, at: string, report: Report): void {
  const type = isObject(value) ? value.type : undefined;
  const shape = typeof type === "string" && Object.hasOwn(argumentTypes, type) ? argumentTypes[type] : undefined;
  if (shape !== undefined) shape(value, at, report);
  else report(inside(at, "type"), `must be a type of argument: ${Object.keys(argumentTypes).join(", ")}.`);
}

const valued = { description: text, value: word, required: flag };
const argumentTypes: Readonly<Record<string, Shape>> = {
  string: object({ type: word }, { ...valued, default: text }),
  number: object({ type: word }, { ...valued, default: number, min: number, max: number, whole: flag }),
  boolean: object({ type: word }, { description: text }),
  rest: object({ type: word }, { ...valued, default: text }),
};

/** A declaration, not a constant: shapes of nodes contain it, and it contains them. */
function nodes(value: unknown, at: string, report: Report): void {
  list(node)(value, at, report);
}

function graph(value: unknown, at: string, report: Report): void {
  graphShape(value, at, report);
}

function node(value: unknown, at: string, report: Report): void {
  const kind = isObject(value) ? value.kind : undefined;
  if (isKind(kind)) kinds[kind](value, at, report);
  else report(inside(at, "kind"), `must be a kind of node: ${Object.keys(kinds).join(", ")}.`);
}

function isKind(kind: unknown): kind is NodeKind {
  return typeof kind === "string" && Object.hasOwn(kinds, kind);
}

const fn = object({ fn: word });
const givenText = byKey({ value: object({ value: text }), fn });
const givenFlag = byKey({ value: object({ value: flag }), fn });
const given = byKey({ value: object({ value: anything }), fn });

const basics = { kind: word, id: word };
const described = { description: text };

const onError: Shape = (value, at, report) => (value === "continue" ? undefined : nodes(value, at, report));
const acting = { ...described, into: word, output: fn, onError };
const retry = object(
  { maxAttempts: count },
  { backoffMs: notNegative, backoffMultiplier: notNegative, maxBackoffMs: notNegative, retryOn: fn },
);
const budget = object({}, { usd: notNegative, tokens: notNegative, wallMs: amount, steps: count });
const trying = { ...acting, retry, timeoutMs: amount, idleTimeoutMs: amount, budget };
const answer = oneOf("allow", "deny", "ask");
const permissions: Shape = (value, at, report) => (isObject(value) ? record(answer) : answer)(value, at, report);
const prompting = {
  ...trying,
  host: word,
  model: word,
  tools: list(word),
  permissions,
  session: word,
};
const answerable = { ...acting, timeoutMs: amount, fallback: anything };
const limit: Shape = (value, at, report) => (isObject(value) ? fn : countOrNone)(value, at, report);
const repeating = { ...basics, nodes, maxIterations: limit, onIncomplete: oneOf("continue", "fail") };

const kinds: Readonly<Record<NodeKind, Shape>> = {
  agent: object(basics, { ...prompting, agent: word, system: givenText, prompt: givenText }),
  skill: object({ ...basics, skill: word }, { ...prompting, args: givenText }),
  command: object({ ...basics, command: word }, { ...prompting, args: givenText }),
  tool: byKey({
    tool: object({ ...basics, tool: word }, { ...trying, args: given }),
    run: object({ ...basics, run: fn }, trying),
  }),
  wait: object({ ...basics, prompt: givenText }, { ...answerable, auto: givenFlag }),
  "ask-user": object(
    { ...basics, question: givenText },
    { ...answerable, header: text, options: list(object({ label: word }, { description: text })), multiple: flag },
  ),
  "clear-context": object(basics, { ...described, session: word }),
  subgraph: object({ ...basics, graph }, { ...acting, workflow: word, input: fn }),
  decision: object(
    { ...basics, routes: list(object({ label: word, when: fn, nodes }), 1), otherwise: nodes },
    described,
  ),
  parallel: object(
    {
      ...basics,
      strategy: oneOf("all", "race", "any"),
      branches: list(object({ label: word, nodes }), 1),
    },
    { ...described, limit: count, merge: fn },
  ),
  loop: object({ ...repeating, until: fn }, { ...described, maxDurationMs: amount }),
  "task-loop": object(
    { ...repeating, tasksPath: givenText, limit: count },
    { ...described, maxAttempts: count, markedMeanwhile: oneOf("accept", "verify"), until: fn, select: fn },
  ),
  "criteria-loop": object(
    { ...repeating, signal: word, noProgressLimit: countOrNone },
    { ...described, maxDurationMs: amount, maxCostUsd: amount },
  ),
  try: object({ ...basics, nodes, handler: nodes }, described),
};
