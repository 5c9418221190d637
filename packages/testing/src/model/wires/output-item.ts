import type { ReplyIdentity, SpokenPart } from "../wire.ts";

/** A server-sent event of the responses wire, before it is numbered. */
export type ResponseEvent = readonly [type: string, fields: object];

/** One entry of a response's `output` while it is being streamed. */
export class OutputItem {
  readonly kind: SpokenPart["kind"];
  readonly #part: SpokenPart;
  readonly #index: number;
  readonly #id: string;
  #text = "";

  constructor(reply: ReplyIdentity, index: number, part: SpokenPart) {
    this.kind = part.kind;
    this.#part = part;
    this.#index = index;
    this.#id = `${{ text: "msg", reasoning: "rs", tool: "fc" }[part.kind]}_${reply.number}_${index}`;
  }

  opening(): ResponseEvent[] {
    const added: ResponseEvent = [
      "response.output_item.added",
      { output_index: this.#index, item: this.#item("in_progress") },
    ];
    if (this.kind === "text") return [added, ["response.content_part.added", { ...this.#at(), part: textPart("") }]];
    if (this.kind === "reasoning")
      return [added, ["response.reasoning_summary_part.added", { ...this.#at(), part: summaryPart("") }]];
    return [added];
  }

  add(part: SpokenPart): ResponseEvent[] {
    const delta = part.kind === "tool" ? part.args : part.text;
    this.#text += delta;
    return [[`${this.#deltaName()}.delta`, { ...this.#at(), delta }]];
  }

  closing(): ResponseEvent[] {
    const value = this.kind === "tool" ? { arguments: this.#text } : { text: this.#text };
    const done: ResponseEvent = [`${this.#deltaName()}.done`, { ...this.#at(), ...value }];
    const itemDone: ResponseEvent = ["response.output_item.done", { output_index: this.#index, item: this.complete() }];
    if (this.kind === "text")
      return [done, ["response.content_part.done", { ...this.#at(), part: textPart(this.#text) }], itemDone];
    if (this.kind === "reasoning")
      return [
        done,
        ["response.reasoning_summary_part.done", { ...this.#at(), part: summaryPart(this.#text) }],
        itemDone,
      ];
    return [done, itemDone];
  }

  complete(): object {
    return this.#item("completed");
  }

  #item(status: "in_progress" | "completed"): object {
    const filled = status === "completed";
    switch (this.#part.kind) {
      case "text":
        return {
          id: this.#id,
          type: "message",
          role: "assistant",
          status,
          content: filled ? [textPart(this.#text)] : [],
        };
      case "reasoning":
        return { id: this.#id, type: "reasoning", summary: filled ? [summaryPart(this.#text)] : [] };
      case "tool": {
        const { id: call_id, name } = this.#part;
        return { id: this.#id, type: "function_call", call_id, name, arguments: filled ? this.#text : "", status };
      }
    }
  }

  #deltaName(): string {
    const names = { text: "output_text", reasoning: "reasoning_summary_text", tool: "function_call_arguments" };
    return `response.${names[this.kind]}`;
  }

  #at(): object {
    const position = { text: { content_index: 0 }, reasoning: { summary_index: 0 }, tool: {} }[this.kind];
    return { item_id: this.#id, output_index: this.#index, ...position };
  }
}

function textPart(text: string): object {
  return { type: "output_text", text, annotations: [] };
}

function summaryPart(text: string): object {
  return { type: "summary_text", text };
}
