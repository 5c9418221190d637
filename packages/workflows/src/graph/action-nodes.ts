// Nodes that do something themselves: send a prompt, call a tool, ask a question, run a graph.
import type { Action } from "../permission/rules.ts";
import type { Budget } from "../run/budget.ts";
import type { Json } from "../run/json.ts";
import type { StepInfo } from "../run/run-ctx.ts";
import type { AgentName, CommandName, SkillName } from "./entity-names.ts";
import type { ActingJson, PromptingJson } from "./graph-json.ts";
import type { HostName } from "./host-names.ts";
import { present } from "./json-value.ts";
import {
  type AnyNodes,
  type Assembler,
  defineNode,
  type GraphFunction,
  type InnerNodes,
  type NodeDefinition,
  requireOption,
} from "./node-definition.ts";
import { askForJson, readReply, type StandardSchema } from "./reply-schema.ts";
import type { BaseState, Data, Kept, KeyFor, KeyOf, SaidAs, TakenBy, UpdateOf } from "./state.ts";

/** A value, or a function that computes it from the state. It is called inside a journaled step, so its result is kept. */
export type ValueOrFunction<S, T> = T | ((state: S) => T | Promise<T>);

/** Not `string`, of which `Id` would be a part: then TypeScript would not infer it. */
type AnyId = string & {};

export interface NodeOptions<Id extends string = string> {
  /** Unique in the graph: letters, digits, `-` and `_`. Later nodes find the output under it. */
  readonly id?: Id | AnyId | undefined;
  readonly description?: string | undefined;
}

export interface ActingOptions<S, Output, Id extends string, Into = KeyFor<S, Output>> extends NodeOptions<Id> {
  /** The state's key that takes the output; a list takes it as one more item. */
  readonly into?: Into | undefined;
  /** Makes an update of the state from the output. */
  readonly output?: ((output: NoInfer<Output>, state: S) => UpdateOf<S> | Promise<UpdateOf<S>>) | undefined;
  /** After the last failed attempt: `continue`, or nodes that handle the error in `state.error`. Default: the graph fails. */
  readonly onError?: "continue" | InnerNodes<S> | undefined;
}

interface TryingOptions {
  readonly retry?: RetryOptions | undefined;
  /** The longest time for one attempt. */
  readonly timeoutMs?: number | undefined;
  /** The longest time without a sign of life. */
  readonly idleTimeoutMs?: number | undefined;
  /** What all attempts together may use; `steps` are the attempts. The node fails when it is used up. */
  readonly budget?: Budget | undefined;
}

interface RetryOptions {
  /** All attempts, including the first. */
  readonly maxAttempts: number;
  /** Before the second attempt. Default 1,000. */
  readonly backoffMs?: number | undefined;
  /** Default 2. */
  readonly backoffMultiplier?: number | undefined;
  /** Default 60,000. */
  readonly maxBackoffMs?: number | undefined;
  /** Whether an error is worth another attempt. Default: all are. */
  readonly retryOn?: ((error: Error) => boolean) | undefined;
}

interface PromptingOptions<S, Id extends string, Output = string> extends ActingOptions<S, Output, Id>, TryingOptions {
  /** The host that executes the prompt. Default: the graph's host. */
  readonly host?: HostName | undefined;
  readonly model?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  /** The answer when the host asks for permission: one for all tools, or one per tool. */
  readonly permissions?: Action | Readonly<Record<string, Action>> | undefined;
  /** Nodes that name the same session continue one conversation. */
  readonly session?: string | undefined;
}

/** The same of any state and any output. */
interface AnyActingOptions extends NodeOptions {
  readonly into?: string | undefined;
  readonly output?: GraphFunction | undefined;
  readonly onError?: "continue" | AnyNodes | undefined;
}

export function acting(id: string, options: AnyActingOptions, assembly: Assembler): ActingJson {
  const { description, into, output, onError } = options;
  return present({
    id,
    description,
    into,
    output: output && assembly.fn(id, "output", output),
    onError: onError === undefined || onError === "continue" ? onError : assembly.nodes(onError),
  });
}

function trying(
  id: string,
  { retry, timeoutMs, idleTimeoutMs, budget }: TryingOptions,
  assembly: Assembler,
): Pick<PromptingJson, "retry" | "timeoutMs" | "idleTimeoutMs" | "budget"> {
  const { retryOn, ...limits } = retry ?? { maxAttempts: 1 };
  return present({
    retry: retry && present({ ...limits, retryOn: retryOn && assembly.fn(id, "retryOn", retryOn) }),
    timeoutMs,
    idleTimeoutMs,
    budget,
  });
}

function prompting<S, Output>(
  id: string,
  options: PromptingOptions<S, string, Output>,
  assembly: Assembler,
): PromptingJson {
  const { host, model, tools, permissions, session } = options;
  return {
    ...acting(id, options, assembly),
    ...trying(id, options, assembly),
    ...present({ host, model, tools, permissions, session }),
  };
}

/** An id from a name: `sub/Review: all` becomes `sub-Review-all`. */
export function idOf(kind: string, name: string): string {
  return `${kind}-${name.replace(/[^A-Za-z0-9_]+/g, "-").replace(/^-|-$/g, "")}`;
}

export interface AgentNodeConfig<S, Output, Id extends string> extends PromptingOptions<S, Id, Output> {
  /** An agent in the registry. Without one, the node itself describes the agent. */
  readonly agent?: AgentName | undefined;
  readonly system?: ValueOrFunction<S, string> | undefined;
  /** Default: the run's input. */
  readonly prompt?: ValueOrFunction<S, string> | undefined;
  /**
   * What the reply must be, by zod, valibot, arktype or any other library with Standard Schema. The agent is asked for JSON,
   * and told what is wrong with a reply that does not fit. The output is the value that the schema returns.
   */
  readonly schema?: StandardSchema<Output> | undefined;
  /** How often the agent may correct a reply that does not fit the schema. Default 2. */
  readonly repairs?: number | undefined;
}

/** At least one of them: without any, an agent gets nothing but the run's input. */
type AgentOrPrompt = { readonly agent: unknown } | { readonly system: unknown } | { readonly prompt: unknown };

/**
 * Sends a prompt to an agent: one from the registry, or one described here. The output is its last message.
 *
 * @example
 * agentNode({ agent: "debugger", prompt: (state) => `Find out why ${state.input} fails.` });
 *
 * @example
 * agentNode({ prompt: "Review the diff.", schema: z.object({ ok: z.boolean(), why: z.string() }), into: "review" });
 */
export function agentNode<S = BaseState, Output = string, const Id extends string = never>(
  config: AgentNodeConfig<S, Output, Id> & AgentOrPrompt,
): NodeDefinition<S, SaidAs<Id, NoInfer<Output>>, Kept<NoInfer<Output>>> {
  const { agent, system, prompt, schema, repairs = 2 } = config;
  return defineNode(config.id, agent === undefined ? "agent" : idOf("agent", agent), (id, assembly) => ({
    kind: "agent",
    ...prompting(id, config, assembly),
    ...present({
      agent,
      system: system === undefined ? undefined : assembly.value<string>(id, "system", system),
      prompt: prompt === undefined ? undefined : assembly.value<string>(id, "prompt", prompt),
      schema: schema && {
        ask: assembly.fn(id, "ask", askForJson(schema)),
        read: assembly.fn(id, "read", readReply(id, schema)),
        repairs,
      },
    }),
  }));
}

export interface SkillNodeConfig<S, Id extends string> extends PromptingOptions<S, Id> {
  readonly skill: SkillName;
  /** What you would type after its name. */
  readonly args?: ValueOrFunction<S, string> | undefined;
}

/**
 * Runs a skill from the registry, with arguments expanded as its own tool expands them. The output is the last message.
 *
 * @example
 * skillNode({ skill: "commit", args: (state) => `--scope ${state.scope}` });
 */
export function skillNode<S = BaseState, const Id extends string = never>(
  config: SkillNodeConfig<S, Id>,
): NodeDefinition<S, SaidAs<Id, string>, string> {
  requireOption("skillNode", config, "skill", "Pass the name of a skill in the registry.");
  const { skill, args } = config;
  return defineNode(config.id, idOf("skill", skill), (id, assembly) => ({
    kind: "skill",
    ...prompting(id, config, assembly),
    skill,
    ...present({ args: args === undefined ? undefined : assembly.value<string>(id, "args", args) }),
  }));
}

export interface CommandNodeConfig<S, Id extends string> extends PromptingOptions<S, Id> {
  readonly command: CommandName;
  /** What you would type after its name. */
  readonly args?: ValueOrFunction<S, string> | undefined;
}

/**
 * Runs a command from the registry as if you had typed it. The output is the last message.
 *
 * @example
 * commandNode({ command: "review", args: "src/" });
 */
export function commandNode<S = BaseState, const Id extends string = never>(
  config: CommandNodeConfig<S, Id>,
): NodeDefinition<S, SaidAs<Id, string>, string> {
  requireOption("commandNode", config, "command", "Pass the name of a command in the registry.");
  const { command, args } = config;
  return defineNode(config.id, idOf("command", command), (id, assembly) => ({
    kind: "command",
    ...prompting(id, config, assembly),
    command,
    ...present({ args: args === undefined ? undefined : assembly.value<string>(id, "args", args) }),
  }));
}

export interface ClearContextNodeConfig extends NodeOptions {
  /** The session to forget. Default: all. */
  readonly session?: string | undefined;
}

/** Forgets sessions: the next node that names one of them starts a new conversation. */
export function clearContextNode<S = BaseState>(config: ClearContextNodeConfig = {}): NodeDefinition<S> {
  const { description, session } = config;
  const options = present({ description, session });
  return defineNode(config.id, "clear-context", (id) => ({ kind: "clear-context", id, ...options }));
}

/** A tool that graphs call by name. `info.idemKey` is the same for every attempt. */
export type ToolFunction = (args: Json, info: StepInfo) => unknown;

interface Inline<S, Output> {
  readonly tool?: undefined;
  readonly args?: undefined;
  /** Returns the output: anything that JSON can hold, or nothing. */
  readonly run: (state: S, info: StepInfo) => Output | Promise<Output>;
}

/** Requires another `run` if JSON cannot hold what it returns. */
type DataOnly<Output> = [Output] extends [Data<Output>]
  ? unknown
  : { readonly run: (...args: never[]) => "an output must be plain data" };

/** A tool that is known only by its name: what it returns is not. */
interface Named<S> {
  /** One of the tools that the graph is compiled with. */
  readonly tool: string;
  readonly args?: ValueOrFunction<S, Json> | undefined;
  readonly run?: undefined;
}

export type ToolNodeConfig<S, Output, Id extends string, Into> = ActingOptions<S, Output, Id, Into> &
  TryingOptions &
  (Inline<S, Output> | Named<S>);

/** A tool node whose key says what `run` has to return. */
type KeyedToolNodeConfig<S, Output, Id extends string> =
  | (ToolNodeConfig<S, Output, Id, undefined> & DataOnly<Output>)
  | { [Key in KeyOf<S>]: ToolNodeConfig<S, TakenBy<S, Key>, Id, Key> & { readonly into: Key } }[KeyOf<S>];

/**
 * Runs a function given here, or a tool by its name. It runs at least once; use `info.idemKey` to make its effect happen
 * only once.
 *
 * @example
 * toolNode({ id: "tests", run: async (_state, { signal }) => runTests(signal), into: "report" });
 */
export function toolNode<
  const Id extends string = never,
  S = BaseState,
  // Inferred before the output, which then has to fit it: the other way round, functions of the state would not be checked.
  Into extends KeyOf<S> = never,
  Output extends TakenBy<S, Into> = TakenBy<S, Into>,
>(
  config: ToolNodeConfig<S, Output, Id, Into> & DataOnly<Output>,
): NodeDefinition<S, SaidAs<Id, NoInfer<Output>>, Kept<NoInfer<Output>>>;
/** With `toolNode<State>(…)`, TypeScript infers nothing else, so nothing is known of the output. */
export function toolNode<S, Output = unknown>(config: KeyedToolNodeConfig<S, Output, string>): NodeDefinition<S>;
/** The first one again: TypeScript explains why a call does not match with the last one. */
export function toolNode<
  S = BaseState,
  Into extends KeyOf<S> = never,
  Output extends TakenBy<S, Into> = TakenBy<S, Into>,
>(config: ToolNodeConfig<S, Output, string, Into> & DataOnly<Output>): NodeDefinition<S>;
export function toolNode(config: ToolNodeConfig<never, unknown, string, string>): NodeDefinition<never> {
  const defaultId = config.tool === undefined ? "tool" : idOf("tool", config.tool);
  return defineNode(config.id, defaultId, (id, assembly) => {
    const common = { kind: "tool", ...acting(id, config, assembly), ...trying(id, config, assembly) } as const;
    if (config.tool === undefined) return { ...common, run: assembly.fn(id, "run", config.run) };
    const args = config.args === undefined ? undefined : assembly.value<Json>(id, "args", config.args);
    return { ...common, tool: config.tool, ...present({ args }) };
  });
}

export interface WaitNodeConfig<S, Id extends string> extends ActingOptions<S, boolean, Id> {
  /** What the person who answers will read. */
  readonly prompt: ValueOrFunction<S, string>;
  /** Whether to continue without asking; the answer is then `fallback`, or `true`. */
  readonly autoApprove?: ValueOrFunction<S, boolean> | undefined;
  readonly timeoutMs?: number | undefined;
  /** The answer if no answer comes in time. Without it, the node fails. */
  readonly fallback?: boolean | undefined;
}

/**
 * Waits for a yes or no from a person or a program, for days if need be, and across restarts. The output is a boolean.
 *
 * @example
 * waitNode({ id: "approval", prompt: "Ship it?", into: "approved" });
 */
export function waitNode<S = BaseState, const Id extends string = never>(
  config: WaitNodeConfig<S, Id>,
): NodeDefinition<S, SaidAs<Id, boolean>, boolean> {
  const { prompt, autoApprove, timeoutMs, fallback } = config;
  return defineNode(config.id, "wait", (id, assembly) => ({
    kind: "wait",
    ...acting(id, config, assembly),
    prompt: assembly.value<string>(id, "prompt", prompt),
    ...present({
      auto: autoApprove === undefined ? undefined : assembly.value<boolean>(id, "auto", autoApprove),
      timeoutMs,
      fallback,
    }),
  }));
}

export interface AskUserNodeConfig<S, Label extends string, Several extends boolean, Id extends string>
  extends ActingOptions<S, Chosen<Label, Several>, Id> {
  readonly question: ValueOrFunction<S, string>;
  /** One or two words above the question. */
  readonly header?: string | undefined;
  readonly options?: readonly { readonly label: Label; readonly description?: string }[] | undefined;
  /** Whether several options may be chosen. */
  readonly multiple?: Several | undefined;
  readonly timeoutMs?: number | undefined;
  /** The answer if no answer comes in time. Without it, the node fails. */
  readonly fallback?: NoInfer<Chosen<Label, Several>> | undefined;
}

type Chosen<Label extends string, Several extends boolean> = Several extends true ? readonly Label[] : Label;

type Answer<Label extends string, Several extends boolean> = Chosen<NoInfer<Label>, NoInfer<Several>>;

/**
 * Asks a person a question: for text, or for one or several of its options. The output is the answer.
 *
 * @example
 * askUserNode({ question: "Which database?", options: [{ label: "SQLite" }, { label: "Postgres" }], into: "database" });
 */
export function askUserNode<
  S = BaseState,
  Label extends string = string,
  Several extends boolean = false,
  const Id extends string = never,
>(
  config: AskUserNodeConfig<S, Label, Several, Id>,
): NodeDefinition<S, SaidAs<Id, Answer<Label, Several>>, Answer<Label, Several>> {
  const { question, header, options, multiple, timeoutMs, fallback } = config;
  return defineNode(config.id, "ask-user", (id, assembly) => ({
    kind: "ask-user",
    ...acting(id, config, assembly),
    question: assembly.value<string>(id, "question", question),
    ...present({ header, options, multiple, timeoutMs, fallback }),
  }));
}
