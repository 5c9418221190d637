// What a graph's data must look like: small checks that combine into larger ones, then one check per kind of node.
import { graphVersion, type NodeKind } from "./graph-json.ts";

/** Reports everything that is wrong with a value; `at` is where it is. */
type Shape = (value: unknown, at: string, report: Report) => void;
type Report = (at: string, message: string) => void;

const text: Shape = expecting("text", (value) => typeof value === "string");
const word: Shape = expecting("text that is not empty", (value) => typeof value === "string" && value !== "");
const flag: Shape = expecting("true or false", (value) => typeof value === "boolean");
const number: Shape = expecting("a number", Number.isFinite);
const amount: Shape = expecting("a positive number", (value) => Number.isFinite(value) && Number(value) > 0);
const notNegative: Shape = expecting("a non-negative number", (value) => Number.isFinite(value) && Number(value) >= 0);
const count: Shape = expecting("a positive whole number", (value) => Number.isSafeInteger(value) && Number(value) > 0);
const countOrNone: Shape = expecting(
  "a non-negative whole number",
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);
/** Any JSON. */
const anything: Shape = (value, at, report) => {
  if (value === undefined) report(at, "is missing.");
};

function oneOf(...words: readonly string[]): Shape {
  return expecting(words.map((each) => `"${each}"`).join(" or "), (value) => words.includes(value as string));
}

function list(item: Shape, least = 0): Shape {
  return (value, at, report) => {
    if (!Array.isArray(value)) return report(at, `must be a list, not ${named(value)}.`);
    if (value.length < least) report(at, `needs at least ${least === 1 ? "one item" : `${least} items`}.`);
    for (const [index, each] of value.entries()) item(each, `${at}[${index}]`, report);
  };
}

function record(item: Shape): Shape {
  return (value, at, report) => {
    if (!isObject(value)) return report(at, `must be an object, not ${named(value)}.`);
    for (const [key, each] of Object.entries(value)) item(each, inside(at, key), report);
  };
}

/** Has exactly these keys; those in `optional` may be missing. */
function object(required: Readonly<Record<string, Shape>>, optional: Readonly<Record<string, Shape>> = {}): Shape {
  return (value, at, report) => {
    if (!isObject(value)) return report(at, `must be an object, not ${named(value)}.`);
    for (const [key, shape] of Object.entries(required)) {
      if (Object.hasOwn(value, key)) shape(value[key], inside(at, key), report);
      else report(inside(at, key), "is missing.");
    }
    for (const [key, each] of Object.entries(value)) {
      if (Object.hasOwn(required, key)) continue;
      if (Object.hasOwn(optional, key)) optional[key]?.(each, inside(at, key), report);
      else report(inside(at, key), "is not a valid key here.");
    }
  };
}

/** This key's value decides which shape applies. */
function byTag(key: string, what: string, shapes: Readonly<Record<string, Shape>>): Shape {
  return (value, at, report) => {
    const tag = isObject(value) ? value[key] : undefined;
    const shape = typeof tag === "string" && Object.hasOwn(shapes, tag) ? shapes[tag] : undefined;
    if (shape !== undefined) shape(value, at, report);
    else report(inside(at, key), `must be ${what}: ${Object.keys(shapes).join(", ")}.`);
  };
}

/** The first shape whose key is present applies. */
function byKey(shapes: Readonly<Record<string, Shape>>): Shape {
  return (value, at, report) => {
    const key = isObject(value) ? Object.keys(shapes).find((each) => Object.hasOwn(value, each)) : undefined;
    if (key === undefined) report(at, `must be an object with ${Object.keys(shapes).join(" or ")}.`);
    else shapes[key]?.(value, at, report);
  };
}

function either(isFirst: (value: unknown) => boolean, first: Shape, second: Shape): Shape {
  return (value, at, report) => (isFirst(value) ? first : second)(value, at, report);
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

function named(value: unknown): string {
  if (typeof value === "string") return value.length > 40 ? `"${value.slice(0, 40)}…"` : `"${value}"`;
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

const nodes: Shape = list((value, at, report) => byTag("kind", "a valid node kind", kinds)(value, at, report));

const innerNodes: Shape = (value, at, report) => {
  nodes(value, at, report);
  if (Array.isArray(value) && value.length === 0) report(at, "needs at least one node.");
};

const fn = object({ fn: word });
const textOrFn = byKey({ value: object({ value: text }), fn });
const flagOrFn = byKey({ value: object({ value: flag }), fn });
const anythingOrFn = byKey({ value: object({ value: anything }), fn });

const basics = { kind: word, id: word };
const described = { description: text };

const onError = either((value) => value === "continue", anything, nodes);
const acting = { ...described, into: word, output: fn, onError };
const retry = object(
  { maxAttempts: count },
  { backoffMs: notNegative, backoffMultiplier: notNegative, maxBackoffMs: notNegative, retryOn: fn },
);
const budget = object({}, { usd: notNegative, tokens: notNegative, wallMs: amount, steps: count });
const trying = { ...acting, retry, timeoutMs: amount, idleTimeoutMs: amount, budget };
const answer = oneOf("allow", "deny", "ask");
const permissions = either(isObject, record(answer), answer);
const prompting = { ...trying, host: word, model: word, tools: list(word), permissions, session: word };
const answerable = { ...acting, timeoutMs: amount, fallback: anything };
const maxIterations = either(isObject, fn, countOrNone);
const repeating = { ...basics, nodes, maxIterations, onIncomplete: oneOf("continue", "fail") };

const kinds: Readonly<Record<NodeKind, Shape>> = {
  agent: object(basics, {
    ...{ ...prompting, agent: word, system: textOrFn, prompt: textOrFn },
    schema: object({ ask: fn, read: fn, repairs: countOrNone }),
  }),
  skill: object({ ...basics, skill: word }, { ...prompting, args: textOrFn }),
  command: object({ ...basics, command: word }, { ...prompting, args: textOrFn }),
  tool: byKey({
    tool: object({ ...basics, tool: word }, { ...trying, args: anythingOrFn }),
    run: object({ ...basics, run: fn }, trying),
  }),
  wait: object({ ...basics, prompt: textOrFn }, { ...answerable, fallback: flag, auto: flagOrFn }),
  "ask-user": object(
    { ...basics, question: textOrFn },
    { ...answerable, header: text, options: list(object({ label: word }, { description: text })), multiple: flag },
  ),
  "clear-context": object(basics, { ...described, session: word }),
  subgraph: object(
    { ...basics, graph: (value, at, report) => graphShape(value, at, report) },
    { ...acting, workflow: word, input: fn },
  ),
  decision: object(
    { ...basics, routes: list(object({ label: word, when: fn, nodes }), 1), otherwise: nodes },
    described,
  ),
  parallel: object(
    { ...basics, strategy: oneOf("all", "race", "any"), branches: list(object({ label: word, nodes }), 1) },
    { ...described, limit: count, merge: fn },
  ),
  map: object(
    {
      ...basics,
      over: byKey({ value: object({ value: list(anything) }), fn }),
      as: word,
      nodes: innerNodes,
      onItemError: oneOf("fail", "continue"),
    },
    { ...described, limit: count, into: word, merge: fn },
  ),
  loop: object({ ...repeating, until: fn }, { ...described, maxDurationMs: amount }),
  "task-loop": object(
    { ...repeating, tasksPath: textOrFn, limit: count },
    { ...described, maxAttempts: count, markedMeanwhile: oneOf("accept", "verify"), until: fn, select: fn },
  ),
  "criteria-loop": object(
    { ...repeating, signal: word, noProgressLimit: countOrNone },
    { ...described, maxDurationMs: amount, maxCostUsd: amount },
  ),
  try: object({ ...basics, nodes, handler: nodes }, described),
};

const withValue = { description: text, value: word, required: flag };
const argument = byTag("type", "a valid argument type", {
  string: object({ type: word }, { ...withValue, default: text }),
  number: object({ type: word }, { ...withValue, default: number, min: number, max: number, whole: flag }),
  boolean: object({ type: word }, { description: text }),
  rest: object({ type: word }, { ...withValue, default: text }),
});

export const graphShape: Shape = object(
  {
    version: (value, at, report) => (value === graphVersion ? undefined : report(at, `must be ${graphVersion}.`)),
    name: word,
    state: record(object({ initial: anything, reducer: oneOf("last", "append", "merge", "sum", "max", "custom") })),
    nodes,
  },
  { description: text, arguments: record(argument), entities: record(word) },
);
