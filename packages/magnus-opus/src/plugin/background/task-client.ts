// The parts of OpenCode that background tasks use. Its client does not throw; it returns failures in `error`.
import type { PluginContext } from "@atomic/workflows/internal/plugin/opencode-config";
import type { Found } from "../../background/event.ts";
import type { ModelName, ResolvedRule } from "../live/opencode.ts";
import { openOf } from "./heard-turns.ts";

export interface TaskSession {
  readonly id: string;
  readonly title?: string;
  readonly parentID?: string;
  readonly agent?: string;
  readonly model?: { readonly id: string; readonly providerID: string; readonly variant?: string };
  readonly permission?: readonly ResolvedRule[];
}

export interface TaskAgent {
  readonly name: string;
  readonly mode?: string;
  readonly model?: ModelName;
  readonly permission?: readonly ResolvedRule[] | object;
}

export interface TaskPrompt {
  readonly agent?: string | undefined;
  readonly model?: ModelName | undefined;
  readonly variant?: string | undefined;
  readonly system?: string | undefined;
  readonly parts: readonly { readonly type: "text"; readonly text: string; readonly synthetic?: boolean }[];
}

export type TaskSpeaker = Pick<TaskPrompt, "agent" | "model" | "variant">;

export interface TaskMessage {
  readonly info: {
    readonly id: string;
    readonly role: "user" | "assistant";
    readonly agent?: string;
    readonly model?: ModelName & { readonly variant?: string };
    readonly finish?: string;
    readonly time?: { readonly completed?: number };
    readonly error?: { readonly name?: string; readonly data?: { readonly message?: string } };
  };
  readonly parts: readonly {
    readonly type: string;
    readonly text?: string;
    readonly synthetic?: boolean;
    readonly tool?: string;
    readonly callID?: string;
    readonly state?: { readonly status?: string; readonly output?: string };
  }[];
}

type Answer<Data> = Promise<{ readonly data?: Data; readonly error?: unknown; readonly response?: { status: number } }>;
type OfSession = { readonly path: { readonly id: string } };

interface Client {
  readonly app: { agents(): Answer<readonly TaskAgent[]> };
  readonly session: {
    create(request: { body: object }): Answer<TaskSession>;
    get(request: OfSession): Answer<TaskSession>;
    status(): Answer<Readonly<Record<string, { readonly type: string }>>>;
    messages(request: OfSession & { query?: { limit?: number } }): Answer<readonly TaskMessage[]>;
    todo(request: OfSession): Answer<readonly { readonly status?: string }[]>;
    promptAsync(request: OfSession & { body: TaskPrompt }): Answer<unknown>;
    abort(request: OfSession): Answer<unknown>;
  };
  readonly tui: {
    showToast(request: { body: { title: string; message: string; variant: ToastVariant } }): Promise<unknown>;
  };
}

export type ToastVariant = "info" | "success" | "warning";

/** The end of a conversation is enough to see how it ended. */
const lastMessages = 30;

export class TaskClient {
  readonly #client: Client;

  constructor({ client }: Pick<PluginContext, "client">) {
    this.#client = client as unknown as Client;
  }

  async create(body: {
    readonly parentID: string;
    readonly title: string;
    readonly agent: string;
    readonly permission: readonly ResolvedRule[];
  }): Promise<string> {
    const { data, error } = await this.#client.session.create({ body });
    if (data === undefined) throw failed("create a session", error);
    return data.id;
  }

  /** Undefined if there is no such session. */
  async session(id: string): Promise<TaskSession | undefined> {
    const { data, error, response } = await this.#client.session.get({ path: { id } });
    if (error !== undefined && response?.status !== 404) throw failed(`return the session ${id}`, error);
    return data;
  }

  /** From the session up to the one that a person uses. */
  async ancestry(id: string): Promise<readonly TaskSession[]> {
    const chain: TaskSession[] = [];
    for (let above: string | undefined = id; above !== undefined && chain.length < 32; ) {
      const session: TaskSession | undefined = await this.session(above);
      if (session === undefined) break;
      chain.push(session);
      above = session.parentID;
    }
    return chain;
  }

  async agents(): Promise<readonly TaskAgent[]> {
    const { data, error } = await this.#client.app.agents();
    if (data === undefined) throw failed("return the agents", error);
    return data;
  }

  async isBusy(id: string): Promise<boolean> {
    const { data, error } = await this.#client.session.status();
    if (data === undefined) throw failed("return what is busy", error);
    return Object.hasOwn(data, id);
  }

  /** The end of a conversation, oldest first; undefined if there is no such session. */
  async messages(
    id: string,
    query: { limit?: number } = { limit: lastMessages },
  ): Promise<readonly TaskMessage[] | undefined> {
    const request = { path: { id }, query };
    const { data, error, response } = await this.#client.session.messages(request);
    if (error !== undefined && response?.status !== 404) throw failed(`return the messages in ${id}`, error);
    return data;
  }

  /** Undefined if OpenCode accepted the prompt, otherwise why not. */
  async prompt(id: string, body: TaskPrompt): Promise<{ readonly why: string; readonly isGone: boolean } | undefined> {
    const { error, response } = await this.#client.session.promptAsync({ path: { id }, body });
    if (error === undefined) return undefined;
    return { why: `OpenCode did not accept the prompt: ${JSON.stringify(error)}`, isGone: response?.status === 404 };
  }

  async abort(id: string): Promise<void> {
    const { error, response } = await this.#client.session.abort({ path: { id } });
    if (error !== undefined && response?.status !== 404) throw failed(`stop ${id}`, error);
  }

  /** What became of a turn. `after`: the last message before it. */
  async look(id: string, after: string): Promise<Found> {
    const [messages, isBusy, todos] = await Promise.all([
      this.messages(id),
      this.isBusy(id),
      this.#client.session.todo({ path: { id } }),
    ]);
    if (messages === undefined) return { kind: "gone" };
    const turn = messages.slice(messages.findIndex(({ info }) => info.id === after) + 1);
    const last = turn.findLast(({ info }) => info.role === "assistant");
    const isFinished = last?.info.time?.completed !== undefined && last.info.finish !== "tool-calls";
    // A session is still listed as busy while it reports its end, so its messages count first.
    if (isBusy && !(isFinished && turn.at(-1) === last)) return { kind: "busy" };
    const { error } = last?.info ?? {};
    const why = error === undefined ? undefined : (error.data?.message ?? error.name ?? "unknown error");
    const isStopped = error?.name === "MessageAbortedError";
    const openTodos = openOf(todos.data ?? []);
    return {
      ...{ kind: "ended", isAnswered: isFinished && !isStopped, text: textOf(last), openTodos },
      error: isStopped ? undefined : why,
    };
  }

  /** Who speaks in a session: its agent and its model. Older versions of OpenCode keep both only in messages. */
  async speaker(id: string): Promise<TaskSpeaker | undefined> {
    const session = await this.session(id);
    return session === undefined ? undefined : (speakerOf(session) ?? this.#lastSpeaker(id));
  }

  async #lastSpeaker(id: string): Promise<TaskSpeaker> {
    const last = ((await this.messages(id)) ?? []).findLast(({ info }) => info.role === "user")?.info;
    const { providerID, modelID, variant } = last?.model ?? {};
    const model = providerID === undefined || modelID === undefined ? undefined : { providerID, modelID };
    return { agent: last?.agent, model, variant };
  }

  /** Whether a delivery is part of the parent's conversation: as a text, or as the output of a tool call. */
  async has(parent: string, delivery: string): Promise<boolean> {
    // It may be older than the end of the conversation, if the plugin was away for a while.
    const parts = ((await this.messages(parent, {})) ?? []).flatMap((message) => message.parts);
    return parts.some((part) => deliveryIn(part) === delivery);
  }

  toast(message: string, variant: ToastVariant): void {
    // Without a screen, no one would see it.
    void this.#client.tui.showToast({ body: { title: "Background", message, variant } }).catch(() => undefined);
  }
}

export function speakerOf({ agent, model }: TaskSession): TaskSpeaker | undefined {
  if (agent === undefined || model === undefined) return undefined;
  const { id: modelID, providerID, variant } = model;
  return { agent, model: { providerID, modelID }, variant: variant === "default" ? undefined : variant };
}

/** What an agent said last, without what was said on its behalf. */
function textOf(message: TaskMessage | undefined): string {
  const said = message?.parts.filter((part) => part.type === "text" && part.synthetic !== true) ?? [];
  return said
    .map((part) => part.text ?? "")
    .join("\n")
    .trim();
}

/** The delivery that a part carries, if it is complete. */
export function deliveryIn(part: TaskMessage["parts"][number]): string | undefined {
  if (part.type === "tool") return part.state?.status === "completed" ? part.callID : undefined;
  if (part.type !== "text" || part.synthetic !== true) return undefined;
  return /^<background_results id="([^"]+)">/.exec(part.text ?? "")?.[1];
}

function failed(what: string, error: unknown): Error {
  return new Error(`OpenCode failed to ${what}: ${JSON.stringify(error)}`);
}
