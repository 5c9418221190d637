import type { PromptMessage } from "../conversation.ts";
import type { TurnUsage } from "../turn.ts";
import {
  asObjects,
  asString,
  frame,
  parseLoosely,
  type ReplyIdentity,
  type SpokenPart,
  spokenParts,
  textOf,
  type Wire,
  type WireObject,
} from "../wire.ts";

/** OpenAI responses: what Codex and newer OpenAI clients speak. */
export const responses: Wire = {
  name: "responses",
  path: "/v1/responses",
  parse: (body) => {
    const { input } = body;
    const systems: string[] = [];
    const messages: PromptMessage[] = [];
    for (const item of typeof input === "string" ? [{ role: "user", content: input }] : asObjects(input)) {
      if (item.role === "system" || item.role === "developer") {
        systems.push(textOf(item.content));
        continue;
      }
      const message = parseItem(item);
      const last = messages.at(-1);
      // One reply comes back as several items; the other wires, and the script, see it as one assistant message.
      if (message?.role === "assistant" && last?.role === "assistant") {
        messages[messages.length - 1] = {
          role: "assistant",
          text: last.text + message.text,
          reasoning: last.reasoning + message.reasoning,
          toolCalls: [...last.toolCalls, ...message.toolCalls],
        };
      } else if (message !== undefined) messages.push(message);
    }
    return {
      model: asString(body.model),
      system: [asString(body.instructions), ...systems].join("\n\n").trim(),
      messages,
      tools: asObjects(body.tools).map((tool) => ({
        name: asString(tool.name) || asString(tool.type),
        description: asString(tool.description),
        parameters: tool.parameters,
      })),
      stream: body.stream === true,
    };
  },
  stream: (reply) => {
    let sequence = 0;
    const event = (type: string, fields: object) => frame({ type, sequence_number: sequence++, ...fields }, type);
    const events = (list: readonly ResponseEvent[]) => list.map(([type, fields]) => event(type, fields));
    const done: object[] = [];
    let open: OutputItem | undefined;
    const close = (): string[] => {
      if (!open) return [];
      const item = open;
      open = undefined;
      done.push(item.entry("completed"));
      return events(item.closing());
    };
    return {
      start: () =>
        ["response.created", "response.in_progress"].map((type) =>
          event(type, { response: response(reply, "in_progress", [], undefined) }),
        ),
      part: (part) => {
        const frames = open?.kind === part.kind && part.kind !== "tool" ? [] : close();
        if (!open) {
          open = new OutputItem(reply, done.length, part);
          frames.push(...events(open.opening()));
        }
        return [...frames, ...events(open.add(part))];
      },
      finish: (turn) => [
        ...close(),
        event("response.completed", { response: response(reply, "completed", done, turn.usage) }),
      ],
    };
  },
  whole: (reply, turn) => {
    const items: OutputItem[] = [];
    for (const part of spokenParts(turn)) {
      let item = items.at(-1);
      if (!item || item.kind !== part.kind || part.kind === "tool") {
        item = new OutputItem(reply, items.length, part);
        items.push(item);
      }
      item.add(part);
    }
    const output = items.map((item) => item.entry("completed"));
    return response(reply, "completed", output, turn.usage);
  },
  error: (status, message) => ({
    error: { message, type: status >= 500 ? "server_error" : "invalid_request_error", code: null, param: null },
  }),
};

function parseItem(item: WireObject): PromptMessage | undefined {
  const assistant = { role: "assistant", text: "", reasoning: "", toolCalls: [] } as const;
  switch (item.type) {
    case "function_call": {
      const args = parseLoosely(asString(item.arguments));
      return { ...assistant, toolCalls: [{ id: asString(item.call_id), name: asString(item.name), args }] };
    }
    case "function_call_output":
      return { role: "tool", callId: asString(item.call_id), text: textOf(item.output) };
    case "reasoning":
      return { ...assistant, reasoning: textOf(item.summary) };
    case undefined:
    case "message": {
      const text = textOf(item.content);
      return item.role === "assistant" ? { ...assistant, text } : { role: "user", text };
    }
    default:
      return undefined; // item references and built-in tools carry nothing that a script matches on
  }
}

function response(reply: ReplyIdentity, status: string, output: object[], usage: TurnUsage | undefined): object {
  const input = usage === undefined ? 0 : usage.input + usage.cacheRead + usage.cacheWrite;
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
    usage:
      usage === undefined
        ? null
        : {
            input_tokens: input,
            input_tokens_details: { cached_tokens: usage.cacheRead },
            output_tokens: usage.output,
            output_tokens_details: { reasoning_tokens: usage.reasoning },
            total_tokens: input + usage.output,
          },
  };
}

/** A server-sent event of the responses wire, before it is numbered. */
export type ResponseEvent = readonly [type: string, fields: object];

/** One entry of a response's `output` while it is being streamed. */
export class OutputItem {
  readonly kind: SpokenPart["kind"];
  readonly #part: SpokenPart;
  readonly #id: string;
  readonly #index: number;
  /** Where an event of this item belongs. */
  readonly #at: object;
  #text = "";

  constructor(reply: ReplyIdentity, index: number, part: SpokenPart) {
    this.kind = part.kind;
    this.#part = part;
    this.#id = `${{ text: "msg", reasoning: "rs", tool: "fc" }[part.kind]}_${reply.number}_${index}`;
    this.#index = index;
    const position = { text: { content_index: 0 }, reasoning: { summary_index: 0 }, tool: {} }[part.kind];
    this.#at = { item_id: this.#id, output_index: index, ...position };
  }

  opening(): ResponseEvent[] {
    const item = this.entry("in_progress");
    const added: ResponseEvent = ["response.output_item.added", { output_index: this.#index, item }];
    if (this.kind === "tool") return [added];
    return [added, [`response.${partNames[this.kind]}.added`, { ...this.#at, part: this.#content("") }]];
  }

  add(part: SpokenPart): ResponseEvent[] {
    const delta = part.kind === "tool" ? part.args : part.text;
    this.#text += delta;
    return [[`response.${deltaNames[this.kind]}.delta`, { ...this.#at, delta }]];
  }

  closing(): ResponseEvent[] {
    const value = this.kind === "tool" ? { arguments: this.#text } : { text: this.#text };
    const done: ResponseEvent = [`response.${deltaNames[this.kind]}.done`, { ...this.#at, ...value }];
    const item = this.entry("completed");
    const itemDone: ResponseEvent = ["response.output_item.done", { output_index: this.#index, item }];
    if (this.kind === "tool") return [done, itemDone];
    const part = this.#content(this.#text);
    return [done, [`response.${partNames[this.kind]}.done`, { ...this.#at, part }], itemDone];
  }

  entry(status: "in_progress" | "completed"): object {
    const filled = status === "completed";
    const content = filled ? [this.#content(this.#text)] : [];
    switch (this.#part.kind) {
      case "text":
        return { id: this.#id, type: "message", role: "assistant", status, content };
      case "reasoning":
        return { id: this.#id, type: "reasoning", summary: content };
      case "tool": {
        const { id: call_id, name } = this.#part;
        return { id: this.#id, type: "function_call", call_id, name, arguments: filled ? this.#text : "", status };
      }
    }
  }

  #content(text: string): object {
    return this.kind === "text" ? { type: "output_text", text, annotations: [] } : { type: "summary_text", text };
  }
}

const partNames = { text: "content_part", reasoning: "reasoning_summary_part" } as const;
const deltaNames = {
  text: "output_text",
  reasoning: "reasoning_summary_text",
  tool: "function_call_arguments",
} as const;
