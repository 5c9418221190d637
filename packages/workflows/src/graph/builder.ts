// biome-ignore-all lint/suspicious/noThenProperty: a graph reads best so, and `then` can tell `await` from a node.
import type { EntityRegistry } from "../entities/registry.ts";
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
import { type ArgumentsJson, hintOfArguments } from "./graph-arguments.ts";
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
import type { StateDefinition, StateOf } from "./state.ts";

export interface GraphOptions<D extends StateDefinition, A extends ArgumentsJson = ArgumentsJson> {
  readonly name: string;
  readonly description?: string;
  /** What it can be told when it is started, which is then `state.input`. Default: any input at all. */
  readonly arguments?: A;
  /** Shown behind its name while arguments are missing. Default: made of `arguments`. */
  readonly argumentHint?: string;
  /** Keys that nodes read and update, with their first values. */
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
): GraphBuilder<StateOf<D, A>> {
  return new GraphBuilder(options);
}

/** A builder after `await`: the same one, but without the method that `await` would call again. */
export type AwaitedBuilder<S> = Omit<GraphBuilder<S>, "then">;

/**
 * Every builder is assignable to it and none is a subtype of it, since it lacks the key. That is how TypeScript finds out
 * which overload of `then` it is that `await` calls. It takes two arguments, so that a call with one never looks at it.
 */
interface NotAwaited {
  readonly "~awaited"?: never;
}

/** The nodes between `.if()` and `.endif()`. */
interface Choice<S> {
  readonly condition: Condition<S>;
  readonly options: NodeOptions;
  /** The nodes before `.else()`, once it was called. */
  held?: readonly NodeDefinition<S>[];
}

interface Frame<S> {
  readonly choice?: Choice<S>;
  definitions: NodeDefinition<S>[];
}

/** Builds a graph, node by node. Every method but the last ones gives the builder back. */
export class GraphBuilder<S> implements Sequence<S> {
  // No `#` fields: the view that `await` gives inherits from the builder and must reach them.
  private readonly options: GraphOptions<StateDefinition>;
  private readonly frames: Frame<S>[] = [{ definitions: [] }];
  private readonly status = { ended: false };
  /** What methods give back, also those of the view. */
  private readonly self: this = this;

  constructor(options: GraphOptions<StateDefinition>) {
    this.options = options;
  }

  /** The first nodes. Optional: `.then()` does, too. */
  start(nodes: Nodes<S>): this {
    if (this.frames.length > 1 || this.frame.definitions.length > 0) {
      throw this.problem("misplaced", ".start() comes first, and only once.");
    }
    return this.next(nodes);
  }

  /** Nodes that come next. With functions in place of nodes it is `await` that calls, and gets a builder. */
  then(this: this & NotAwaited, nodes: Nodes<S>): this;
  then(onFulfilled: (builder: AwaitedBuilder<S>) => unknown, onRejected: unknown): void;
  then(nodes: Nodes<S> | ((builder: AwaitedBuilder<S>) => unknown)): this | undefined {
    if (typeof nodes !== "function") return this.next(nodes);
    nodes(Object.create(this, { then: { value: undefined } }) as AwaitedBuilder<S>);
    return undefined;
  }

  /** The same as `.then()`, for builders that were awaited. */
  next(nodes: Nodes<S>): this {
    return this.add(...definitionsOf(nodes));
  }

  /** What follows, up to `.else()` or `.endif()`, runs only if the condition holds. */
  if(condition: Condition<S>, options: NodeOptions = {}): this {
    this.mayGrow();
    this.frames.push({ choice: { condition, options }, definitions: [] });
    return this.self;
  }

  else(): this {
    const { choice, definitions } = this.frame;
    if (choice === undefined) throw this.problem("misplaced", ".else() comes after .if().");
    if (choice.held !== undefined) throw this.problem("misplaced", "One .if() has one .else().");
    choice.held = definitions;
    this.frame.definitions = [];
    return this.self;
  }

  endif(): this {
    const { choice, definitions } = this.frame;
    if (choice === undefined) throw this.problem("misplaced", ".endif() comes after .if().");
    this.frames.pop();
    const { condition, options, held } = choice;
    return this.add(
      decisionNode<S>({
        ...options,
        id: options.id,
        routes: [{ label: "yes", when: condition, nodes: held ?? definitions }],
        ...(held && { otherwise: definitions }),
      }),
    );
  }

  parallel(config: ParallelNodeConfig<S>): this {
    return this.add(parallelNode(config));
  }

  /** Repeats the body, and asks after each time whether that was enough. */
  loop(body: Nodes<S>, options: LoopOptions<S>): this {
    return this.add(loopNode(body, options));
  }

  /** Waits for an answer: to this question, or as the node says. */
  wait(prompt: string | NodeDefinition<S>): this {
    return this.add(typeof prompt === "string" ? waitNode<S>({ prompt }) : prompt);
  }

  /** Handles a failure of any node so far (inside the same `.if()`), as `catch` does for promises; then continues. */
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

  /** The nodes so far, for a place inside another graph. */
  get definitions(): readonly NodeDefinition<S>[] {
    const open = this.frames.length - 1;
    if (open > 0) {
      throw this.problem("not-closed", `${open === 1 ? "An .if() lacks" : `${open} .if() lack`} .endif().`);
    }
    return this.frame.definitions;
  }

  /** The graph, not yet checked. */
  toGraph(): Graph {
    const { name, description, arguments: declared, argumentHint, state = {} } = this.options;
    const nodes = [...this.definitions];
    return {
      [graphMark]: true,
      name,
      description,
      arguments: declared,
      argumentHint: argumentHint ?? hintOfArguments(declared ?? {}),
      assemble: () => new Assembly(name).assemble({ description, arguments: declared }, state, nodes),
    };
  }

  /** Checks the graph and finds everything that it names. All problems come at once, in a `GraphError`. */
  compile(registry: EntityRegistry, options?: CompileOptions): CompiledGraph {
    return compileGraph(this.toGraph(), registry, options);
  }

  private get frame(): Frame<S> {
    return this.frames.at(-1) as Frame<S>;
  }

  private add(...definitions: readonly NodeDefinition<S>[]): this {
    this.mayGrow();
    this.frame.definitions.push(...definitions);
    return this.self;
  }

  private mayGrow(): void {
    if (this.status.ended) throw this.problem("misplaced", "Nothing comes after .end().");
  }

  private problem(code: GraphProblemCode, message: string): GraphError {
    return new GraphError(this.options.name, [{ code, message }]);
  }
}

/**
 * A workflow of one's own: what a module in `.atomic/workflows` exports as its default.
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
  build: (graph: GraphBuilder<StateOf<D, A>>) => GraphBuilder<StateOf<D, A>>,
): Graph {
  return build(graph(options)).toGraph();
}
