// Hosts as graphs use them: a prompt goes in, the last message comes out.

import { readYesNo } from "@atomic/terminal/questions";
import { opencodeRoot } from "../entities/worktree.ts";
import { present } from "../graph/json-value.ts";
import type { NodeHost, PromptReply, PromptRequest } from "../graph/services.ts";
import type { Usage } from "../run/budget.ts";
import type { Json } from "../run/json.ts";
import { always, type StepInfo } from "../run/run-ctx.ts";
import { PermanentError } from "../run/step-errors.ts";
import { alwaysPattern, isCovered } from "./always-in-run.ts";
import { FileChanges } from "./file-changes.ts";
import { type Host, HostError, type HostSession, type PermissionEvent, type SessionOptions } from "./host.ts";
import {
  decidePermission,
  deniedToHelpers,
  deniedTools,
  type PermissionLayers,
  type PermissionPolicy,
} from "./permission-policy.ts";

export interface NodeHostOptions {
  /** How to make each host when it is first needed. */
  readonly hosts: Readonly<Record<string, () => Promise<Host>>>;
  /** The host for nodes that do not name one. */
  readonly default: string;
  /** The folder that agents work in. */
  readonly folder: string;
  /** The model for nodes that do not name one. */
  readonly model?: string | undefined;
  /** Whether the run has a budget in dollars, which only a model with a price can use up. */
  readonly needsPrice?: boolean | undefined;
  /** What agents may do. By default, you are asked about everything that could do harm. */
  readonly permissions?: PermissionPolicy;
}

/** `dispose` ends all hosts that it has started. */
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

class HostsOfNodes implements DisposableNodeHost {
  readonly #options: NodeHostOptions;
  readonly #hosts = new Map<string, Promise<Host>>();
  /** With the options that each was opened with, as JSON. */
  readonly #sessions = new Map<string, { readonly session: HostSession; readonly options: string }>();
  /** Those that were asked for their price. */
  readonly #models = new Set<string>();
  readonly #files: FileChanges;

  constructor(options: NodeHostOptions) {
    this.#options = options;
    this.#files = new FileChanges(options.folder);
  }

  async open(request: PromptRequest, info: StepInfo): Promise<Json> {
    const host = request.host ?? this.#options.default;
    const [handle] = await this.#create(host, request, info).catch(rejectForGood);
    return handle;
  }

  /** Follows a turn to its end: reports what happens, counts what it costs, and answers what it asks. */
  async send(request: PromptRequest, session: Json, info: StepInfo): Promise<PromptReply> {
    const before = readHandle(session);
    const [handle, opened] = await this.#reopen(before, request, info).catch(rejectForGood);
    const { host, id } = handle;
    if (handle !== before) info.note({ type: "session-replaced", host, id, instead: before.id });
    const context: PermissionContext = {
      info,
      layers: this.#layers(request),
      folder: this.#options.folder,
      about: { type: "permission", host, path: request.path },
    };
    const broken = new AbortController();
    const signal = AbortSignal.any([info.signal, broken.signal]);
    let usd: number | undefined;
    let text = "";
    let hasUsedTools = false;
    info.note({ type: "prompt", text: request.prompt, ...present({ system: request.system }) });
    const files = await this.#files.before();
    try {
      // A prompt that an earlier attempt sent is not sent again if its turn is still running or has ended.
      const options = { key: info.idemKey, signal };
      const found = info.attempt > 1 ? await opened.reattach(request.prompt, options) : undefined;
      // Such a turn reports all that it has used. The process that sent it has counted some of that.
      let counted: Counted = found === undefined ? { usd: 0, tokens: 0 } : info.countedBefore;
      for await (const event of found ?? opened.send(request.prompt, options)) {
        if (event.type === "usage") {
          const { usage, left } = notCounted(event.usage, counted);
          counted = left;
          info.spend(usage);
          if (event.usage.usd !== undefined) usd = (usd ?? 0) + event.usage.usd;
        } else if (event.type === "permission") {
          // What was asked before the turn was stopped must not be allowed after it.
          if (signal.aborted) continue;
          // Meanwhile the agent may do something else, or even end its turn if it was answered elsewhere.
          answer(event, context).catch((error: unknown) => broken.abort(error));
        } else if (event.type === "end") text = event.text;
        else if (event.type === "tool-ended") {
          const { type, id: call, tool, ok, output } = event;
          hasUsedTools = true;
          info.note({ type, id: call, tool, ok, output });
        } else info.note(event);
      }
      if (hasUsedTools && files !== undefined) {
        const diff = await this.#files.between(files, (await this.#files.now()) ?? files);
        if (diff !== undefined) info.note({ type: "files-changed", diff });
      }
    } catch (error) {
      // Its program may be gone: the next attempt resumes the session.
      await this.close(handle);
      return rejectForGood(error);
    }
    if (!request.keep) await this.close(handle);
    return { text, ...(usd !== undefined && { usd }), ...(handle !== before && { session: handle }) };
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
    // A graph keeps named sessions until it ends.
    const closed = await Promise.allSettled(sessions.map(({ session }) => session.dispose()));
    // One that could not be created has already reported that to its caller.
    const made = await Promise.all(hosts.map((host) => host.catch(() => undefined)));
    await Promise.all(made.map((host) => host?.dispose()));
    this.#files.dispose();
    for (const each of closed) if (each.status === "rejected") throw each.reason;
  }

  /** Nodes that share a session may differ in agent, model or tools: then it is reopened for each. */
  async #reopen(handle: Handle, request: PromptRequest, info: StepInfo): Promise<[Handle, HostSession]> {
    const options = this.#sessionOptions(request);
    const name = nameOf(handle.host, handle.id);
    const open = this.#sessions.get(name);
    if (open?.options === JSON.stringify(options)) return [handle, open.session];
    this.#sessions.delete(name);
    await open?.session.dispose();
    const host = await this.#host(handle.host, info);
    await this.#checkPrice(host, options, request, info);
    try {
      const session = await host.resume(handle.id, options);
      this.#sessions.set(name, { session, options: JSON.stringify(options) });
      return [handle, session];
    } catch (error) {
      if (error instanceof HostError && error.code === "session-gone") {
        return await this.#create(handle.host, request, info);
      }
      throw error;
    }
  }

  async #create(name: string, request: PromptRequest, info: StepInfo): Promise<[Handle, HostSession]> {
    const options = this.#sessionOptions(request);
    const host = await this.#host(name, info);
    await this.#checkPrice(host, options, request, info);
    const session = await host.create(options);
    const handle = { host: name, id: session.id };
    this.#sessions.set(nameOf(name, session.id), { session, options: JSON.stringify(options) });
    return [handle, session];
  }

  /** Says, before the first prompt, that a budget in dollars will not stop it. */
  async #checkPrice(host: Host, options: SessionOptions, request: PromptRequest, info: StepInfo): Promise<void> {
    const name = JSON.stringify([host.name, options.model, options.agent?.name]);
    if (!(this.#options.needsPrice || request.needsPrice) || this.#models.has(name)) return;
    this.#models.add(name);
    const model = await host.modelWithoutPrice?.(options);
    if (model !== undefined) info.note({ type: "no-price", host: host.name, model });
  }

  async #host(name: string, info: StepInfo): Promise<Host> {
    const make = Object.hasOwn(this.#options.hosts, name) ? this.#options.hosts[name] : undefined;
    if (make === undefined) {
      const names = Object.keys(this.#options.hosts).join(", ");
      throw new PermanentError(`There is no host "${name}". Known hosts: ${names}.`, { code: "host-missing" });
    }
    // A program can take a minute to start; a script takes no time.
    if (!this.#hosts.has(name) && name !== "scripted") info.note({ type: "host-starting", host: name });
    const made = this.#hosts.get(name) ?? make();
    this.#hosts.set(name, made);
    try {
      return await made;
    } catch (error) {
      this.#hosts.delete(name);
      throw error;
    }
  }

  #layers({ permissions, agent, entity }: PromptRequest): PermissionLayers {
    return { user: this.#options.permissions, node: permissions, file: (agent ?? entity)?.restrictions };
  }

  #sessionOptions(request: PromptRequest): SessionOptions {
    const { agent, model, system, tools } = { model: this.#options.model, ...request };
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

/** Rethrows an error. What would fail the same way at the next attempt is not tried again. */
function rejectForGood(error: unknown): never {
  if (!(error instanceof HostError && error.isPermanent)) throw error;
  const { code, message, hint } = error;
  throw new PermanentError(message, { code, cause: error, ...present({ hint }) });
}

function nameOf(host: string, id: string): string {
  return JSON.stringify([host, id]);
}

function readHandle(session: Json): Handle {
  const { host, id } = (session ?? {}) as { host?: unknown; id?: unknown };
  if (typeof host === "string" && typeof id === "string") return session as Handle;
  throw new PermanentError(`This is not a host session: ${JSON.stringify(session)}`, { code: "session-invalid" });
}

type Counted = StepInfo["countedBefore"];

/** The part of the usage that is not counted yet, and what is left of what is. */
function notCounted(usage: Usage, counted: Counted): { readonly usage: Usage; readonly left: Counted } {
  const { usd = 0, inputTokens = 0, outputTokens = 0 } = usage;
  if (counted.usd === 0 && counted.tokens === 0) return { usage, left: counted };
  const known = { usd: Math.min(usd, counted.usd), tokens: Math.min(inputTokens + outputTokens, counted.tokens) };
  const fromInput = Math.min(inputTokens, known.tokens);
  return {
    usage: {
      ...(usage.usd !== undefined && { usd: usd - known.usd }),
      inputTokens: inputTokens - fromInput,
      outputTokens: outputTokens - (known.tokens - fromInput),
    },
    left: { usd: counted.usd - known.usd, tokens: counted.tokens - known.tokens },
  };
}

interface PermissionContext {
  readonly info: StepInfo;
  readonly layers: PermissionLayers;
  /** The folder that the agent works in. */
  readonly folder: string;
  /** Shows where a question comes from. */
  readonly about: { readonly [key: string]: Json };
}

async function answer(event: PermissionEvent, { info, layers, folder, about }: PermissionContext): Promise<void> {
  const { tool, detail } = event;
  const request = { tool, detail, folder, root: opencodeRoot(folder) };
  const decided = decidePermission(layers, request);
  if (decided !== "ask") return await event.answer(decided);
  let given: PermissionAnswer;
  try {
    // The whole request is shown: you cannot decide about a part of it.
    const question = { ...about, tool, detail, ...present({ always: alwaysPattern(request) }) };
    given = readAnswer(await info.ask(question, (earlier) => isCovered(earlier, request)));
  } catch (error) {
    if (!(error instanceof PermanentError) || error.code !== "question-too-large") throw error;
    const reason = `This call has ${detail.length} characters, too many to show for approval. Take smaller steps.`;
    info.note({ type: "permission-denied", tool, reason });
    given = { isAllowed: false, reason };
  }
  await event.answer(given.isAllowed ? "allow" : "deny", given.reason);
}

interface PermissionAnswer {
  readonly isAllowed: boolean;
  readonly reason?: string;
}

/** Reads `true`, `"allow"`, `"always"`, `{ answer: "deny", reason: "…" }` …; any other text is a no with that reason. */
function readAnswer(value: Json): PermissionAnswer {
  if (typeof value === "boolean") return { isAllowed: value };
  if (typeof value === "string") {
    const isYes = value === always || (value.trim() !== "" && readYesNo(value));
    return isYes === undefined ? { isAllowed: false, reason: value } : { isAllowed: isYes };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { isAllowed: false };
  const { answer: given = null, reason } = value as { answer?: Json; reason?: Json };
  return { ...readAnswer(given), ...(typeof reason === "string" && { reason }) };
}
