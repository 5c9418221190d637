// What a run, or one of its branches, knows while it goes on. Made anew from the journal after a crash, by the same calls.
import { deepFreeze } from "../../deep-freeze.ts";
import type { Json } from "../../run/json.ts";
import type { ErrorRecord } from "../../run/step-errors.ts";
import type { GraphJson } from "../graph-json.ts";
import type { JsonObject } from "../json-value.ts";
import type { BaseState, LoopTask } from "../node-definition.ts";
import { present } from "../present.ts";
import { isBuiltin, reduceBuiltin } from "./reduce.ts";

type Channels = GraphJson["state"];

/** What a node did, as its step is journaled. */
export type NodeResult = {
  readonly output: Json;
  readonly update?: JsonObject;
  /** New values of the keys whose reducer is a function: it has run inside the step. */
  readonly reduced?: JsonObject;
};

/** What a branch did, for the place where branches meet. */
export type BranchJson = {
  /** Updates of each key, taken together. */
  readonly delta: JsonObject;
  /** Updates one by one, of keys whose reducer is a function. */
  readonly custom: { readonly [key: string]: readonly Json[] };
  readonly outputs: JsonObject;
  readonly sessions: { readonly opened: JsonObject; readonly forgotten: readonly string[] };
  readonly text?: string;
  readonly usd: number;
};

/** What a branch has done so far, and what it began with. */
interface Doing {
  delta: JsonObject;
  readonly custom: Record<string, Json[]>;
  readonly outputs: Record<string, Json>;
  readonly sessions: JsonObject;
}

export class Memory {
  readonly channels: Channels;
  readonly input: Json;
  values: JsonObject;
  outputs: JsonObject = {};
  sessions: JsonObject = {};
  error: ErrorRecord | undefined;
  iteration: number | undefined;
  task: LoopTask | undefined;
  /** The last message of an agent. */
  text: string | undefined;
  usd = 0;
  /** Only in a branch. */
  #branch: Doing | undefined;

  constructor(channels: Channels, input: Json, values: JsonObject) {
    this.channels = channels;
    this.input = input;
    this.values = values;
  }

  /** At the beginning of a graph: keys of an input that is an object come before the first values of the state. */
  static begin(channels: Channels, input: Json): Memory {
    const given = (typeof input === "object" && input !== null ? input : {}) as JsonObject;
    const values = Object.entries(channels).map(([key, { initial }]) => [
      key,
      Object.hasOwn(given, key) ? (given[key] ?? null) : initial,
    ]);
    return new Memory(channels, deepFreeze(input), deepFreeze(Object.fromEntries(values)));
  }

  /** For a branch: knows the same, and keeps what it does for itself. */
  fork(): Memory {
    const { channels, input, values, outputs, sessions, error, iteration, task, text } = this;
    const branch = Object.assign(new Memory(channels, input, values), {
      outputs,
      sessions,
      error,
      iteration,
      task,
      text,
    });
    branch.#branch = { delta: {}, custom: {}, outputs: {}, sessions };
    return branch;
  }

  /** What functions of the graph get to see. */
  view(): BaseState & JsonObject {
    const { values, input, outputs, error, iteration, task } = this;
    const view: Record<string, unknown> = { ...values, input, outputs };
    if (error !== undefined) view.error = error;
    if (iteration !== undefined) view.iteration = iteration;
    if (task !== undefined) view.currentTask = task;
    return view as BaseState & JsonObject;
  }

  take(id: string, { output, update, reduced }: NodeResult): void {
    this.outputs = { ...this.outputs, [id]: frozen(output) };
    if (this.#branch) this.#branch.outputs[id] = output;
    if (update !== undefined) this.update(update, reduced);
  }

  update(update: JsonObject, reduced?: JsonObject): void {
    deepFreeze(update);
    const values = this.#combine(this.values, update);
    this.values = reduced === undefined ? values : { ...values, ...deepFreeze(reduced) };
    if (this.#branch === undefined) return;
    this.#branch.delta = this.#combine(this.#branch.delta, update);
    for (const key of Object.keys(reduced ?? {})) this.#addCustom(key, [update[key] ?? null]);
  }

  /** Takes over what a branch did. `reduced` are the values of keys whose reducer is a function. */
  join({ delta, custom, outputs, sessions, text, usd }: BranchJson, reduced: JsonObject): void {
    this.update(delta);
    const own = Object.fromEntries(Object.keys(custom).map((key) => [key, reduced[key] ?? null]));
    this.values = { ...this.values, ...deepFreeze(own) };
    for (const [key, updates] of Object.entries(custom)) this.#addCustom(key, updates);
    this.outputs = { ...this.outputs, ...deepFreeze(outputs) };
    if (this.#branch) Object.assign(this.#branch.outputs, outputs);
    this.forget(...sessions.forgotten);
    this.sessions = { ...this.sessions, ...sessions.opened };
    this.text = text ?? this.text;
    this.usd += usd;
  }

  get branch(): BranchJson {
    const { delta = {}, custom = {}, outputs = {}, sessions: before = {} } = this.#branch ?? {};
    const opened = Object.fromEntries(Object.entries(this.sessions).filter(([name, each]) => before[name] !== each));
    const forgotten = Object.keys(before).filter((name) => !Object.hasOwn(this.sessions, name));
    const { text, usd } = this;
    return { delta, custom, outputs, sessions: { opened, forgotten }, usd, ...present({ text }) };
  }

  forget(...sessions: readonly string[]): void {
    this.sessions = Object.fromEntries(Object.entries(this.sessions).filter(([name]) => !sessions.includes(name)));
  }

  #addCustom(key: string, updates: readonly Json[]): void {
    if (this.#branch === undefined) return;
    const list = this.#branch.custom[key];
    if (list === undefined) this.#branch.custom[key] = [...updates];
    else list.push(...updates);
  }

  /** Values after an update. All reducers of ours give the same whether updates meet each other first, or the value. */
  #combine(values: JsonObject, update: JsonObject): JsonObject {
    const changed: Record<string, Json> = { ...values };
    for (const key of Object.keys(update)) {
      const reducer = this.channels[key]?.reducer ?? "last";
      if (isBuiltin(reducer)) changed[key] = reduceBuiltin(reducer, values[key], update[key] ?? null);
    }
    return changed;
  }
}

/** Most outputs have nothing to freeze. */
function frozen(value: Json): Json {
  return typeof value === "object" && value !== null ? deepFreeze(value) : value;
}
