// biome-ignore-all lint/suspicious/noThenProperty: a graph reads best this way, and `then` can tell `await` from a node.
import type { EntityRegistry } from "../entities/registry.ts";
import { type ArgumentsJson, hintOfArguments } from "../entities/workflow-arguments.ts";
import { type NodeOptions, waitNode } from "./action-nodes.ts";
import { type CompiledGraph, type CompileOptions, compileGraph } from "./compile.ts";
import {
  type Condition,
  decisionNode,
  type LoopOptions,
  loopNode,
  type ParallelNodeConfig,
  parallelNode,
  tryNode,
} from "./control-nodes.ts";
import { GraphError, type GraphProblemCode } from "./graph-error.ts";
import {
  Assembly,
  definitionsOf,
  type Graph,
  graphMark,
  type NodeDefinition,
  type Nodes,
  type Sequence,
} from "./node-definition.ts";
import type { FinalOf, InputOf, StateDefinition, StateOf } from "./state.ts";

export interface GraphOptions<D extends StateDefinition, A extends ArgumentsJson = ArgumentsJson> {
  readonly name: string;
  readonly description?: string;
  /** Arguments for starting it, which become `state.input`. Default: any input. */
  readonly arguments?: A;
  /** Shown after its name while arguments are missing. Default: derived from `arguments`. */
  readonly argumentHint?: string;
  /** Keys that nodes read and update, with their initial values. */
  readonly state?: D;
}

/**
 * Begins a graph.
 *
 * @example
 * graph({ name: "fix", state: { findings: append<string>() } })
 *   .start(agentNode({ agent: "debugger", output: (text) => ({ findings: [text] }) }))
 *   .if((state) => state.findings.length > 0)
 *   .then(skillNode({ skill: "commit" }))
 *   .endif()
 *   .compile(registry);
 */
// biome-ignore lint/complexity/noBannedTypes: a state without keys, and no arguments.
export function graph<D extends StateDefinition = {}, const A extends ArgumentsJson = {}>(
  options: GraphOptions<D, A>,
): GraphBuilder<StateOf<D, A>, Graph<FinalOf<D>, InputOf<D, A>>> {
  return new GraphBuilder(options);
}

/** A builder after `await`: the same one, but without the method that `await` would call again. */
export type AwaitedBuilder<S, G extends Graph = Graph> = Omit<GraphBuilder<S, G>, "then">;

/**
 * Every builder is assignable to it and none is a subtype of it, because it lacks the key. This is how TypeScript knows
 * which overload of `then` an `await` calls. That overload takes two arguments, so calls with one never match it.
 */
interface NotAwaited {
  readonly "~awaited"?: never;
}

interface Frame<S> {
  /** For the nodes between `.if()` and `.endif()`. `held` are those before `.else()`, once it is called. */
  readonly choice?: { readonly condition: Condition<S>; readonly options: NodeOptions; held?: NodeDefinition<S>[] };
  definitions: NodeDefinition<S>[];
}

/** Builds a graph, node by node. All methods except the last ones return the builder. */
export class GraphBuilder<S, G extends Graph = Graph> implements Sequence<S> {
  // No `#` fields: the view that `await` returns inherits from the builder and must reach them.
  private readonly options: GraphOptions<StateDefinition>;
  private readonly frames: Frame<S>[] = [{ definitions: [] }];
  private readonly status = { ended: false };
  /** What methods return, including the view's. */
  private readonly self: this = this;

  constructor(options: GraphOptions<StateDefinition>) {
    this.options = options;
  }

  /** The first nodes. Optional: `.then()` works, too. */
  start(nodes: Nodes<S>): this {
    if (this.frames.length > 1 || this.frame.definitions.length > 0) {
      throw this.problem("misplaced", ".start() comes first, and only once.");
    }
    return this.next(nodes);
  }

  /** Adds the next nodes. A call with functions instead of nodes comes from `await`, which gets a builder. */
  then(this: this & NotAwaited, nodes: Nodes<S>): this;
  then(onFulfilled: (builder: AwaitedBuilder<S, G>) => unknown, onRejected: unknown): void;
  then(nodes: Nodes<S> | ((builder: AwaitedBuilder<S, G>) => unknown)): this | undefined {
    if (typeof nodes !== "function") return this.next(nodes);
    nodes(Object.create(this, { then: { value: undefined } }) as AwaitedBuilder<S, G>);
    return undefined;
  }

  /** The same as `.then()`, for builders that were awaited. */
  next(nodes: Nodes<S>): this {
    const definitions = definitionsOf(nodes);
    this.mayGrow();
    this.frame.definitions.push(...definitions);
    return this.self;
  }

  /** What follows, up to `.else()` or `.endif()`, runs only if the condition holds. */
  if(condition: Condition<S>, options: NodeOptions = {}): this {
    this.mayGrow();
    this.frames.push({ choice: { condition, options }, definitions: [] });
    return this.self;
  }

  else(): this {
    const { choice, definitions } = this.frame;
    if (choice === undefined) throw this.problem("misplaced", ".else() must come after .if().");
    if (choice.held !== undefined) throw this.problem("misplaced", "An .if() can have only one .else().");
    choice.held = definitions;
    this.frame.definitions = [];
    return this.self;
  }

  endif(): this {
    const { choice, definitions } = this.frame;
    if (choice === undefined) throw this.problem("misplaced", ".endif() comes after .if().");
    this.frames.pop();
    const { condition, options, held } = choice;
    const routes = [{ label: "yes", when: condition, nodes: held ?? definitions }];
    return this.next(decisionNode<S>({ ...options, routes, otherwise: held && definitions }));
  }

  parallel(config: ParallelNodeConfig<S>): this {
    return this.next(parallelNode(config));
  }

  /** Repeats the body, and checks after each iteration whether it is done. */
  loop(body: Nodes<S>, options: LoopOptions<S>): this {
    return this.next(loopNode(body, options));
  }

  /** Waits for an answer to this question, or as the node specifies. */
  wait(prompt: string | NodeDefinition<S>): this {
    return this.next([typeof prompt === "string" ? waitNode<S>({ prompt }) : prompt]);
  }

  /** Handles a failure of any node so far (inside the same `.if()`), like `catch` for promises; then continues. */
  catch(handler: Nodes<S>): this {
    this.mayGrow();
    const { frame } = this;
    if (frame.definitions.length === 0) throw this.problem("misplaced", ".catch() comes after the nodes it is for.");
    frame.definitions = [tryNode(frame.definitions, handler)];
    return this.self;
  }

  /** Nothing comes after this. Optional. */
  end(): this {
    this.mayGrow();
    this.status.ended = true;
    return this.self;
  }

  /** The nodes so far, for use inside another graph. */
  get definitions(): readonly NodeDefinition<S>[] {
    const open = this.frames.length - 1;
    if (open > 0) {
      throw this.problem("not-closed", `${open === 1 ? "An .if() is" : `${open} .if() calls are`} missing .endif().`);
    }
    return this.frame.definitions;
  }

  /** The graph, not yet checked. */
  toGraph(): G {
    const { name, description, arguments: declared, argumentHint, state = {} } = this.options;
    const nodes = [...this.definitions];
    const made: Graph = {
      [graphMark]: true,
      name,
      description,
      arguments: declared,
      argumentHint: argumentHint ?? hintOfArguments(declared ?? {}),
      assemble: () => new Assembly(name).assemble({ description, arguments: declared }, state, nodes),
    };
    // What `G` says beyond that is there only for the compiler.
    return made as G;
  }

  /** Checks the graph and resolves every name in it. Reports all problems at once, in a `GraphError`. */
  compile(registry: EntityRegistry, options?: CompileOptions): CompiledGraph {
    return compileGraph(this.toGraph(), registry, options);
  }

  private get frame(): Frame<S> {
    return this.frames.at(-1) as Frame<S>;
  }

  private mayGrow(): void {
    if (this.status.ended) throw this.problem("misplaced", "Nothing may come after .end().");
  }

  private problem(code: GraphProblemCode, message: string): GraphError {
    return new GraphError(this.options.name, [{ code, message }]);
  }
}

/**
 * Defines a workflow: the default export of a module in `.atomic/workflows`.
 *
 * @example
 * export default defineGraph({ name: "tidy", description: "Tidies up and commits" }, (graph) =>
 *   graph.start(skillNode({ skill: "tidy" })).then(skillNode({ skill: "commit" })),
 * );
 *
 * @example
 * const args = { topic: { type: "rest", required: true }, depth: { type: "number", default: 2 } } as const;
 * export default defineGraph({ name: "research", arguments: args }, (graph) =>
 *   graph.start(agentNode({ prompt: ({ input }) => `Read about ${input.topic}, ${input.depth} levels deep.` })),
 * );
 */
// biome-ignore lint/complexity/noBannedTypes: a state without keys, and no arguments.
export function defineGraph<D extends StateDefinition = {}, const A extends ArgumentsJson = {}>(
  options: GraphOptions<D, A>,
  build: (
    graph: GraphBuilder<StateOf<D, A>, Graph<FinalOf<D>, InputOf<D, A>>>,
  ) => GraphBuilder<StateOf<D, A>, Graph<FinalOf<D>, InputOf<D, A>>>,
): Graph<FinalOf<D>, InputOf<D, A>> {
  return build(graph(options)).toGraph();
}
