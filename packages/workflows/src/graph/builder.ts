// biome-ignore-all lint/suspicious/noThenProperty: a graph reads best this way, and `then` can tell `await` from a node.
import type { EntityRegistry } from "../entities/registry.ts";
import { type ArgumentsJson, hintOfArguments } from "../entities/workflow-arguments.ts";
import type { Json } from "../run/json.ts";
import { type NodeOptions, waitNode } from "./action-nodes.ts";
import { type CompiledGraph, type CompileOptions, compileGraph } from "./compile.ts";
import {
  type AnyBranches,
  type Condition,
  decisionNode,
  type LoopEnd,
  type LoopOptions,
  loopNode,
  type ParallelNodeConfig,
  parallelNode,
  type SaidByBranches,
  tryNode,
} from "./control-nodes.ts";
import { GraphError, type GraphProblemCode } from "./graph-error.ts";
import type { Strategy } from "./graph-json.ts";
import {
  type AnyNode,
  type AnyNodes,
  Assembly,
  definitionsOf,
  type Graph,
  graphMark,
  type NodeDefinition,
  type Nodes,
  type NodesOrList,
  type SaidByAll,
  type Sequence,
} from "./node-definition.ts";
import type {
  AnyOutputs,
  FinalOf,
  FirstState,
  InputOf,
  NoOutputs,
  Perhaps,
  SaidAs,
  SaidByAny,
  StateAfter,
  StateDefinition,
} from "./state.ts";

export interface GraphOptions<D extends StateDefinition, A extends ArgumentsJson = ArgumentsJson> {
  readonly name: string;
  readonly description?: string;
  /** Arguments for starting it, which become `state.input`. Default: any text, number or list, or initial values of its state. */
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
): GraphBuilder<FirstState<D, A>, FinalOf<D>, InputOf<D, A>, NoOutputs> {
  return new GraphBuilder(options);
}

/** A builder after `await`: the same one, but without the method that `await` would call again. */
export type AwaitedBuilder<S, Final, Input, Said, Last, Ifs extends readonly unknown[]> = Omit<
  GraphBuilder<S, Final, Input, Said, Last, Ifs>,
  "then"
>;

/**
 * Every builder is assignable to it and none is a subtype of it, because it lacks the key. This is how TypeScript knows
 * which overload of `then` an `await` calls. That overload takes two arguments, so calls with one never match it.
 */
interface NotAwaited {
  readonly "~awaited"?: never;
}

interface Frame {
  /** For the nodes between `.if()` and `.endif()`. `held` are those before `.else()`, once it is called. */
  readonly choice?: {
    readonly condition: Condition<never>;
    readonly options: NodeOptions;
    held?: AnyNode[];
  };
  definitions: AnyNode[];
}

/** What is certain after nodes that may not have run: what was said `Before` them. The rest is optional. */
type After<Before, Said> = Before & Perhaps<string extends keyof Said ? Said : Omit<Said, keyof Before>>;

/** What was said before the innermost `.if()`; nothing outside of one. */
type BeforeIf<Ifs extends readonly unknown[]> = Ifs extends readonly [infer Before, ...(readonly unknown[])]
  ? Before
  : NoOutputs;

/** Of the `.if()` calls that are open, all but the innermost. */
type OuterIfs<Ifs extends readonly unknown[]> = Ifs extends readonly [unknown, ...infer Outer] ? Outer : [];

/**
 * Builds a graph, node by node. All methods except the last ones return the builder.
 *
 * Only the compiler needs the types after `S`: the graph's final state and input, what the nodes so far have said by their ids
 * (`Said`) and last (`Last`), and what had been said at each open `.if()`. They change from call to call.
 */
export class GraphBuilder<
  S,
  Final = unknown,
  Input = never,
  Said = SaidByAny,
  Last = Json,
  Ifs extends readonly unknown[] = [],
> implements Sequence<S, Said, Last>
{
  declare readonly "~outputs"?: { readonly said: Said; readonly last: Last };
  // No `#` fields: the view that `await` returns inherits from the builder and must reach them.
  private readonly options: GraphOptions<StateDefinition>;
  private readonly frames: Frame[] = [{ definitions: [] }];
  private readonly status = { ended: false };
  /** What methods return, including the view's. Each of them knows its type. */
  private readonly self = this as unknown as never;

  constructor(options: GraphOptions<StateDefinition>) {
    this.options = options;
  }

  /** The first nodes. Optional: `.then()` works, too. */
  start<More = NoOutputs, Output = Json, List extends readonly unknown[] = []>(
    nodes: NodesOrList<StateAfter<S, Said>, More, List, Output>,
  ): GraphBuilder<S, Final, Input, Said & SaidByAll<More, List>, Output, Ifs> {
    if (this.frames.length > 1 || this.frame.definitions.length > 0) {
      throw this.problem("misplaced", ".start() comes first, and only once.");
    }
    return this.add(nodes as AnyNodes);
  }

  /** Adds the next nodes. A call with functions instead of nodes comes from `await`, which gets a builder. */
  then<More = NoOutputs, Output = Json, List extends readonly unknown[] = []>(
    this: this & NotAwaited,
    nodes: NodesOrList<StateAfter<S, Said>, More, List, Output>,
  ): GraphBuilder<S, Final, Input, Said & SaidByAll<More, List>, Output, Ifs>;
  then(onFulfilled: (builder: AwaitedBuilder<S, Final, Input, Said, Last, Ifs>) => unknown, onRejected: unknown): void;
  then(nodes: unknown): unknown {
    if (typeof nodes !== "function") return this.add(nodes as AnyNodes);
    nodes(Object.create(this, { then: { value: undefined } }));
    return undefined;
  }

  /** The same as `.then()`, for builders that were awaited. */
  next<More = NoOutputs, Output = Json, List extends readonly unknown[] = []>(
    nodes: NodesOrList<StateAfter<S, Said>, More, List, Output>,
  ): GraphBuilder<S, Final, Input, Said & SaidByAll<More, List>, Output, Ifs> {
    return this.add(nodes as AnyNodes);
  }

  /** What follows, up to `.else()` or `.endif()`, runs only if the condition holds. */
  if(
    condition: Condition<StateAfter<S, Said>>,
    options: NodeOptions = {},
  ): GraphBuilder<S, Final, Input, Said, Json, [Said, ...Ifs]> {
    this.mayGrow();
    this.frames.push({ choice: { condition, options }, definitions: [] });
    return this.self;
  }

  else(): GraphBuilder<S, Final, Input, After<BeforeIf<Ifs>, Said>, Json, Ifs> {
    const { choice, definitions } = this.frame;
    if (choice === undefined) throw this.problem("misplaced", ".else() must come after .if().");
    if (choice.held !== undefined) throw this.problem("misplaced", "An .if() can have only one .else().");
    choice.held = definitions;
    this.frame.definitions = [];
    return this.self;
  }

  endif(): GraphBuilder<S, Final, Input, After<BeforeIf<Ifs>, Said>, Json, OuterIfs<Ifs>> {
    const { choice, definitions } = this.frame;
    if (choice === undefined) throw this.problem("misplaced", ".endif() comes after .if().");
    this.frames.pop();
    const { condition, options, held } = choice;
    const routes = [{ label: "yes", when: condition, nodes: held ?? definitions }];
    return this.add(decisionNode({ ...options, routes, otherwise: held && definitions }));
  }

  parallel<Branches = AnyBranches, How extends Strategy = "all", const Id extends string = never>(
    config: ParallelNodeConfig<StateAfter<S, Said>, Id, Branches, How>,
  ): GraphBuilder<S, Final, Input, Said & SaidAs<Id, readonly string[]> & SaidByBranches<Branches, How>, Json, Ifs> {
    return this.add(parallelNode(config));
  }

  /** Repeats the body, and checks after each iteration whether it is done. */
  loop<More = NoOutputs, List extends readonly unknown[] = [], const Id extends string = never>(
    body: NodesOrList<AnyOutputs<StateAfter<S, Said>>, More, List>,
    options: LoopOptions<StateAfter<S, Said>, Id, SaidByAll<More, List>>,
  ): GraphBuilder<S, Final, Input, Said & SaidAs<Id, LoopEnd> & SaidByAll<More, List>, LoopEnd, Ifs> {
    return this.add(loopNode(body as never, options as never));
  }

  /** Waits for an answer to this question, or as the node specifies. */
  wait<More = NoOutputs>(
    prompt: string | NodeDefinition<StateAfter<S, Said>, More>,
  ): GraphBuilder<S, Final, Input, Said & More, boolean, Ifs> {
    return this.add(typeof prompt === "string" ? waitNode({ prompt }) : prompt);
  }

  /** Handles a failure of any node so far (inside the same `.if()`), like `catch` for promises; then continues. */
  catch<More = NoOutputs>(
    handler: Nodes<StateAfter<S, After<BeforeIf<Ifs>, Said>>, More>,
  ): GraphBuilder<S, Final, Input, After<BeforeIf<Ifs>, Said & More>, Json, Ifs> {
    this.mayGrow();
    const { frame } = this;
    if (frame.definitions.length === 0) throw this.problem("misplaced", ".catch() comes after the nodes it is for.");
    frame.definitions = [tryNode(frame.definitions, handler as AnyNodes)];
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
    // The types of the methods that added them have checked which state they need.
    return this.frame.definitions as unknown as readonly NodeDefinition<S>[];
  }

  /** The graph, not yet checked. */
  toGraph(): Graph<Final, Input, Said> {
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

  /** Checks the graph and resolves every name in it. Reports all problems at once, in a `GraphError`. */
  compile(registry: EntityRegistry, options?: CompileOptions): CompiledGraph {
    return compileGraph(this.toGraph(), registry, options);
  }

  private get frame(): Frame {
    return this.frames.at(-1) as Frame;
  }

  private add(nodes: AnyNodes): never {
    const definitions = definitionsOf(nodes);
    this.mayGrow();
    this.frame.definitions.push(...definitions);
    return this.self;
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
export function defineGraph<D extends StateDefinition = {}, const A extends ArgumentsJson = {}, Outputs = unknown>(
  options: GraphOptions<D, A>,
  build: (graph: GraphBuilder<FirstState<D, A>, FinalOf<D>, InputOf<D, A>, NoOutputs>) => {
    toGraph(): Graph<FinalOf<D>, InputOf<D, A>, Outputs>;
  },
): Graph<FinalOf<D>, InputOf<D, A>, Outputs> {
  return build(graph(options)).toGraph();
}
