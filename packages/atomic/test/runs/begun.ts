// Runs in a project, brought to where a test wants them: real journals, real workflow files, no agent.
import { type FileContent, type Project, tmpProject } from "@atomic/testing/project";
import { createEntityRegistry } from "@atomic/workflows/internal/entities/registry";
import { type GraphBuilder, graph } from "@atomic/workflows/internal/graph/builder";
import type { CompiledGraph } from "@atomic/workflows/internal/graph/compile";
import { interpreterOf, interpreterVersion } from "@atomic/workflows/internal/graph/interpret/interpret";
import type { NodeHost } from "@atomic/workflows/internal/graph/services";
import type { Budget } from "@atomic/workflows/internal/run/budget";
import { embeddedEngine } from "@atomic/workflows/internal/run/embedded/embedded-engine";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { Json } from "@atomic/workflows/internal/run/json";
import type { RunStatus } from "@atomic/workflows/internal/run/run-state";

const registry = createEntityRegistry();

const noHost: NodeHost = {
  open: async () => "session",
  send: async (request, _session, info) => {
    info.spend({ inputTokens: 1200, outputTokens: 34, usd: 0.02 });
    return { text: `reply to ${request.prompt}` };
  },
  close: async () => undefined,
};

function engineIn(project: Project, compiled: CompiledGraph, host: NodeHost = noHost): LocalEngine {
  const interpret = interpreterOf(compiled, registry, { host });
  return embeddedEngine(project.path(".atomic/runs"), { interpret, interpreter: interpreterVersion });
}

export interface StartedRun {
  readonly runId?: string;
  readonly input?: Json;
  readonly budget?: Budget;
  readonly host?: NodeHost;
  readonly workspace?: Json;
}

// biome-ignore lint/suspicious/noExplicitAny: whatever state the graph has
type AnyBuilder = GraphBuilder<any>;

/** Works on a run until it ends or stops, or until it waits: then it is given back. */
export async function begin(project: Project, builder: AnyBuilder, options: StartedRun = {}): Promise<RunStatus> {
  const { runId = "calm-otter", input = null, budget, host, workspace } = options;
  const compiled = builder.compile(registry);
  const engine = engineIn(project, compiled, host);
  await engine.start({
    runId,
    graph: compiled.json as Json,
    input,
    name: compiled.json.name,
    ...(budget && { budget }),
    ...(workspace !== undefined && { workspace }),
  });
  const run = await engine.run(runId);
  for await (const { type } of run) if (type === "wait-started") void run.release();
  return await run.ended;
}

export function newGraph(name = "release"): AnyBuilder {
  return graph({ name, state: { answer: null } });
}

const imports = `import { agentNode, append, askUserNode, defineGraph, mapNode, toolNode, waitNode } from "@atomic/workflows";
import { appendFileSync, existsSync, writeSync } from "node:fs";
const effect = (line: string): void => appendFileSync("effects.txt", line + "\\n");
`;

/** A project with workflows: each is what stands behind `defineGraph(` in its file. */
export async function projectWith(
  workflows: Readonly<Record<string, string>>,
  files: Readonly<Record<string, FileContent>> = {},
): Promise<Project> {
  const modules = Object.entries(workflows).map(([name, body]) => [
    `.atomic/workflows/${name}.ts`,
    `${imports}export default defineGraph(${body});\n`,
  ]);
  return await tmpProject({ git: false, files: { ...Object.fromEntries(modules), ...files } });
}
