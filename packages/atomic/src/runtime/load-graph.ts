import { isExplained } from "@atomic/durable-files/explained-error";
import { workLine } from "@atomic/terminal/progress-line";
import { Refusal } from "@atomic/terminal/refusal";
import type { Entity } from "@atomic/workflows/internal/entities/entity";
import type { EntityRegistry } from "@atomic/workflows/internal/entities/registry";
import type { CompiledGraph, CompileOptions } from "@atomic/workflows/internal/graph/compile";
import type { Graph } from "@atomic/workflows/internal/graph/node-definition";
import type { AtomicContext } from "../context.ts";
import { loadEntities } from "../entities/load-entities.ts";
import { failureOfEnd } from "../foreign-code.ts";
import type { Where } from "../report/path.ts";
import type { WorkflowSource } from "../runs/run-setup.ts";

/** A workflow that can be run, drawn or asked what it takes. */
export interface LoadedGraph {
  readonly where: Where;
  readonly registry: EntityRegistry;
  readonly entity: Entity;
  readonly qualifiedName: string;
  readonly graph: Graph;
  readonly compiled: CompiledGraph;
  readonly options: CompileOptions;
  readonly source: WorkflowSource;
}

/** Finds the workflow, loads its module, and finds all that it names. Unless it is silent, it shows that this takes long. */
export async function loadGraph(
  context: AtomicContext,
  name: string,
  { isSilent }: { readonly isSilent: boolean },
): Promise<LoadedGraph> {
  const stopLine = workLine(context, isSilent, `loading ${name}`);
  try {
    const { interrupted: signal } = context;
    const work = load(context, name);
    if (signal === undefined) return await work;
    // The workflow's code may take forever. Nothing has begun yet that would have to be cleaned up.
    const interrupted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    return await Promise.race([work, interrupted]);
  } finally {
    stopLine();
  }
}

async function load(context: AtomicContext, name: string): Promise<LoadedGraph> {
  const [{ registry, where }, { compileGraph }, { loadWorkflowWithParts }, { sourceFiles }, { graphHash }] =
    await Promise.all([
      loadEntities(context),
      import("@atomic/workflows/internal/graph/compile"),
      import("@atomic/workflows/internal/graph/load-workflow"),
      import("@atomic/workflows/internal/modules/source-files"),
      import("@atomic/workflows/internal/graph/compare-graphs"),
    ]);
  context.redirectPrints((text) => context.stderr.write(text));
  const file = registry.getWorkflow(name)?.source.path;
  context.loaded.workflow = file ?? name;
  const unlisten = context.onAbruptEnd((end) => context.fail(failureOfEnd(end, file, name)));
  try {
    const { entity, graph, workflows, modules } = await loadWorkflowWithParts(registry, name);
    // An unhandled rejection is reported only after everything that is ready has run.
    await new Promise(setImmediate);
    const compiled = compileGraph(graph, registry, { workflows });
    const qualifiedName = registry.qualifiedName(entity);
    const source = { files: sourceFiles(modules), graph: graphHash(compiled.json) };
    return {
      where,
      registry,
      entity,
      qualifiedName,
      graph,
      compiled,
      options: { workflows },
      source,
    };
  } catch (error) {
    if (!(isExplained(error) && error.code === "entity-not-found")) throw error;
    const hasSome = registry.all().some(({ type }) => type === "workflow");
    const list = "`atomic entities --type workflow` lists the workflows.";
    const none = "A workflow is a file in .atomic/workflows; this project has none.";
    const { code, message, at, hint = hasSome ? list : none } = error;
    throw new Refusal(code, { message, at, hint, cause: error });
  } finally {
    unlisten();
  }
}
