import type { Expectation } from "./expectation.ts";
import type { ModelGate } from "./gate.ts";
import { describeMatch } from "./report.ts";
import { type DraftPart, type DraftTurn, defaultUsage, type Scripted, type TurnUsage } from "./turn.ts";

/**
 * What the model does in one turn, written as a chain. `then` starts the next turn of the same conversation:
 *
 * ```ts
 * model.expect(/fix the bug/)
 *   .reason("look first").tool("read", { filePath: "a.ts" }).tool("read", { filePath: "b.ts" })
 *   .then.tool("edit", (request) => ({ filePath: "a.ts", oldString: request.toolResults[0] ?? "", newString: "" }))
 *   .then.reply("fixed");
 * ```
 */
export class TurnScript {
  readonly #expectation: Expectation;
  readonly #index: number;

  constructor(expectation: Expectation, index = 0) {
    this.#expectation = expectation;
    this.#index = index;
  }

  /** The model says `text`. */
  reply(text: Scripted<string>): this {
    return this.#add({ kind: "text", text });
  }

  /** The model thinks `text` aloud. */
  reason(text: Scripted<string>): this {
    return this.#add({ kind: "reasoning", text });
  }

  /** The model calls a tool; several in a row are parallel calls of one turn. A string goes out as it is, valid or not. */
  tool(name: string, args: Scripted<object | string> = {}): this {
    return this.#add({ kind: "tool", name, args });
  }

  /** The stream pauses here until the test releases `gate`. */
  wait(gate: ModelGate): this {
    return this.#add({ kind: "gate", gate });
  }

  /** The model says `chunks` one by one, each when the test releases `gate` once. */
  slow(chunks: readonly string[], gate: ModelGate): this {
    for (const text of chunks) this.wait(gate).reply(text);
    return this;
  }

  /** The tokens that this turn reports. */
  usage(usage: Partial<TurnUsage>): this {
    this.#turn().usage = { ...defaultUsage, ...usage };
    return this;
  }

  /** After what it has said so far, the model goes silent with the stream open. */
  hang(): this {
    this.#turn().ending = { kind: "hang" };
    return this;
  }

  /**
   * After what it has said so far, the connection is cut in the middle of the stream. Some clients discard what came
   * together with the cut: `.reply("half").wait(gate).drop()` lets them read it first.
   */
  drop(): this {
    this.#turn().ending = { kind: "drop" };
    return this;
  }

  /** The request fails with an HTTP status; `retryAfter` (seconds) is sent the way providers send it. */
  status(status: number, options: { retryAfter?: number; message?: string } = {}): this {
    const message = options.message ?? `Scripted failure ${status}`;
    this.#turn().ending = { kind: "status", status, message, retryAfter: options.retryAfter };
    return this;
  }

  /** The next turn of this conversation. */
  // biome-ignore lint/suspicious/noThenProperty: it is not callable, so a script is never taken for a promise.
  get then(): TurnScript {
    return new TurnScript(this.#expectation, this.#index + 1);
  }

  /** This conversation takes place `count` times (default: once). */
  times(count: number): this {
    this.#expectation.limit = count;
    return this;
  }

  /** This conversation takes place as often as asked for, or never. */
  always(): this {
    this.#expectation.limit = Number.POSITIVE_INFINITY;
    return this;
  }

  #add(part: DraftPart): this {
    this.#turn().parts.push(part);
    return this;
  }

  #turn(): DraftTurn {
    const { turns, match } = this.#expectation;
    if (this.#index > turns.length) {
      const where = `Turn ${this.#index + 1} of the conversation of ${describeMatch(match)} is scripted`;
      throw new Error(`${where}, but turn ${turns.length + 1} is empty: say something before each \`.then\`.`);
    }
    // Turns come to life when something is said in them: merely looking at `then` (as `await` does) adds nothing.
    turns[this.#index] ??= { parts: [], ending: { kind: "finish" }, usage: defaultUsage };
    return turns[this.#index] as DraftTurn;
  }
}
