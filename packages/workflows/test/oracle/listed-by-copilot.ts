import { loadHeavyHost, offline } from "@atomic/testing/heavy";
import { markedProcesses } from "@atomic/testing/marked-processes";
import { modelServer } from "@atomic/testing/model-server";
import type { Project } from "@atomic/testing/project";
import type { ToolEntry } from "../../src/entities/tools/tool.ts";
import { type Line, type Listing, pathIn, type Start } from "./listing.ts";

/** The skills and agents of a Copilot session in the project or in another folder. */
export async function listedByCopilot(project: Project, { cwd = project.dir, env = {} }: Start = {}): Promise<Listing> {
  await using model = await modelServer();
  const { CopilotClient } = (await loadHeavyHost("copilot")) as CopilotSdk;
  await using processes = await markedProcesses();
  const client = new CopilotClient({
    workingDirectory: cwd,
    useLoggedInUser: false,
    env: { ...project.env, ...processes.env, ...offline, COPILOT_OFFLINE: "true", PWD: cwd, ...env },
  });
  try {
    await client.start();
    const { rpc } = await client.createSession({
      model: model.models[0],
      provider: { type: "openai", wireApi: "completions", baseUrl: model.v1, apiKey: "none" },
      workingDirectory: cwd,
      enableConfigDiscovery: true,
      onPermissionRequest: () => ({ kind: "reject" }),
    });
    const { skills } = await rpc.skills.list();
    const { agents } = await rpc.agent.list();
    return [
      ...skills.map((skill) => line("skill", skill, project)),
      ...agents.map((agent) => line("agent", agent, project)),
    ];
  } finally {
    await client.stop();
  }
}

function line(type: Line["type"], info: Info, project: Project): Line {
  const { name, description, argumentHint: hint = "", path = "", userInvocable } = info;
  return { type, name, description, hint, file: pathIn(project, path), userInvocable };
}

export function copilotLines(entry: ToolEntry, project: Project): Listing {
  const { type, name, description, argumentHint: hint = "", userInvocable, entity } = entry;
  return [{ type, name, description, hint, file: pathIn(project, entity.source.path ?? ""), userInvocable }];
}

// The part of the SDK that is used here, in our own words: its types are absent where it is not installed.
interface Info {
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
  readonly path?: string;
  readonly userInvocable: boolean;
}

interface CopilotSdk {
  readonly CopilotClient: new (
    options: Record<string, unknown>,
  ) => {
    start(): Promise<void>;
    stop(): Promise<unknown>;
    createSession(config: Record<string, unknown>): Promise<{
      readonly rpc: {
        readonly skills: { list(): Promise<{ readonly skills: readonly Info[] }> };
        readonly agent: { list(): Promise<{ readonly agents: readonly Info[] }> };
      };
    }>;
  };
}
