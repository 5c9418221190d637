/** A model that launches a background agent when it is asked to, and lets the agent answer when it is told to. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelAddress } from "@atomic/testing/opencode/config";

export interface LaunchingModel extends ModelAddress {
  /** Lets the agent that was launched last answer. */
  release(): void;
  /** Until an agent is at work. */
  launched(): Promise<void>;
}

interface Message {
  readonly role: string;
  readonly content?: unknown;
}

export interface LaunchingTool {
  readonly name: string;
  readonly args: object;
}

/** What the launched agent is asked. */
export const errand = "Do the background errand.";

export async function launchingModel(tool: LaunchingTool): Promise<LaunchingModel> {
  let waiting: (() => void) | undefined;
  let arrived: (() => void) | undefined;
  const server = createServer(async (incoming, response) => {
    const { messages, tools = [] } = JSON.parse(await textOf(incoming)) as { messages: Message[]; tools?: unknown[] };
    const last = messages.at(-1)!;
    const said = JSON.stringify(last.content ?? "");
    const isErrand =
      tools.length > 0 &&
      messages.some(({ role, content }) => role === "user" && JSON.stringify(content).includes(errand));
    if (isErrand)
      await new Promise<void>((resolve) => {
        waiting = resolve;
        arrived?.();
      });
    const isLaunch = tools.length > 0 && last.role === "user" && said.includes("Launch it");
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const each of isLaunch ? calling(tool) : saying("done")) response.write(`data: ${JSON.stringify(each)}\n\n`);
    response.end("data: [DONE]\n\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    ...{ v1: `http://127.0.0.1:${port}/v1`, models: ["launcher"] },
    release: () => {
      waiting?.();
      waiting = undefined;
    },
    launched: async () => {
      if (waiting === undefined)
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
    },
  };
}

const chunk = { id: "chat-1", object: "chat.completion.chunk", created: 1, model: "launcher" };
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
let calls = 0;

function saying(content: string): readonly object[] {
  return [
    { ...chunk, choices: [{ index: 0, delta: { role: "assistant", content } }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage },
  ];
}

function calling({ name, args }: LaunchingTool): readonly object[] {
  calls += 1;
  const called = {
    index: 0,
    id: `call_${calls}`,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  };
  return [
    { ...chunk, choices: [{ index: 0, delta: { role: "assistant", tool_calls: [called] } }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }], usage },
  ];
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const each of incoming) chunks.push(each as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
