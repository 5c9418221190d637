// Hosts as a graph sees them: a prompt goes in, the last message comes out.

import { present } from "../graph/json-value.ts";
import type { NodeHost, PromptReply, PromptRequest } from "../graph/services.ts";
import type { Json } from "../run/json.ts";
import type { StepInfo } from "../run/run-ctx.ts";
import { PermanentError } from "../run/step-errors.ts";
import { deniedToHelpers } from "./helper-policy.ts";
import type { Host, HostEvent, HostSession, SessionOptions } from "./host.ts";
import { HostError } from "./host-error.ts";
import { deniedTools, type PermissionLayers, type PermissionPolicy } from "./permission-policy.ts";
import { readTurn } from "./read-turn.ts";

export interface NodeHostOptions {
  /** How to get each host, when it is wanted for the first time. */
  readonly hosts: Readonly<Record<string, () => Promise<Host>>>;
  /** The one for nodes that name none. */
  readonly default: string;
  /** The folder that agents work in. */
  readonly folder: string;
  /** For nodes that do not name one. */
  readonly model?: string | undefined;
  /** What agents may do. By default, a person is asked about everything that could do harm. */
  readonly permissions?: PermissionPolicy;
}

/** Ends all hosts that it has started. */
export type DisposableNodeHost = NodeHost & { dispose(): Promise<void> };

/**
 * @example
 * const host = nodeHostOf({
 *   hosts: { opencode: async () => opencodeHost() },
 *   default: "opencode",
 *   folder: process.cwd(),
 *   permissions: { bash: "ask", "*": "allow" },
 * });
 */
export function nodeHostOf(options: NodeHostOptions): DisposableNodeHost {
  return new HostsOfNodes(options);
}

type Handle = { readonly host: string; readonly id: string };

interface Open {
  readonly session: HostSession;
  /** What it was opened with, as text. */
  readonly options: string;
}

class HostsOfNodes implements DisposableNodeHost {
  readonly #options: NodeHostOptions;
  readonly #hosts = new Map<string, Promise<Host>>();
  readonly #sessions = new Map<string, Open>();

  constructor(options: NodeHostOptions) {
    this.#options = options;
  }

  async open(asked: PromptRequest): Promise<Json> {
    const request = this.#withModel(asked);
    const [handle] = await this.#create(request.host ?? this.#options.default, request);
    return handle;
  }

  async send(asked: PromptRequest, session: Json, info: StepInfo): Promise<PromptReply> {
    const request = this.#withModel(asked);
    const before = readHandle(session);
    const [handle, opened] = await this.#reopen(before, request);
    if (handle !== before)
      info.note({ type: "session-replaced", host: handle.host, id: handle.id, instead: before.id });
    const reply = await this.#read(handle, opened, request, info);
    if (!request.keep) await this.close(handle);
    return { ...reply, ...(handle !== before && { session: handle }) };
  }

  #withModel(request: PromptRequest): PromptRequest {
    const { model } = this.#options;
    return model === undefined ? request : { model, ...request };
  }

  async close(session: Json): Promise<void> {
    const { host, id } = readHandle(session);
    const name = nameOf(host, id);
    const open = this.#sessions.get(name);
    this.#sessions.delete(name);
    await open?.session.dispose();
  }

  async dispose(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    const hosts = [...this.#hosts.values()];
    this.#hosts.clear();
    this.#sessions.clear();
    // A graph keeps those with a name to its end. A host that is somebody else's goes on after this.
    const closed = await Promise.allSettled(sessions.map(({ session }) => session.dispose()));
    // One that could not be made has said so to whoever wanted it.
    const made = await Promise.all(hosts.map((host) => host.catch(() => undefined)));
    await Promise.all(made.map((host) => host?.dispose()));
    for (const each of closed) if (each.status === "rejected") throw each.reason;
  }

  async #read(handle: Handle, session: HostSession, request: PromptRequest, info: StepInfo): Promise<PromptReply> {
    try {
      return await readTurn((signal) => this.#turn(session, request, info, signal), {
        info,
        layers: this.#layers(request),
        folder: this.#options.folder,
        about: { type: "permission", host: handle.host, path: request.path },
      });
    } catch (error) {
      // Its program may be gone: the next attempt resumes it.
      await this.close(handle);
      throw error;
    }
  }

  /** What an attempt of before has sent is not sent again, if it is still under way or has come to an end. */
  async #turn(
    session: HostSession,
    { prompt }: PromptRequest,
    { attempt, idemKey }: StepInfo,
    signal: AbortSignal,
  ): Promise<AsyncIterable<HostEvent>> {
    const options = { key: idemKey, signal };
    const found = attempt > 1 ? await session.reattach(prompt, options) : undefined;
    return found ?? session.send(prompt, options);
  }

  /** Nodes that share a session need not agree on agent, model or tools: then it is opened anew for each. */
  async #reopen(handle: Handle, request: PromptRequest): Promise<[Handle, HostSession]> {
    const options = this.#sessionOptions(request);
    const name = nameOf(handle.host, handle.id);
    const open = this.#sessions.get(name);
    if (open?.options === JSON.stringify(options)) return [handle, open.session];
    this.#sessions.delete(name);
    await open?.session.dispose();
    const host = await this.#host(handle.host);
    try {
      return [handle, this.#keep(handle, await host.resume(handle.id, options), options)];
    } catch (error) {
      if (error instanceof HostError && error.code === "session-gone") return await this.#create(handle.host, request);
      throw error;
    }
  }

  async #create(name: string, request: PromptRequest): Promise<[Handle, HostSession]> {
    const options = this.#sessionOptions(request);
    const session = await (await this.#host(name)).create(options);
    const handle = { host: name, id: session.id };
    return [handle, this.#keep(handle, session, options)];
  }

  #keep({ host, id }: Handle, session: HostSession, options: SessionOptions): HostSession {
    this.#sessions.set(nameOf(host, id), { session, options: JSON.stringify(options) });
    return session;
  }

  async #host(name: string): Promise<Host> {
    const make = Object.hasOwn(this.#options.hosts, name) ? this.#options.hosts[name] : undefined;
    if (make === undefined) {
      const names = Object.keys(this.#options.hosts).join(", ");
      throw new PermanentError(`There is no host "${name}", only: ${names}.`, { code: "host-missing" });
    }
    const made = this.#hosts.get(name) ?? make();
    this.#hosts.set(name, made);
    try {
      return lasting(await made);
    } catch (error) {
      this.#hosts.delete(name);
      throw permanentIfMissing(error);
    }
  }

  #layers({ permissions, agent, entity }: PromptRequest): PermissionLayers {
    return { user: this.#options.permissions, node: permissions, file: (agent ?? entity)?.restrictions };
  }

  #sessionOptions(request: PromptRequest): SessionOptions {
    const { agent, model, system, tools } = request;
    const layers = this.#layers(request);
    const deny = deniedTools(layers);
    return {
      folder: this.#options.folder,
      title: `${request.runId} ${request.path}`,
      ...present({ model, system, tools }),
      ...(deny.length > 0 && { deny }),
      denyHelpers: deniedToHelpers(layers),
      ...(agent && { agent: { name: agent.displayName, description: agent.description, prompt: agent.prompt } }),
    };
  }
}

/** What is not installed is missing at the next attempt, too. */
function lasting(host: Host): Host {
  const guard = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => Promise.reject(permanentIfMissing(error)));
  return {
    name: host.name,
    create: (options) => guard(host.create(options)),
    resume: (id, options) => guard(host.resume(id, options)),
    dispose: () => host.dispose(),
  };
}

function permanentIfMissing(error: unknown): unknown {
  if (!(error instanceof HostError) || error.code !== "host-missing") return error;
  const { code, message, hint } = error;
  return new PermanentError(message, { code, cause: error, ...present({ hint }) });
}

function nameOf(host: string, id: string): string {
  return JSON.stringify([host, id]);
}

function readHandle(session: Json): Handle {
  const { host, id } = (session ?? {}) as { host?: unknown; id?: unknown };
  if (typeof host === "string" && typeof id === "string") return session as Handle;
  throw new PermanentError(`This is no session of a host: ${JSON.stringify(session)}`, { code: "session-invalid" });
}
