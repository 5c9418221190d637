// Runs as people have them, for pictures and tests of the page: agents that read, write and cost something, without a model.
import { rmSync, writeFileSync } from "node:fs";
import type { Project } from "@atomic/testing/project";
import { createEntityRegistry } from "@atomic/workflows/internal/entities/registry";
import { agentNode, askUserNode, toolNode, waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { graph } from "@atomic/workflows/internal/graph/builder";
import { interpreterOf, interpreterVersion } from "@atomic/workflows/internal/graph/interpret/interpret";
import { mapNode } from "@atomic/workflows/internal/graph/map-node";
import type { NodeHost } from "@atomic/workflows/internal/graph/services";
import { nodeHostOf } from "@atomic/workflows/internal/hosts/node-host-of";
import { type Script, type ScriptedTurn, scriptedHost } from "@atomic/workflows/internal/hosts/scripted";
import type { Budget } from "@atomic/workflows/internal/run/budget";
import { type Clock, systemClock } from "@atomic/workflows/internal/run/clock";
import { embeddedEngine } from "@atomic/workflows/internal/run/embedded/embedded-engine";
import type { RunHandle } from "@atomic/workflows/internal/run/engine";
import type { Json } from "@atomic/workflows/internal/run/json";

// biome-ignore lint/suspicious/noExplicitAny: whatever state the graph has
type AnyBuilder = any;

/** So that a moment of work looks like minutes, and ends now. */
function quickClock(times: number, lastMs: number): Clock {
  const began = Date.now();
  return {
    ...systemClock,
    now: () => Math.round(began - times * lastMs + times * (Date.now() - began)),
    monotonic: () => times * performance.now(),
  };
}

export interface DemoOptions {
  readonly runId: string;
  readonly graph: AnyBuilder;
  readonly script: Script;
  readonly input?: Json;
  readonly budget?: Budget;
  readonly clock?: Clock;
}

/** Starts a run and works on it. */
export async function startDemo(project: Project, options: DemoOptions): Promise<RunHandle> {
  const { runId, input = null, budget, clock = systemClock } = options;
  const registry = createEntityRegistry();
  const compiled = options.graph.compile(registry);
  const host = nodeHostOf({
    hosts: { opencode: async () => scriptedHost({ script: options.script }) },
    default: "opencode",
    folder: project.dir,
    permissions: { bash: "ask", "*": "allow" },
  });
  const interpret = interpreterOf(compiled, registry, { host });
  const engine = embeddedEngine(project.path(".atomic/runs"), { interpret, interpreter: interpreterVersion, clock });
  const name = compiled.json.name;
  const workspace = {
    workflow: `atomic:project/${name}`,
    host: "opencode",
    model: "anthropic/claude-sonnet",
    permissions: {},
  };
  await engine.start({ runId, graph: compiled.json as Json, input, name, workspace, ...(budget && { budget }) });
  return await engine.run(runId);
}

async function* working(project: Project, says: readonly string[], edit?: readonly [string, string]): ScriptedTurn {
  const [first = "", ...rest] = says;
  yield { text: first };
  yield { usage: { inputTokens: 2400, outputTokens: 310, usd: 0.031 } };
  yield {
    tool: "read",
    input: { filePath: "src/login.ts" },
    run: () => "export function login(user: string) {\n  return user.length > 0;\n}\n",
  };
  await pause(30);
  if (edit !== undefined) {
    const [path, text] = edit;
    yield {
      tool: "edit",
      input: { filePath: path, newString: text },
      run: () => {
        writeFileSync(project.path(path), text);
        return "1 file changed";
      },
    };
  }
  for (const text of rest) {
    await pause(25);
    yield { text };
    yield { usage: { inputTokens: 1800, outputTokens: 240, usd: 0.022 } };
  }
}

/** Work takes its time in pictures; nothing depends on it. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const question = `Notes for 1.4.0:

- Dark mode in the editor
- No more crash at night
- Search is three times as fast

Publish 1.4.0 with these notes?`;

export interface DemoRuns extends AsyncDisposable {
  /** Some of these wait or run until they are disposed. */
  readonly ids: { readonly asking: string; readonly running: string; readonly failed: string; readonly done: string };
}

/** Four runs: one that asks you, one at work, one that failed, and one that is done. */
export async function demoRuns(project: Project): Promise<DemoRuns> {
  const ids = { asking: "calm-otter", running: "brave-lark", failed: "quiet-heron", done: "merry-crane" };
  writeFileSync(project.path("login.ts"), "export function login(user: string) {\n  return user.length > 0;\n}\n");
  await project.run(["git", "add", "-A"]);
  await project.run(["git", "commit", "-qm", "login"]);
  const files = ["api", "boat", "cart", "door", "edge", "fern", "gate", "home", "icon", "jobs", "keys", "lamp"];
  const script: Script = ({ prompt }) => {
    if (prompt.includes("edge.ts"))
      throw new Error("edge.ts:41: the parser expected a closing bracket and found the end of the file");
    if (prompt.startsWith("Fix")) {
      return working(
        project,
        ["I will look at the login first.\n", "An empty name must not pass. ", "Fixed, and a test shows it."],
        ["login.ts", "export function login(user: string) {\n  return user.trim().length > 0;\n}\n"],
      );
    }
    return working(project, [`Looking at it: ${prompt}\n`, "Nothing unusual. ", "Two names could be clearer."]);
  };
  const asking = await startDemo(project, {
    runId: ids.asking,
    input: { version: "1.4.0" },
    budget: { usd: 5, steps: 200 },
    clock: quickClock(300, 1500),
    script,
    graph: graph({ name: "release", state: {} })
      .parallel({
        id: "collect",
        branches: {
          features: agentNode({ id: "features", prompt: "List the new features since the last tag." }),
          fixes: agentNode({ id: "fixes", prompt: "List the fixes since the last tag." }),
        },
      })
      .then(
        mapNode({
          id: "review",
          over: () => files,
          as: "file",
          limit: 4,
          onItemError: "continue",
          nodes: (each: AnyBuilder) =>
            each.then(agentNode({ id: "read", prompt: ({ file }: AnyBuilder) => `Review src/${file}.ts.` })),
        }),
      )
      .then(agentNode({ id: "fix", prompt: "Fix what the reviews found in the login." }))
      .wait(waitNode({ id: "approval", prompt: question }))
      .then(askUserNode({ id: "channel", question: "Where?", options: [{ label: "npm" }, { label: "GitHub" }] }))
      .then(toolNode({ id: "publish", run: () => "published" })),
  });
  await until(asking, "wait-started");
  const failed = await startDemo(project, {
    runId: ids.failed,
    clock: quickClock(900, 8000),
    script: () => {
      throw new Error("no such column: accounts.plan\n  at migrate (db/migrate.ts:17:5)");
    },
    graph: graph({ name: "migrate", state: {} })
      .start(toolNode({ id: "backup", run: () => "14 MB" }))
      .then(agentNode({ id: "rewrite", prompt: "Rewrite the queries." })),
  });
  await failed.ended;
  const done = await startDemo(project, {
    runId: ids.done,
    clock: quickClock(2000, 12_000),
    script,
    graph: graph({ name: "nightly", state: {} }).start(agentNode({ id: "triage", prompt: "Triage the open issues." })),
  });
  await done.ended;
  const held = Promise.withResolvers<void>();
  const running = await startDemo(project, {
    runId: ids.running,
    clock: quickClock(60, 900),
    budget: { usd: 2 },
    script: ({ prompt }) => {
      return prompt.includes("test")
        ? holding(held.promise)
        : working(project, ["Reading the failing test.\n", "It is the time zone."]);
    },
    graph: graph({ name: "fix-flaky", state: { done: false } })
      .start(agentNode({ id: "find", prompt: "Find the flaky place." }))
      .loop(
        [
          agentNode({ id: "change", prompt: "Change it." }),
          agentNode({ id: "verify", prompt: "Run the test twenty times." }),
        ],
        { id: "attempts", until: () => false, maxIterations: 5 },
      ),
  });
  await until(running, "step-note", 9);
  const dispose = async (): Promise<void> => {
    held.resolve();
    await Promise.all([asking.release(), running.release()]);
    rmSync(project.path("login.ts"), { force: true });
  };
  return { ids, [Symbol.asyncDispose]: dispose };
}

async function* holding(held: Promise<void>): ScriptedTurn {
  yield { text: "Running the test twenty times.\n" };
  yield { usage: { inputTokens: 900, outputTokens: 120, usd: 0.011 } };
  yield {
    tool: "task",
    input: { description: "for i in $(seq 20); do npm test -- login; done" },
    run: () => "run 7 of 20: passed",
  };
  yield { text: "Seven of twenty have passed so far" };
  await held;
}

/** Resolves when it has reported this so many times. */
export async function until(run: RunHandle, type: string, times = 1): Promise<void> {
  let seen = 0;
  for await (const event of run) {
    if (event.type === type) seen += 1;
    if (seen >= times) return;
  }
}

/** A run of so many steps, as a map has them: one failed, all others done. Nothing waits for the disk. */
export async function longRun(project: Project, steps: number, runId = "lucky-fern"): Promise<void> {
  const registry = createEntityRegistry();
  const compiled = graph({ name: "sweep", state: {} })
    .start(
      mapNode({
        id: "files",
        over: () => Array.from({ length: steps }, (_, at) => `file-${at}`),
        as: "file",
        limit: 50,
        onItemError: "continue",
        nodes: (each: AnyBuilder) =>
          each.then(
            toolNode({
              id: "check",
              run: ({ file }: AnyBuilder) => {
                if (file === "file-77") throw new Error("line 3 is too long");
                return `${file} is fine`;
              },
            }),
          ),
      }),
    )
    .compile(registry);
  const interpret = interpreterOf(compiled, registry, { host: noHost });
  const options = { interpret, interpreter: interpreterVersion, durability: "turn" } as const;
  const engine = embeddedEngine(project.path(".atomic/runs"), options);
  await engine.start({ runId, graph: compiled.json as Json, input: null, name: compiled.json.name });
  await (await engine.run(runId)).ended;
}

const noHost: NodeHost = {
  open: async () => "session",
  send: async ({ prompt }) => ({ text: prompt }),
  close: async () => undefined,
};
