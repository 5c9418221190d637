import type { NodeHost, PromptReply, PromptRequest } from "../../src/graph/services.ts";
import type { Json } from "../../src/run/json.ts";
import type { StepInfo } from "../../src/run/run-ctx.ts";

type Answer = (request: PromptRequest, info: StepInfo) => string | PromptReply | Promise<string | PromptReply>;

/** Answers as a test says, and remembers what it was asked. */
export class ScriptedHost implements NodeHost {
  readonly sent: {
    readonly path: string;
    readonly prompt: string;
    readonly session: Json;
    readonly attempt: number;
  }[] = [];
  readonly requests: PromptRequest[] = [];
  readonly opened: string[] = [];
  readonly closed: Json[] = [];
  readonly #answer: Answer;

  constructor(answer: Answer = ({ prompt }) => `reply to: ${prompt}`) {
    this.#answer = answer;
  }

  async open({ path }: PromptRequest): Promise<Json> {
    this.opened.push(path);
    return `session of ${path}`;
  }

  async send(request: PromptRequest, session: Json, info: StepInfo): Promise<PromptReply> {
    const { path, prompt } = request;
    this.sent.push({ path, prompt, session, attempt: info.attempt });
    this.requests.push(request);
    const reply = await this.#answer(request, info);
    return typeof reply === "string" ? { text: reply } : reply;
  }

  async close(session: Json): Promise<void> {
    this.closed.push(session);
  }
}
