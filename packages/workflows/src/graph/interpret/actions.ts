import { isExplained } from "@atomic/durable-files/explained-error";
import { expandArguments } from "../../entities/arguments.ts";
import type { Entity } from "../../entities/entity.ts";
import type { Json } from "../../run/json.ts";
import { whenDone } from "../../run/promises.ts";
import type { StepInfo, StepOptions } from "../../run/run-ctx.ts";
import { PermanentError, RateLimitError, recordError } from "../../run/step-errors.ts";
import {
  type AgentJson,
  type AskUserJson,
  type BudgetJson,
  type ClearContextJson,
  type CommandJson,
  isFunctionRef,
  type RetryJson,
  type SkillJson,
  type ToolJson,
  type WaitJson,
} from "../graph-json.ts";
import { jsonOf, present } from "../json-value.ts";
import type { PromptRequest } from "../services.ts";
import type { NodeResult } from "./memory.ts";
import { resultOf, takeOutput } from "./result.ts";
import { call, failure, madeOf, type Scope, textOf } from "./scope.ts";

interface Trying {
  readonly id: string;
  readonly retry?: RetryJson;
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly budget?: BudgetJson;
}

/** Made once for each node: a loop would make them in every turn. */
const made = new WeakMap<Trying, StepOptions>();

function stepOptions(node: Trying, queue?: "agents"): StepOptions {
  const known = made.get(node);
  if (known !== undefined) return known;
  const options = newOptions(node, queue);
  made.set(node, options);
  return options;
}

function newOptions({ retry, timeoutMs, idleTimeoutMs, budget }: Trying, queue: string | undefined): StepOptions {
  const { maxAttempts = 1, backoffMs, backoffMultiplier, maxBackoffMs } = retry ?? {};
  const backoff = present({ ms: backoffMs, factor: backoffMultiplier, maxMs: maxBackoffMs });
  return { retries: maxAttempts - 1, backoff, ...present({ timeoutMs, idleMs: idleTimeoutMs, budget, queue }) };
}

/** An error that the node does not want another attempt for. Known by its own name. */
class NotRetriedError extends PermanentError {
  override readonly name: string;

  constructor(error: Error) {
    const { code } = error as { code?: unknown };
    const { at, hint } = isExplained(error) ? error : {};
    super(error.message, { cause: error, ...present({ at, hint }), ...(typeof code === "string" && { code }) });
    this.name = error.name;
  }
}

/** The function of a step, with the node's say in whether a failure is worth another attempt. */
function attempting<T>(
  scope: Scope,
  { id, retry }: Trying,
  fn: (info: StepInfo) => Promise<T> | T,
): (info: StepInfo) => Promise<T> | T {
  const retryOn = retry?.retryOn;
  if (retryOn === undefined) return fn;
  return async (info) => {
    try {
      return await fn(info);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(recordError(thrown).message);
      if (error instanceof RateLimitError || (await call(scope, id, retryOn, error))) throw error;
      throw new NotRetriedError(error);
    }
  };
}

type Prompting = AgentJson | SkillJson | CommandJson;

/** What is sent, and where. */
type Opened = { readonly session: Json; readonly prompt: string; readonly system?: string };

type Replied = NodeResult & { readonly usd?: number; readonly session?: Json };

/**
 * Two steps: the session is written down before anything is sent to it, with the prompt, so that after a crash the same
 * question is put to the same session.
 */
export async function runPrompt(scope: Scope, node: Prompting, path: string): Promise<void> {
  const { ctx, memory } = scope;
  const { host } = scope.services;
  const { session, ...text } = await openSession(scope, node, path);
  if (node.session !== undefined) memory.sessions = { ...memory.sessions, [node.session]: session };

  const send = attempting(scope, node, async (info): Promise<Replied> => {
    const reply = await host.send(requestOf(scope, node, path, text), session, info);
    const result = await resultOf(scope, node, reply.text);
    return { ...result, ...present({ usd: reply.usd, session: reply.session }) };
  });
  const replied = await ctx.step<Replied>(path, send, stepOptions(node, "agents"));

  memory.take(node.id, replied);
  memory.text = String(replied.output);
  memory.usd += replied.usd ?? 0;
  if (node.session !== undefined && replied.session !== undefined) {
    memory.sessions = { ...memory.sessions, [node.session]: replied.session };
  }
}

async function openSession(scope: Scope, node: Prompting, path: string): Promise<Opened> {
  const known = node.session === undefined ? undefined : scope.memory.sessions[node.session];
  const open = attempting(scope, node, async (info): Promise<Opened> => {
    const system =
      node.kind === "agent" && node.system ? await textOf(scope, node.id, "system", node.system) : undefined;
    const text = { prompt: await promptOf(scope, node), ...present({ system }) };
    if (known !== undefined) return { session: known, ...text };
    const session = await scope.services.host.open(requestOf(scope, node, path, text), info);
    return { session: jsonOf(session, `The session of the node "${node.id}"`), ...text };
  });
  return await scope.ctx.step(`${path}:session`, open, known === undefined ? stepOptions(node) : { local: true });
}

async function promptOf(scope: Scope, node: Prompting): Promise<string> {
  if (node.kind === "agent") {
    return node.prompt === undefined ? inputText(scope) : await textOf(scope, node.id, "prompt", node.prompt);
  }
  const entity = entityOf(scope, node);
  const input = node.args === undefined ? "" : await textOf(scope, node.id, "args", node.args);
  const { provider } = entity.source;
  return expandArguments(entity.prompt, input, { provider, names: entity.argumentNames });
}

function inputText({ memory: { input } }: Scope): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

function entityOf({ compiled }: Scope, node: Prompting): Entity {
  const reference = node.kind === "agent" ? node.agent : node.kind === "skill" ? node.skill : node.command;
  const entity = compiled.entities.get(`${node.kind}:${reference}`);
  if (entity === undefined) throw new Error(`The ${node.kind} "${reference}" was not compiled into the graph.`);
  return entity;
}

function requestOf(
  scope: Scope,
  node: Prompting,
  path: string,
  text: { readonly prompt: string; readonly system?: string },
): PromptRequest {
  const found = node.kind === "agent" && node.agent === undefined ? undefined : entityOf(scope, node);
  const { host, permissions } = node;
  const model = node.model ?? found?.modelId ?? found?.model;
  return {
    runId: scope.ctx.runId,
    path,
    ...text,
    keep: node.session !== undefined,
    ...(found && (node.kind === "agent" ? { agent: found } : { entity: found })),
    ...present({
      host,
      permissions,
      model: model === "inherit" ? undefined : model,
      tools: node.tools ?? found?.tools,
    }),
  };
}

export async function runTool(scope: Scope, node: ToolJson, path: string): Promise<void> {
  const fn = attempting(scope, node, (info) =>
    whenDone(outputOf(scope, node, info), (output) => resultOf(scope, node, output)),
  );
  scope.memory.take(node.id, await scope.ctx.step<NodeResult>(path, fn, stepOptions(node)));
}

/** Perhaps a promise. */
function outputOf(scope: Scope, node: ToolJson, info: StepInfo): unknown {
  if ("run" in node) return call(scope, node.id, node.run, scope.memory.view(), info);
  const tool = scope.compiled.tools.get(node.tool);
  if (tool === undefined) throw new Error(`The tool "${node.tool}" was not compiled into the graph.`);
  if (node.args === undefined) return tool(null, info);
  return whenDone(madeOf(scope, node.id, node.args), (args) => tool(args, info));
}

type Question = { readonly text: string; readonly auto: boolean };

/** Waits for an answer under the key that is the node's path. The question is shown to whoever looks at the run. */
export async function runAnswer(scope: Scope, node: WaitJson | AskUserJson, path: string): Promise<void> {
  const { text, auto } = await questionOf(scope, node, path);
  const answer = auto ? (node.fallback ?? true) : await waitFor(scope, node, path, text);
  await takeOutput(scope, node, path, answer);
}

async function questionOf(scope: Scope, node: WaitJson | AskUserJson, path: string): Promise<Question> {
  const [role, given] = node.kind === "wait" ? ["prompt", node.prompt] : ["question", node.question];
  const auto = node.kind === "wait" && node.auto !== undefined ? node.auto : { value: false };
  if (!isFunctionRef(given) && !isFunctionRef(auto)) return { text: given.value, auto: auto.value };
  const ask = async (): Promise<Question> => ({
    text: await textOf(scope, node.id, role, given),
    auto: (await madeOf(scope, node.id, auto)) === true,
  });
  return await scope.ctx.step(`${path}:question`, ask, { local: true });
}

async function waitFor(scope: Scope, node: WaitJson | AskUserJson, path: string, text: string): Promise<Json> {
  const { timeoutMs, fallback } = node;
  const choice =
    node.kind === "wait" ? {} : present({ header: node.header, options: node.options, multiple: node.multiple });
  const about = { kind: node.kind, question: text, ...choice };
  const answer = await scope.ctx.wait<Json>(path, { about, ...present({ timeoutMs }) });
  if (answer.ok) return answer.value;
  if (fallback === undefined) throw failure(path, "WaitTimeoutError", `nobody answered within ${timeoutMs} ms`);
  return fallback;
}

export async function runClearContext(scope: Scope, { session }: ClearContextJson, path: string): Promise<void> {
  const { ctx, memory, services } = scope;
  const names = Object.keys(memory.sessions).filter((name) => session === undefined || name === session);
  if (names.length === 0) return;
  const sessions = names.map((name) => memory.sessions[name] ?? null);
  await ctx.step(path, async (info) => {
    for (const each of sessions) await services.host.close(each, info);
    return names;
  });
  memory.forget(...names);
}
