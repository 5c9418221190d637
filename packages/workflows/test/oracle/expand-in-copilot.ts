import { loadHeavyHost, offline } from "@atomic/testing/heavy";
import { markedProcesses } from "@atomic/testing/marked-processes";
import { tmpProject } from "@atomic/testing/project";
import type { ArgumentCase } from "../arguments-cases.ts";
import { commandFile, distinctCommands } from "./command-files.ts";

interface CopilotSdk {
  readonly CopilotClient: new (
    options: Record<string, unknown>,
  ) => {
    createSession(config: Record<string, unknown>): Promise<CopilotSession>;
    stop(): Promise<Error[]>;
  };
}

interface CopilotSession {
  readonly rpc: {
    readonly commands: {
      invoke(request: { name: string; input: string }): Promise<{ readonly prompt?: string }>;
    };
  };
}

/** What Copilot would send to the model for each case; it tells without asking any model. */
export async function expandInCopilot(cases: readonly ArgumentCase[]): Promise<string[]> {
  const sdk = (await loadHeavyHost("copilot")) as CopilotSdk;
  const commands = distinctCommands(cases);
  const files = commands.map(
    (command, i) => [`.github/skills/c${i}/SKILL.md`, commandFile(command, { name: `c${i}` })] as const,
  );
  await using project = await tmpProject({ files: Object.fromEntries(files) });
  await using processes = await markedProcesses();
  const client = new sdk.CopilotClient({
    workingDirectory: project.dir,
    baseDirectory: project.path("~/.copilot"),
    useLoggedInUser: false,
    env: { ...project.env, ...processes.env, ...offline, COPILOT_OFFLINE: "true" },
  });
  try {
    const session = await client.createSession({
      model: "none",
      provider: { type: "openai", baseUrl: "http://127.0.0.1:9/v1", apiKey: "none" },
      enableConfigDiscovery: true,
      onPermissionRequest: () => ({ kind: "reject" }),
    });
    const sent: string[] = [];
    for (const row of cases) {
      const name = `c${commands.findIndex((command) => command.matches(row))}`;
      const { prompt = "" } = await session.rpc.commands.invoke({ name, input: row.input });
      sent.push(skillText(prompt));
    }
    return sent;
  } finally {
    await client.stop();
  }
}

/** A skill arrives in an envelope that tells where it comes from. */
function skillText(prompt: string): string {
  const envelope = /<skill-context [^>]*>\nBase directory for this skill: [^\n]*\n\n([\s\S]*)\n<\/skill-context>$/;
  return envelope.exec(prompt)?.[1] ?? `no skill: ${prompt}`;
}
