// Runs a plan in the plainest way there is: no journal, no promises, one thing after the other.
import { luckyOf, type Plan, type Plans } from "./plans.ts";

/** The state of the graph at its end. */
export interface Expected {
  n: number;
  log: string[];
  seen: Record<string, number>;
  top: number;
  text: string;
}

export function expectedOf(plan: Plans): Expected | "failed" {
  try {
    const { texts: _, ...state } = evaluate(plan, 0);
    return state;
  } catch (error) {
    if (error instanceof Broken) return "failed";
    throw error;
  }
}

class Broken extends Error {}

interface Memory extends Expected {
  /** Updates of `text` since the branch began. */
  texts: string[];
}

function evaluate(plan: Plans, n: number): Memory {
  const memory: Memory = { n, log: [], seen: {}, top: 0, text: "", texts: [] };
  new Evaluation(plan).run(plan, memory);
  return memory;
}

class Evaluation {
  readonly #ids = new Map<Plan, string>();
  #count = 0;

  constructor(plan: Plans) {
    this.#number(plan);
  }

  /** As the builder does: a node before those inside it, whether or not they run. */
  #number(plan: Plans): void {
    for (const each of plan) {
      this.#ids.set(each, `x${this.#count++}`);
      for (const inner of numberedIn(each)) {
        if (inner === "doom") this.#count++;
        else this.#number(inner);
      }
    }
  }

  run(plan: Plans, memory: Memory): void {
    for (const each of plan) this.#one(each, this.#ids.get(each) ?? "?", memory);
  }

  #one(plan: Plan, id: string, memory: Memory): void {
    switch (plan.kind) {
      case "work":
        if (plan.mode !== "broken") work(memory, id, plan.add);
        else if (plan.onError === undefined) throw new Broken();
        else if (plan.onError !== "continue") this.run(plan.onError, memory);
        break;
      case "agent":
        memory.log = [...memory.log, `reply to: ${memory.n} ${plan.words}`];
        break;
      case "ask":
        memory.log = [...memory.log, id];
        break;
      case "if":
        this.run(memory.n > plan.above ? plan.yes : plan.otherwise, memory);
        break;
      case "all":
        this.#branches(plan.branches, memory);
        break;
      case "each":
        this.#branches(
          plan.items.map(() => plan.body),
          memory,
        );
        break;
      case "any":
        this.#branches([plan.branches[luckyOf(plan)] ?? []], memory);
        break;
      case "loop":
        for (let turn = 0; turn < Math.min(plan.times, plan.max); turn++) this.run(plan.body, memory);
        break;
      case "try":
        this.#try(plan.body, plan.handler, memory);
        break;
      case "inside":
        memory.log = [...memory.log, ...evaluate(plan.body, memory.n).log];
        memory.n += 1;
    }
  }

  #try(body: Plans, handler: Plans, memory: Memory): void {
    try {
      this.run(body, memory);
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      this.run(handler, memory);
    }
  }

  /** Each begins with what was known before; what they did is added in their order. */
  #branches(branches: readonly Plans[], memory: Memory): void {
    const before = { ...memory };
    const ends = branches.map((branch) => {
      const own = { ...before, texts: [] };
      this.run(branch, own);
      return own;
    });
    for (const end of ends) {
      memory.n += end.n - before.n;
      memory.log = [...memory.log, ...end.log.slice(before.log.length)];
      memory.seen = { ...memory.seen, ...end.seen };
      memory.top = Math.max(memory.top, end.top);
      for (const text of end.texts) addText(memory, text);
    }
  }
}

/** What takes numbers after the node itself; `doom` is the node that makes a branch fail in the end. */
function numberedIn(plan: Plan): readonly (Plans | "doom")[] {
  switch (plan.kind) {
    case "work":
      return plan.onError === undefined || plan.onError === "continue" ? [] : [plan.onError];
    case "if":
      return [plan.yes, plan.otherwise];
    case "all":
      return plan.branches;
    case "any":
      return plan.branches.flatMap((branch, at) => (at === luckyOf(plan) ? [branch] : [branch, "doom" as const]));
    case "each":
    case "loop":
      return [plan.body];
    case "try":
      return [plan.body, plan.handler];
    default:
      return [];
  }
}

function work(memory: Memory, id: string, add: number): void {
  memory.log = [...memory.log, `${id}:${memory.n}`];
  memory.n += add;
  memory.seen = { ...memory.seen, [id]: add };
  memory.top = Math.max(memory.top, add);
  addText(memory, id);
}

function addText(memory: Memory, text: string): void {
  memory.text = `(${memory.text}${text})`;
  memory.texts = [...memory.texts, text];
}
