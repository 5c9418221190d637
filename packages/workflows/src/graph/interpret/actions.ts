// How the nodes that act run: prompts, tools, questions.
import { isExplained } from "@atomic/durable-files/explained-error";
import { expandArguments } from "../../entities/arguments.ts";
import type { Entity } from "../../entities/entity.ts";
import type { Json } from "../../run/json.ts";
import { readable } from "../../run/large-part.ts";
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
import { type NodeQuestion, readAnswer } from "../read-answer.ts";
import type { ReplyReading } from "../reply-schema.ts";
import { defaultIdleTimeoutMs, type PromptRequest } from "../services.ts";
import type { NodeResult } from "./memory.ts";
import { resultOf, takeOutput } from "./result.ts";
import { callFunction, failure, type GraphScope, resolveText, resolveValue } from "./scope.ts";

interface Retryable {
  readonly id: string;
  readonly retry?: RetryJson;
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly budget?: BudgetJson;
}

/** Kept per node: a loop would otherwise create them again in every iteration. */
const optionsOfNodes = new WeakMap<Retryable, StepOptions>();

function stepOptions(node: Retryable): StepOptions {
  const known = optionsOfNodes.get(node);
  if (known !== undefined) return known;
  const { retry, timeoutMs, idleTimeoutMs, budget } = node;
  const { maxAttempts = 1, backoffMs, backoffMultiplier, maxBackoffMs } = retry ?? {};
  const backoff = present({ ms: backoffMs, factor: backoffMultiplier, maxMs: maxBackoffMs });
  const limits = present({ timeoutMs, idleMs: idleTimeoutMs, budget });
  const options = { retries: maxAttempts - 1, backoff, large: true, ...limits };
  optionsOfNodes.set(node, options);
  return options;
}

/** An error that the node does not want retried. It keeps its own name. */
class NotRetriedError extends PermanentError {
  override readonly name: string;

  constructor(error: Error) {
    const { code } = error as { code?: unknown };
    const { at, hint } = isExplained(error) ? error : {};
    super(error.message, { cause: error, ...present({ at, hint }), ...(typeof code === "string" && { code }) });
    this.name = error.name;
  }
}

/** A step's function; the node's `retryOn` decides whether a failure is worth another attempt. */
function withRetryOn<T>(
  scope: GraphScope,
  { id, retry }: Retryable,
  fn: (info: StepInfo) => Promise<T> | T,
): (info: StepInfo) => Promise<T> | T {
  const retryOn = retry?.retryOn;
  if (retryOn === undefined) return fn;
  return async (info) => {
    try {
      return await fn(info);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(recordError(thrown).message);
      if (error instanceof RateLimitError || (await callFunction(scope, id, retryOn, error))) throw error;
      throw new NotRetriedError(error);
    }
  };
}

type PromptNode = AgentJson | SkillJson | CommandJson;

/** What is sent, and to which session. */
type OpenedSession = { readonly session: Json; readonly prompt: string; readonly system?: string };

type PromptResult = NodeResult & {
  readonly usd?: number;
  readonly session?: Json;
  /** The reply does not fit the node's schema: why, and the prompt that asks for another one. */
  readonly unfit?: { readonly problems: readonly string[]; readonly again: string };
};

/**
 * Two steps: the session and the prompt are recorded before anything is sent, so after a crash the same prompt goes to the
 * same session. A reply that does not fit the node's schema leads to further steps in that session.
 */
export async function runPrompt(scope: GraphScope, node: PromptNode, path: string): Promise<void> {
  const { ctx, memory } = scope;
  const { host, idleTimeoutMs = defaultIdleTimeoutMs } = scope.services;
  const options = { idleMs: idleTimeoutMs, ...stepOptions(node) };

  const schema = node.kind === "agent" ? node.schema : undefined;
  const known = node.session === undefined ? undefined : memory.sessions[node.session];
  const open = withRetryOn(scope, node, async (info): Promise<OpenedSession> => {
    const system =
      node.kind === "agent" && node.system ? await resolveText(scope, node.id, "system", node.system) : undefined;
    let prompt: string;
    if (node.kind !== "agent") {
      const entity = entityOf(scope, node);
      const input = node.args === undefined ? "" : await resolveText(scope, node.id, "args", node.args);
      const { provider } = entity.source;
      prompt = expandArguments(entity.prompt, input, { provider, names: entity.argumentNames });
    } else if (node.prompt !== undefined) prompt = await resolveText(scope, node.id, "prompt", node.prompt);
    else prompt = typeof memory.input === "string" ? memory.input : JSON.stringify(memory.input);
    if (schema !== undefined) prompt = String(await callFunction(scope, node.id, schema.ask, prompt));
    const text = { prompt, ...present({ system }) };
    if (known !== undefined) return { session: known, ...text };
    const session = await host.open(requestOf(scope, node, path, text), info);
    return { session: jsonOf(session, `The session for the node "${node.id}"`), ...text };
  });
  const opened = await ctx.step<OpenedSession>(
    `${path}:session`,
    open,
    known === undefined ? { ...options, large: false } : { local: true },
  );
  const { system } = opened;
  let { session, prompt } = opened;
  const keepSession = (): void => {
    if (node.session !== undefined) memory.sessions = { ...memory.sessions, [node.session]: session };
  };
  keepSession();

  const send = withRetryOn(scope, node, async (info): Promise<PromptResult> => {
    const reply = await host.send(requestOf(scope, node, path, { prompt, ...present({ system }) }), session, info);
    const more = present({ usd: reply.usd, session: reply.session });
    if (schema === undefined) return { ...(await resultOf(scope, node, reply.text)), ...more };
    const reading = (await callFunction(scope, node.id, schema.read, reply.text)) as ReplyReading;
    if (!("value" in reading)) return { output: reply.text, unfit: reading, ...more };
    if (node.session === undefined) await host.close(reply.session ?? session, info);
    return { ...(await resultOf(scope, node, reading.value)), ...more };
  });
  for (let repair = 0; ; repair += 1) {
    const key = repair === 0 ? path : `${path}:repair${repair}`;
    const result = await ctx.step<PromptResult>(key, send, { ...options, queue: "agents" });
    memory.usd += result.usd ?? 0;
    session = readable(result.session) ?? session;
    keepSession();
    const { output } = result;
    const unfit = readable(result.unfit);
    if (unfit === undefined) {
      memory.take(node.id, result);
      memory.lastText = schema === undefined ? (output as string) : JSON.stringify(readable(output));
      return;
    }
    if (repair === schema?.repairs) {
      const prompts = repair === 0 ? "" : ` after ${repair + 1} prompts`;
      throw failure(path, "SchemaError", `the reply does not fit the schema${prompts}: ${unfit.problems.join("; ")}`);
    }
    prompt = unfit.again;
  }
}

function entityOf({ compiled }: GraphScope, node: PromptNode): Entity {
  const reference = node.kind === "agent" ? node.agent : node.kind === "skill" ? node.skill : node.command;
  const entity = compiled.entities.get(`${node.kind}:${reference}`);
  if (entity === undefined) throw new Error(`The ${node.kind} "${reference}" was not compiled into the graph.`);
  return entity;
}

function requestOf(
  scope: GraphScope,
  node: PromptNode,
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
    keep: node.session !== undefined || (node.kind === "agent" && node.schema !== undefined),
    ...(node.budget?.usd !== undefined && { needsPrice: true }),
    ...(found && (node.kind === "agent" ? { agent: found } : { entity: found })),
    ...present({
      host,
      permissions,
      model: model === "inherit" ? undefined : model,
      tools: node.tools ?? found?.tools,
    }),
  };
}

export async function runTool(scope: GraphScope, node: ToolJson, path: string): Promise<void> {
  const run = withRetryOn(scope, node, (info) => {
    let output: unknown;
    if ("run" in node) output = callFunction(scope, node.id, node.run, scope.memory.view(), info);
    else {
      const tool = scope.compiled.tools.get(node.tool);
      if (tool === undefined) throw new Error(`The tool "${node.tool}" was not compiled into the graph.`);
      const args = node.args === undefined ? null : resolveValue(scope, node.id, node.args);
      output = whenDone(args, (value) => tool(value, info));
    }
    return whenDone(output, (value) => resultOf(scope, node, value));
  });
  scope.memory.take(node.id, await scope.ctx.step<NodeResult>(path, run, stepOptions(node)));
}

type Question = { readonly text: string; readonly auto: boolean };

/** Waits for an answer under the node's path. Anyone who looks at the run sees the question. */
export async function runAnswer(scope: GraphScope, node: WaitJson | AskUserJson, path: string): Promise<void> {
  const { ctx } = scope;
  const { timeoutMs, fallback } = node;
  const [role, wording] = node.kind === "wait" ? ["prompt", node.prompt] : ["question", node.question];
  const autoApprove = node.kind === "wait" && node.auto !== undefined ? node.auto : { value: false };
  let question: Question;
  if (isFunctionRef(wording) || isFunctionRef(autoApprove)) {
    question = await ctx.step<Question>(
      `${path}:question`,
      async () => ({
        text: await resolveText(scope, node.id, role, wording),
        auto: (await resolveValue(scope, node.id, autoApprove)) === true,
      }),
      { local: true },
    );
  } else question = { text: wording.value, auto: autoApprove.value };
  const { text, auto } = question;
  if (auto) return await takeOutput(scope, node, path, fallback ?? true);

  let about: NodeQuestion =
    node.kind === "wait"
      ? { kind: node.kind, question: text }
      : {
          kind: node.kind,
          question: text,
          ...present({ header: node.header, options: node.options, multiple: node.multiple }),
        };
  // Only the first answer under a key counts, so a question whose answer is not one is asked again under another key.
  for (let asked = 1; ; asked += 1) {
    const key = asked === 1 ? path : `${path}?${asked}`;
    const answer = await ctx.wait<Json>(key, { about, ...present({ timeoutMs }) });
    if (!answer.ok && fallback === undefined) {
      throw failure(path, "WaitTimeoutError", `no response within ${timeoutMs} ms`);
    }
    const reading = answer.ok ? readAnswer(about, answer.value) : { value: fallback ?? null };
    if ("value" in reading) return await takeOutput(scope, node, path, reading.value);
    about = { ...about, problem: reading.problem };
  }
}

export async function runClearContext(scope: GraphScope, { session }: ClearContextJson, path: string): Promise<void> {
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
