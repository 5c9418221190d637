// What a run, or one of its branches, knows while it works. After a crash, the same calls rebuild it from the journal.
import { deepFreeze } from "../../entities/deep-freeze.ts";
import type { Json } from "../../run/json.ts";
import { hasLarge, holding, LargePart, opened, readable } from "../../run/large-part.ts";
import type { ErrorRecord } from "../../run/step-errors.ts";
import type { GraphJson, ReducerName } from "../graph-json.ts";
import { type JsonObject, present } from "../json-value.ts";
import type { BaseState, LoopTask } from "../state.ts";

type Channels = GraphJson["state"];

/** What a node did, as its step is journaled. Its large parts, and those of what follows from it, may not be in memory. */
export type NodeResult = {
  readonly output: Json;
  readonly update?: JsonObject;
  /** New values of the keys whose reducer is a function: it has run inside the step. */
  readonly reduced?: JsonObject;
};

/** What a branch did, for the node that joins the branches. Without what it did not do: a run may have many branches. */
export type BranchJson = {
  /** Updates of each key, taken together. */
  readonly delta?: JsonObject;
  /** The single updates of keys whose reducer is a function. */
  readonly custom?: { readonly [key: string]: readonly Json[] };
  readonly outputs?: JsonObject;
  readonly answers?: JsonObject;
  readonly handled?: JsonObject;
  readonly sessions?: { readonly opened: JsonObject; readonly forgotten: readonly string[] };
  readonly text?: string;
  readonly usd?: number;
};

/** What a branch did, if parts of that may be large. What is left of them are updates, outputs and the text. */
export function openBranch(branch: BranchJson): BranchJson {
  if (!hasLarge(branch)) return branch;
  const { delta, custom, outputs, answers, sessions, ...more } = opened(branch);
  const updates = Object.entries(opened(custom) ?? {}).map(([key, each]) => [key, opened(each)] as const);
  return {
    ...more,
    ...present({
      delta: opened(delta),
      outputs: opened(outputs),
      answers: opened(answers),
      sessions: readable(sessions),
    }),
    ...(custom !== undefined && { custom: Object.fromEntries(updates) }),
  };
}

/** What a branch has done so far, and what it began with. */
interface Doing {
  delta?: Record<string, Json>;
  custom?: Record<string, Json[]>;
  /** Undefined for an item: only its last output matters to the others. */
  readonly outputs: Record<string, Json> | undefined;
  readonly sessions: JsonObject;
}

export class Memory {
  readonly channels: Channels;
  readonly input: Json;
  values: Record<string, Json>;
  outputs: Record<string, Json> = {};
  /** Of the graphs inside subgraphs. Nothing reads them before the end, so a branch has only its own. */
  readonly answers: Record<string, Json> = {};
  /** Whether the handler of a node ran in the node's last iteration. A branch has only its own. Undefined until one runs. */
  handled: Record<string, boolean> | undefined;
  /** Whether values and outputs are shared with another memory; they are then copied before they change. */
  #isShared = true;
  sessions: JsonObject = {};
  error: ErrorRecord | undefined;
  iteration: number | undefined;
  task: LoopTask | undefined;
  /** The items of the maps around it, by their keys. */
  items: JsonObject | undefined;
  /** Of the node that ended last. */
  lastOutput: Json = null;
  /** Whether values or outputs have large parts that are not in memory. */
  #hasLarge = false;
  /** The last message of an agent. It may be a large part, too. */
  lastText: string | undefined;
  usd = 0;
  /** Only in a branch. */
  #branch: Doing | undefined;

  constructor(channels: Channels, input: Json, values: JsonObject) {
    this.channels = channels;
    this.input = input;
    this.values = values;
  }

  /** At the beginning of a graph. If the input is an object, its keys replace the state's initial values. */
  static begin(channels: Channels, input: Json): Memory {
    const given = (typeof input === "object" && input !== null ? input : {}) as JsonObject;
    const values = Object.entries(channels).map(([key, { initial }]) => [
      key,
      Object.hasOwn(given, key) ? (given[key] ?? null) : initial,
    ]);
    return new Memory(channels, deepFreeze(input), deepFreeze(Object.fromEntries(values)));
  }

  /** For a branch: starts with the same knowledge, and keeps its own changes to itself. */
  fork(): Memory {
    const branch = this.#copy();
    const { sessions, lastText } = this;
    branch.sessions = sessions;
    branch.lastText = lastText;
    branch.#branch = { outputs: {}, sessions };
    return branch;
  }

  /** For an item of a map: a branch that knows its item. Its sessions are its own. */
  forItem(key: string, item: Json): Memory {
    const branch = this.#copy();
    branch.items = { ...this.items, [key]: deepFreeze(item) };
    branch.#branch = { outputs: undefined, sessions: {} };
    return branch;
  }

  #copy(): Memory {
    const branch = new Memory(this.channels, this.input, this.values);
    branch.outputs = this.outputs;
    branch.error = this.error;
    branch.iteration = this.iteration;
    branch.task = this.task;
    branch.items = this.items;
    branch.#hasLarge = this.#hasLarge;
    this.#isShared = true;
    return branch;
  }

  get text(): string | undefined {
    return this.lastText === undefined ? undefined : (opened(this.lastText) as string);
  }

  /** What the graph's functions see. Copied key by key, which is several times faster than a spread. */
  view(): BaseState & JsonObject {
    const { input, error, iteration, task, items } = this;
    const view: Record<string, unknown> = {};
    for (const key of Object.keys(this.values)) view[key] = this.values[key];
    view.input = input;
    view.outputs = this.outputs;
    if (this.#hasLarge) this.#showLarge(view);
    if (error !== undefined) view.error = error;
    if (iteration !== undefined) view.iteration = iteration;
    if (task !== undefined) view.currentTask = task;
    if (items !== undefined) for (const key of Object.keys(items)) view[key] = items[key];
    return view as BaseState & JsonObject;
  }

  /** Large parts are read when a function looks at them. */
  #showLarge(view: Record<string, unknown>): void {
    for (const key of Object.keys(this.values)) {
      const value = this.values[key]!;
      if (hasLarge(value)) Object.defineProperty(view, key, { get: () => readable(value), enumerable: true });
    }
    const { outputs } = this;
    view.outputs = new Proxy(outputs, {
      get: (_target, id, receiver) => readable(Reflect.get(outputs, id, receiver) as Json),
      // Without reading it: this is how the ids are listed, too.
      getOwnPropertyDescriptor: (_target, id) => {
        const property = Reflect.getOwnPropertyDescriptor(outputs, id);
        if (property === undefined || !hasLarge(property.value)) return property;
        return { get: () => readable(property.value as Json), enumerable: true, configurable: true };
      },
      set: () => false,
      defineProperty: () => false,
      deleteProperty: () => false,
    });
  }

  take(id: string, { output, update, reduced }: NodeResult): void {
    this.#own();
    this.#hasLarge ||= hasLarge(output);
    // Most outputs have nothing to freeze.
    put(this.outputs, id, typeof output === "object" && output !== null ? deepFreeze(output) : output);
    this.lastOutput = output;
    if (this.#branch?.outputs) put(this.#branch.outputs, id, output);
    if (update !== undefined) this.update(opened(update), opened(reduced));
  }

  takeAnswer(id: string, answer: Json): void {
    put(this.answers, id, answer);
  }

  takeHandled(id: string, isHandled: boolean): void {
    // In a branch, the memory before it may know of a handler that ran in an earlier iteration.
    if (!isHandled && this.handled === undefined && this.#branch === undefined) return;
    this.handled ??= {};
    put(this.handled, id, isHandled);
  }

  update(update: JsonObject, reduced?: JsonObject): void {
    this.#own();
    this.#combine(this.values, deepFreeze(update));
    if (reduced !== undefined) Object.assign(this.values, deepFreeze(reduced));
    if (LargePart.exist) for (const key of Object.keys(update)) this.#hasLarge ||= hasLarge(this.values[key]);
    if (this.#branch === undefined) return;
    this.#branch.delta ??= {};
    this.#combine(this.#branch.delta, update);
    for (const key of Object.keys(reduced ?? {})) this.#addCustom(key, [update[key] ?? null]);
  }

  /** Takes over what a branch did. `reduced` holds the values of keys whose reducer is a function. */
  join({ delta, custom, outputs, answers, handled, sessions, text, usd }: BranchJson, reduced: JsonObject): void {
    this.#own();
    if (delta !== undefined) this.update(delta);
    for (const [key, updates] of Object.entries(custom ?? {})) {
      this.values[key] = deepFreeze(reduced[key] ?? null);
      this.#hasLarge ||= hasLarge(this.values[key]);
      this.#addCustom(key, updates);
    }
    for (const [id, output] of Object.entries(deepFreeze(outputs ?? {}))) {
      put(this.outputs, id, output);
      this.#hasLarge ||= hasLarge(output);
      if (this.#branch?.outputs) put(this.#branch.outputs, id, output);
    }
    for (const [id, answer] of Object.entries(answers ?? {})) this.takeAnswer(id, answer);
    for (const [id, isHandled] of Object.entries(handled ?? {})) this.takeHandled(id, isHandled === true);
    if (sessions !== undefined) {
      this.forget(...sessions.forgotten);
      this.sessions = { ...this.sessions, ...sessions.opened };
    }
    this.lastText = text ?? this.lastText;
    this.usd += usd ?? 0;
  }

  get branch(): BranchJson {
    const { delta, custom, outputs, sessions: before = {} } = this.#branch ?? {};
    const did: { -readonly [Key in keyof BranchJson]: BranchJson[Key] } = {};
    if (delta !== undefined) did.delta = delta;
    if (custom !== undefined) did.custom = custom;
    if (this.usd !== 0) did.usd = this.usd;
    // Of an item, only its last output is kept: its sessions end with it, and its last message is that output.
    if (outputs === undefined) return did;
    did.outputs = outputs;
    if (Object.keys(this.answers).length > 0) did.answers = this.answers;
    if (this.handled !== undefined) did.handled = this.handled;
    if (this.sessions !== before) {
      const opened = Object.fromEntries(Object.entries(this.sessions).filter(([name, each]) => before[name] !== each));
      const forgotten = Object.keys(before).filter((name) => !Object.hasOwn(this.sessions, name));
      did.sessions = { opened, forgotten };
    }
    if (this.lastText !== undefined) did.text = this.lastText;
    return did;
  }

  forget(...sessions: readonly string[]): void {
    this.sessions = Object.fromEntries(Object.entries(this.sessions).filter(([name]) => !sessions.includes(name)));
  }

  #addCustom(key: string, updates: readonly Json[]): void {
    if (this.#branch === undefined) return;
    this.#branch.custom ??= {};
    const { custom } = this.#branch;
    if (custom[key] === undefined) custom[key] = [...updates];
    else custom[key].push(...updates);
  }

  #own(): void {
    if (!this.#isShared) return;
    this.values = { ...this.values };
    this.outputs = { ...this.outputs };
    this.#isShared = false;
  }

  /** Applies an update to the values. Built-in reducers are associative, so updates can also be combined with each other first. */
  #combine(values: Record<string, Json>, update: JsonObject): void {
    for (const key of Object.keys(update)) {
      const reducer = this.channels[key]?.reducer ?? "last";
      if (reducer !== "custom") values[key] = reduceBuiltin(reducer, values[key], update[key] ?? null);
    }
  }
}

/** A node may have any id, including one that means something else in an assignment. */
function put<Value extends Json>(outputs: Record<string, Value>, id: string, value: Value): void {
  if (id !== "__proto__") outputs[id] = value;
  else Object.defineProperty(outputs, id, { value, enumerable: true, configurable: true, writable: true });
}

/** Without a current value the update is the value. Both fit the reducer (`checkKey`). */
export function reduceBuiltin(reducer: ReducerName, current: Json | undefined, update: Json): Json {
  if (reducer === "append") {
    return appended(opened(current) as readonly Json[] | undefined, opened(update) as readonly Json[]);
  }
  if (current === undefined || reducer === "last") return update;
  if (reducer === "sum") return Number(current) + Number(update);
  if (reducer === "max") return Math.max(Number(current), Number(update));
  return Object.freeze(holding({ ...(opened(current) as JsonObject), ...(opened(update) as JsonObject) }));
}

// Lists that grow a little with every step. Copying and freezing the whole list each time would make a step cost as much
// as all steps before it.

/** A list and what was appended to it later share one array. Only the first `length` items belong to this list. */
interface Slice {
  readonly items: Json[];
  readonly length: number;
}

/** Of the lists created here. */
const slices = new WeakMap<readonly Json[], Slice>();

/**
 * A frozen list with more items at its end. The original list stays as it is; nothing is copied unless both keep growing.
 * The proxy reads items from the shared array. Callers that need more than items get a frozen copy, made once: it is the
 * proxy's target, so what the proxy reports about itself is true.
 */
export function appended(list: readonly Json[] | undefined, more: readonly Json[]): readonly Json[] {
  const known = list && slices.get(list);
  const items = known !== undefined && known.items.length === known.length ? known.items : [...(list ?? [])];
  for (const item of more) items.push(item);
  const { length } = items;
  const copied = (target: Json[]): readonly Json[] => {
    if (Object.isExtensible(target)) {
      for (let at = 0; at < length; at++) target.push(items[at]!);
      Object.freeze(target);
    }
    return target;
  };
  const view = new Proxy<Json[]>([], {
    get: (target, key, receiver) => {
      if (key === "length") return length;
      const at = indexOf(key);
      if (at === undefined) return Reflect.get(target, key, receiver);
      return at < length ? items[at] : undefined;
    },
    has: (target, key) => {
      const at = indexOf(key);
      return at === undefined ? Reflect.has(target, key) : at < length;
    },
    ownKeys: (target) => Reflect.ownKeys(copied(target)),
    getOwnPropertyDescriptor: (target, key) => Reflect.getOwnPropertyDescriptor(copied(target), key),
    isExtensible: (target) => Reflect.isExtensible(copied(target)),
    preventExtensions: (target) => Object.isFrozen(copied(target)),
    defineProperty: (target, key, descriptor) => Reflect.defineProperty(copied(target), key, descriptor),
    set: () => false,
    deleteProperty: () => false,
    setPrototypeOf: () => false,
  });
  slices.set(view, { items, length });
  return hasLarge(list) ? holding(view, [list]) : holding(view, more);
}

/** Undefined for anything that is not an index. */
function indexOf(key: string | symbol): number | undefined {
  if (typeof key !== "string") return undefined;
  const at = Number(key);
  return Number.isInteger(at) && at >= 0 && String(at) === key ? at : undefined;
}
