/** A model that always says hello. It does not keep its process alive. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelAddress } from "@atomic/testing/opencode/config";

export interface ChatRequest {
  readonly messages: readonly { readonly role: string }[];
  readonly tools?: readonly unknown[];
}

export interface GreetingModel extends ModelAddress {
  /** All that came, in order. */
  readonly requests: ChatRequest[];
}

export async function greetingModel(): Promise<GreetingModel> {
  const requests: ChatRequest[] = [];
  const server = createServer(async (incoming, response) => {
    requests.push(JSON.parse(await textOf(incoming)) as ChatRequest);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const chunk of greeting) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end("data: [DONE]\n\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { v1: `http://127.0.0.1:${port}/v1`, models: ["greeter"], requests };
}

const chunk = { id: "chat-1", object: "chat.completion.chunk", created: 1, model: "greeter" };
const greeting = [
  { ...chunk, choices: [{ index: 0, delta: { role: "assistant", content: "hello" } }] },
  {
    ...chunk,
    choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  },
];

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const each of incoming) chunks.push(each as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
