/** A model that says hello, or uses a tool as often as it is asked to. It does not keep its process alive. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelAddress } from "@atomic/testing/opencode/config";

export interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly tools?: readonly unknown[];
}

export interface GreetingModel extends ModelAddress {
  /** All that came, in order. */
  readonly requests: ChatRequest[];
}

export async function greetingModel(): Promise<GreetingModel> {
  const requests: ChatRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const request = JSON.parse(await textOf(incoming)) as ChatRequest;
    requests.push(request);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const chunk of answerTo(request)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end("data: [DONE]\n\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { v1: `http://127.0.0.1:${port}/v1`, models: ["greeter"], requests };
}

const chunk = { id: "chat-1", object: "chat.completion.chunk", created: 1, model: "greeter" };
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
let calls = 0;

/** After "read 20 times", it reads a file until it has seen 20 results. */
function answerTo({ messages, tools = [] }: ChatRequest): readonly object[] {
  const asked = messages.findLastIndex(({ role, content }) => role === "user" && /read \d+ times/.test(said(content)));
  const many = asked < 0 ? 0 : Number(/read (\d+) times/.exec(said(messages[asked]!.content))![1]);
  const seen = messages.slice(asked + 1).filter(({ role }) => role === "tool").length;
  if (tools.length === 0 || seen >= many) return ending({ content: "hello" }, "stop");
  calls += 1;
  const call = { name: "read", arguments: JSON.stringify({ filePath: "README.md" }) };
  const toolCalls = [{ index: 0, id: `call_${calls}`, type: "function", function: call }];
  return ending({ tool_calls: toolCalls }, "tool_calls");
}

function said(content: unknown): string {
  return JSON.stringify(content ?? "");
}

function ending(delta: object, finish_reason: string): readonly object[] {
  return [
    { ...chunk, choices: [{ index: 0, delta: { role: "assistant", ...delta } }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage },
  ];
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const each of incoming) chunks.push(each as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
