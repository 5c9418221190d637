// A project whose workflow names no host, and a user's program that runs it.
import { existsSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { heavyHost, offline } from "@atomic/testing/heavy";
import type { ModelServer } from "@atomic/testing/model-server";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import { type Project, tmpProject } from "@atomic/testing/project";

const repository = join(import.meta.dirname, "../..");

/** How a model asks this host's agent to change a file, which it has to read first. */
type ToolCall = readonly [name: string, args: object];

export interface JourneyHost {
  readonly name: "opencode" | "claude" | "copilot";
  /** Why it is not available here. */
  readonly missing?: string;
  readonly read: (path: string) => ToolCall;
  readonly edit: (path: string, before: string, after: string) => ToolCall;
}

const reasonOf = (name: "claude" | "copilot"): { missing?: string } => {
  const host = heavyHost(name);
  return host.available ? {} : { missing: host.reason };
};

export const hosts: readonly JourneyHost[] = [
  {
    name: "opencode",
    read: (filePath) => ["read", { filePath }],
    edit: (filePath, oldString, newString) => ["edit", { filePath, oldString, newString }],
  },
  {
    name: "claude",
    ...reasonOf("claude"),
    read: (file_path) => ["Read", { file_path }],
    edit: (file_path, old_string, new_string) => ["Edit", { file_path, old_string, new_string }],
  },
  {
    name: "copilot",
    ...reasonOf("copilot"),
    read: (path) => ["view", { path }],
    edit: (path, old_str, new_str) => ["edit", { path, old_str, new_str }],
  },
];

export async function threeHostsProject(model: ModelServer): Promise<Project> {
  const project = await tmpProject({
    files: {
      "package.json": { name: "voyage", private: true, type: "module" },
      "log.md": "Weather: unknown\n",
      "workflow.js": workflow,
      "work.js": work,
      "~/.config/opencode/opencode.json": opencodeConfig(model),
    },
  });
  await install(project, "@atomic/workflows", join(repository, "packages/workflows"));
  for (const sdk of ["@anthropic-ai/claude-agent-sdk", "@github/copilot-sdk"]) {
    const installed = join(repository, "packages/testing/heavy/node_modules", sdk);
    if (existsSync(installed)) await install(project, sdk, installed);
  }
  return project;
}

async function install(project: Project, name: string, from: string): Promise<void> {
  const place = project.path(`node_modules/${name}`);
  await mkdir(dirname(place), { recursive: true });
  await symlink(from, place);
}

/** What a user sets up once: only where the models are. */
export function userEnv(project: Project, model: ModelServer): Record<string, string> {
  return {
    ...offline,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    COPILOT_HOME: project.path("~/.copilot"),
    COPILOT_OFFLINE: "true",
    COPILOT_DISABLE_LOGIN_SHELL_ENV: "true",
    COPILOT_MODEL_URL: model.v1,
  };
}

const workflow = `
import { agentNode, append, graph, last, toolNode, waitNode } from "@atomic/workflows";

export const voyage = graph({ name: "voyage", state: { notes: append(), strokes: append(), approved: last(false) } })
  .start(toolNode({ id: "start", run: ({ input }) => "to " + input, into: "notes" }))
  .parallel({
    id: "prepare",
    branches: {
      tide: agentNode({ id: "tide", prompt: "Look at the tide.", into: "notes" }),
      wind: agentNode({ id: "wind", prompt: "Look at the wind.", into: "notes" }),
      log: agentNode({ id: "log", prompt: "Note the weather in log.md.", into: "notes" }),
    },
  })
  .wait(waitNode({ id: "approval", prompt: "Cast off?", into: "approved" }))
  .loop(
    agentNode({ id: "row", session: "boat", prompt: ({ iteration }) => "Row stroke " + iteration + ".", into: "strokes" }),
    { until: ({ iteration }) => iteration === 5 },
  )
  .then(toolNode({ id: "end", run: ({ strokes }) => strokes.length + " strokes" }))
  .end();
`;

const work = `
import { embeddedEngine } from "@atomic/workflows/engine";
import { createEntityRegistry } from "@atomic/workflows/entities";
import { interpreterOf, interpreterVersion, nodeHostOf } from "@atomic/workflows/graph";
import { claudeHost } from "@atomic/workflows/hosts/claude";
import { copilotHost } from "@atomic/workflows/hosts/copilot";
import { opencodeHost } from "@atomic/workflows/hosts/opencode";
import { voyage } from "./workflow.js";

const [, , name, ...runIds] = process.argv;
const registry = createEntityRegistry();
const compiled = voyage.compile(registry);
const folder = process.cwd();
const provider = { type: "openai", baseUrl: process.env.COPILOT_MODEL_URL, apiKey: "none" };
const host = nodeHostOf({
  hosts: {
    opencode: async () => opencodeHost(),
    claude: () => claudeHost(),
    copilot: () => copilotHost({ provider, sdk: { model: "model-1" } }),
  },
  default: name,
  folder,
  permissions: { read: "allow", edit: "allow", "*": "deny" },
});
const engine = embeddedEngine(".atomic/runs", {
  interpret: interpreterOf(compiled, registry, { host }),
  interpreter: interpreterVersion,
});
for (const runId of runIds) {
  await engine.start({ runId, name: compiled.json.name, graph: compiled.json, input: "Skye" });
  const run = await engine.run(runId);
  for await (const event of run) console.log("event", event.type, event.key ?? "", event.error?.message ?? "");
  console.log("ended", runId, JSON.stringify(await run.ended));
}
await host.dispose();
`;
