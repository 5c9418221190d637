import type { Prompt, PromptMessage } from "../conversation.ts";
import type { ReplyTurn, TurnUsage } from "../turn.ts";
import {
  asObjects,
  asString,
  type Encoder,
  frame,
  parseLoosely,
  type ReplyIdentity,
  type SpokenPart,
  spokenParts,
  type Wire,
  type WireJson,
  type WireObject,
} from "../wire.ts";

/** OpenAI responses: what Codex and newer OpenAI clients speak. */
export const responses: Wire = {
  name: "responses",
  path: "/v1/responses",
  parse,
  stream,
  whole: (reply, turn) => response(reply, "completed", itemsOf(reply, turn), turn.usage),
  error: (status, message) => ({
    error: { message, type: status >= 500 ? "server_error" : "invalid_request_error", code: null, param: null },
  }),
};

function parse(body: WireObject): Prompt {
  const input = body.input;
  const items = typeof input === "string" ? [{ role: "user", content: input }] : asObjects(input);
  const isSystem = (item: WireObject) => item.role === "system" || item.role === "developer";
  const systems = items.filter(isSystem).map((item) => textOf(item.content));
  return {
    model: asString(body.model),
    system: [asString(body.instructions), ...systems].join("\n\n").trim(),
    messages: mergeAssistant(items.filter((item) => !isSystem(item)).flatMap(parseItem)),
    tools: asObjects(body.tools).map((tool) => ({
      name: asString(tool.name) || asString(tool.type),
      description: asString(tool.description),
      parameters: tool.parameters,
    })),
    stream: body.stream === true,
  };
}

function parseItem(item: WireObject): PromptMessage[] {
  const assistant = { role: "assistant", text: "", reasoning: "", toolCalls: [] } as const;
  switch (item.type) {
    case "function_call": {
      const args = parseLoosely(asString(item.arguments));
      return [{ ...assistant, toolCalls: [{ id: asString(item.call_id), name: asString(item.name), args }] }];
    }
    case "function_call_output":
      return [{ role: "tool", callId: asString(item.call_id), text: textOf(item.output) }];
    case "reasoning":
      return [{ ...assistant, reasoning: textOf(item.summary) }];
    case undefined:
    case "message": {
      const text = textOf(item.content);
      return [item.role === "assistant" ? { ...assistant, text } : { role: "user", text }];
    }
    default:
      return []; // item references and built-in tools carry nothing that a script matches on
  }
}

/** One reply comes back as several items; the other wires, and the script, see it as one assistant message. */
function mergeAssistant(items: readonly PromptMessage[]): PromptMessage[] {
  const merged: PromptMessage[] = [];
  for (const item of items) {
    const last = merged.at(-1);
    if (item.role !== "assistant" || last?.role !== "assistant") merged.push(item);
    else
      merged[merged.length - 1] = {
        role: "assistant",
        text: last.text + item.text,
        reasoning: last.reasoning + item.reasoning,
        toolCalls: [...last.toolCalls, ...item.toolCalls],
      };
  }
  return merged;
}

function textOf(content: WireJson | undefined): string {
  if (typeof content === "string") return content;
  return asObjects(content)
    .map((part) => asString(part.text))
    .join("\n");
}

function stream(reply: ReplyIdentity): Encoder {
  let sequence = 0;
  const event = (type: string, fields: object) => frame({ type, sequence_number: sequence++, ...fields }, type);
  const done: object[] = [];
  let open: OutputItem | undefined;
  const close = (): string[] => {
    if (!open) return [];
    const item = open;
    open = undefined;
    done.push(item.complete());
    return item.closing().map(([type, fields]) => event(type, fields));
  };
  return {
    start: () =>
      ["response.created", "response.in_progress"].map((type) =>
        event(type, { response: response(reply, "in_progress", [], undefined) }),
      ),
    part(part) {
      const frames = open?.kind === part.kind && part.kind !== "tool" ? [] : close();
      if (!open) {
        open = new OutputItem(reply, done.length, part);
        frames.push(...open.opening().map(([type, fields]) => event(type, fields)));
      }
      return [...frames, ...open.add(part).map(([type, fields]) => event(type, fields))];
    },
    finish(turn) {
      return [...close(), event("response.completed", { response: response(reply, "completed", done, turn.usage) })];
    },
  };
}

function itemsOf(reply: ReplyIdentity, turn: ReplyTurn): object[] {
  const items: OutputItem[] = [];
  for (const part of spokenParts(turn)) {
    let item = items.at(-1);
    if (!item || item.kind !== part.kind || part.kind === "tool") {
      item = new OutputItem(reply, items.length, part);
      items.push(item);
    }
    item.add(part);
  }
  return items.map((item) => item.complete());
}

function response(reply: ReplyIdentity, status: string, output: object[], usage: TurnUsage | undefined): object {
  return {
    id: `resp_${reply.number}`,
    object: "response",
    created_at: 0,
    status,
    model: reply.model,
    output,
    parallel_tool_calls: true,
    tools: [],
    error: null,
    incomplete_details: null,
    usage: usage ? usageOf(usage) : null,
  };
}

function usageOf(usage: TurnUsage): object {
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + usage.output,
  };
}

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
