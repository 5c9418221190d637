// The graph on the engine that keeps its runs in memory, in a real folder with real tests; only the agents are scripted.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import { defineEntity } from "@atomic/workflows/internal/entities/define-entity";
import { createEntityRegistry } from "@atomic/workflows/internal/entities/registry";
import { compileGraph } from "@atomic/workflows/internal/graph/compile";
import { interpreterOf, interpreterVersion } from "@atomic/workflows/internal/graph/interpret/interpret";
import type { NodeHost, PromptReply, PromptRequest } from "@atomic/workflows/internal/graph/services";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { Json } from "@atomic/workflows/internal/run/json";
import { type MemoryStore, memoryEngine } from "@atomic/workflows/internal/run/memory/memory-engine";
import type { RunStatus } from "@atomic/workflows/internal/run/run-state";
import type { MagnusEvent } from "../../src/run/event.ts";
import { roles } from "../../src/run/phase-name.ts";
import { reduce } from "../../src/run/reduce.ts";
import type { MagnusState } from "../../src/run/state.ts";
import implement from "../../workflows/implement.ts";

export const approving = '```json\n{ "verdict": "APPROVED", "summary": "fine", "findings": [] }\n```';
export const blocking = `Not yet.
\`\`\`json
{ "verdict": "NEEDS_REVISION", "summary": "one bug",
  "findings": [{ "severity": "MAJOR", "file": "src/feature.js", "line": 1, "problem": "wrong", "fix": "right" }] }
\`\`\``;

/** What an agent does in the project, and its last message. */
type Agent = (project: Project, request: PromptRequest, time: number) => string | Promise<string>;
export type ScriptedAgents = Readonly<Record<string, Agent>>;

export class Project implements AsyncDisposable {
  readonly dir: string;
  readonly #folder: TemporaryFolder;
  readonly #before = process.cwd();

  private constructor(folder: TemporaryFolder) {
    this.#folder = folder;
    this.dir = folder.path;
    this.settings({});
    this.setTests({ passed: 3, failed: 0 });
    process.chdir(this.dir);
  }

  static async make(): Promise<Project> {
    return new Project(await temporaryFolder("implement-"));
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.dir, path)), { recursive: true });
    writeFileSync(join(this.dir, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.dir, path), "utf8");
  }

  /** With a command for the tests that starts quickly. */
  settings(more: object): void {
    const tests = { command: [process.execPath, "test.js"] };
    this.write(".opencode/magnus-opus.json", JSON.stringify({ tests, ...more }));
  }

  /** What the project's tests will say, as bun's do. */
  setTests({ passed, failed }: { passed: number; failed: number }): void {
    this.write(
      "test.js",
      `console.log(" ${passed} pass\\n ${failed} fail\\nRan ${passed + failed} tests across 1 file."); process.exit(${failed > 0 ? 1 : 0});`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.chdir(this.#before);
    await this.#folder[Symbol.asyncDispose]();
  }
}

/** Everybody does what the table wants of them. */
export const goodAgents: ScriptedAgents = {
  architect: (project, request) => {
    project.write(`${folderIn(request)}/implementation-plan.md`, `# Plan\n${request.prompt.length}\n`);
    project.write(`${folderIn(request)}/quick-reference.md`, "# Steps\n");
    return "planned";
  },
  "plan-reviewer": reviewer("plan-review"),
  developer: builder,
  backend: builder,
  "ui-developer": builder,
  designer: (project, request) => {
    project.write(`${folderIn(request)}/design-validation.md`, "as designed");
    return approving;
  },
  reviewer: reviewer("code-review"),
  tester: (project, request) => {
    project.write(`${folderIn(request)}/testing-report.md`, "tried");
    return "tried";
  },
};

function reviewer(folder: string): Agent {
  return (project, request, time) => {
    project.write(`${folderIn(request)}/reviews/${folder}/${time}.md`, "read");
    return approving;
  };
}

function builder(project: Project, { path }: PromptRequest): string {
  project.write("src/feature.js", `// ${path}\n`);
  return "built";
}

export function folderIn({ prompt }: PromptRequest): string {
  return /ai-docs\/sessions\/[\w-]+/.exec(prompt)![0];
}

class ScriptedHost implements NodeHost {
  readonly asked: string[] = [];
  readonly prompts: string[] = [];

  readonly #project: Project;
  readonly #agents: ScriptedAgents;

  constructor(project: Project, agents: ScriptedAgents) {
    this.#project = project;
    this.#agents = agents;
  }

  async open({ path }: PromptRequest): Promise<Json> {
    return path;
  }

  async send(request: PromptRequest): Promise<PromptReply> {
    const name = request.agent!.name;
    this.asked.push(`${request.path.split("/").at(-1)}`);
    this.prompts.push(request.prompt);
    const time = this.asked.filter((each) => each === this.asked.at(-1)).length;
    return { text: await this.#agents[name]!(this.#project, request, time) };
  }

  async close(): Promise<void> {
    return; // nothing is kept
  }
}

export interface FinishedRun {
  readonly status: RunStatus;
  readonly state: MagnusState;
  readonly events: readonly MagnusEvent[];
  /** `<phase>-<role>` of every prompt. */
  readonly asked: readonly string[];
  readonly prompts: readonly string[];
  /** What a person was asked. */
  readonly questions: readonly string[];
}

/** Runs it to its end with a person who gives these answers, one after the other. */
export async function runImplement(
  project: Project,
  agents: ScriptedAgents,
  input: Json,
  answers: readonly Json[],
): Promise<FinishedRun> {
  const { engine, host, graph } = engineOn(project, agents);
  await engine.start({ runId: "run", graph, input });
  const run = await engine.run("run");
  const questions: string[] = [];
  const answering = answerAll(engine, answers, questions);
  const status = await run.ended;
  await answering;
  const events = await eventsOf(engine);
  const state = events.reduce<MagnusState | undefined>(reduce, undefined)!;
  return { status, state, events, asked: host.asked, prompts: host.prompts, questions };
}

/** The engine of one process; several over one disk are processes, one after the other. */
export function engineOn(project: Project, agents: ScriptedAgents, store?: MemoryStore) {
  const registry = createEntityRegistry();
  for (const name of roles) {
    const place = { path: `/${name}.md`, place: "agents", relative: `${name}.md` };
    const source = { provider: "hugo", location: "project", ...place } as const;
    registry.register(defineEntity({ type: "agent", name, description: name, prompt: name, source }));
  }
  const host = new ScriptedHost(project, agents);
  const compiled = compileGraph(implement, registry);
  const interpret = interpreterOf(compiled, registry, { host });
  const engine = memoryEngine({ interpret, interpreter: interpreterVersion }, store);
  return { engine, host, graph: compiled.json };
}

async function answerAll(engine: LocalEngine, answers: readonly Json[], questions: string[]): Promise<void> {
  const left = [...answers];
  for await (const { event } of engine.journal("run", { follow: true })) {
    if (event.type !== "wait-started") continue;
    questions.push((event.about as { question: string }).question);
    await engine.signal("run", event.key, left.shift() ?? "cancel the script has no more answers");
  }
}

export async function eventsOf(engine: LocalEngine): Promise<readonly MagnusEvent[]> {
  const events: MagnusEvent[] = [];
  for await (const { event } of engine.journal("run")) {
    if (event.type !== "step-finished") continue;
    const { update } = (event.result as { value?: { update?: { events?: MagnusEvent[] } } }).value ?? {};
    events.push(...(update?.events ?? []));
  }
  return events;
}
