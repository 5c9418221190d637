import { loadHeavyHost, offline } from "@atomic/testing/heavy";
import { markedProcesses } from "@atomic/testing/marked-processes";
import { modelServer } from "@atomic/testing/model-server";
import { tmpProject } from "@atomic/testing/project";

/** For each agent's frontmatter, the tools that Copilot offers to the model. */
export async function offeredByCopilot(agents: readonly string[]): Promise<string[][]> {
  const files = agents.map((frontmatter, i) => [
    `.github/agents/a${i}.md`,
    `---\ndescription: An agent\n${frontmatter}\n---\nBody`,
  ]);
  await using project = await tmpProject({ git: false, files: Object.fromEntries(files) });
  await using model = await modelServer({ allowUnused: true });
  model.expect().always().reply("ok");
  const { CopilotClient } = (await loadHeavyHost("copilot")) as CopilotSdk;
  await using processes = await markedProcesses();
  const client = new CopilotClient({
    workingDirectory: project.dir,
    useLoggedInUser: false,
    env: { ...project.env, ...processes.env, ...offline, COPILOT_OFFLINE: "true" },
  });
  const offered: string[][] = [];
  try {
    await client.start();
    for (const i of agents.keys()) {
      const session = await client.createSession({
        model: model.models[0],
        provider: { type: "openai", wireApi: "completions", baseUrl: model.v1, apiKey: "none" },
        workingDirectory: project.dir,
        enableConfigDiscovery: true,
        onPermissionRequest: () => ({ kind: "reject" }),
      });
      await session.rpc.agent.select({ name: `a${i}` });
      await session.sendAndWait({ prompt: "hello" }, 60_000);
      offered.push((model.prompts.at(-1)?.tools ?? []).map(({ name }) => name));
      await session.disconnect();
    }
  } finally {
    await client.stop();
  }
  return offered;
}

// The part of the SDK that is used here, in our own words: its types are absent where it is not installed.
interface CopilotSdk {
  readonly CopilotClient: new (
    options: Record<string, unknown>,
  ) => {
    start(): Promise<void>;
    stop(): Promise<unknown>;
    createSession(config: Record<string, unknown>): Promise<{
      readonly rpc: { readonly agent: { select(agent: { readonly name: string }): Promise<unknown> } };
      sendAndWait(message: { readonly prompt: string }, deadline: number): Promise<unknown>;
      disconnect(): Promise<void>;
    }>;
  };
}
