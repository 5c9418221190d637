import type { CopilotClient, CopilotPermission, CopilotSdk, SdkSession } from "./copilot/sdk.ts";
import { CopilotSession, type CopilotTurn, isUp, type PermissionGate, runtimeFailure } from "./copilot/session.ts";
import { askFirst, type HookInput, toolOptions } from "./copilot/tools.ts";
import { type Host, HostError, type SessionOptions } from "./host.ts";
import { loadPeer, type PeerOptions } from "./load-peer.ts";
import { isInside } from "./own-files.ts";

export interface CopilotHostOptions extends PeerOptions {
  /** The runtime's whole environment. Default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Your own model instead of GitHub's, in the SDK's format: `{ type, baseUrl, apiKey, … }`. */
  readonly provider?: Readonly<Record<string, unknown>>;
  /** Further SDK options for the client; they override ours. */
  readonly client?: Readonly<Record<string, unknown>>;
  /** Further SDK options for every session; they override ours. */
  readonly sdk?: Readonly<Record<string, unknown>>;
}

const peer = { host: "copilot", name: "@github/copilot-sdk", version: "1" } as const;

const stopDeadline = 5_000;

/**
 * GitHub Copilot, through its SDK. Without options it works as `copilot` does for this user: the same login and settings. One
 * runtime serves all sessions.
 *
 * ```ts
 * const host = await copilotHost({ folder: project });
 * const session = await host.create({ folder: project });
 * for await (const event of session.send("fix the build")) if (event.type === "text") process.stdout.write(event.text);
 * await host.dispose();
 * ```
 */
export async function copilotHost(options: CopilotHostOptions = {}): Promise<Host> {
  const sdk = (await loadPeer(peer, options)) as CopilotSdk;
  const turns = new Set<CopilotTurn>();
  let running: Promise<CopilotClient> | undefined;
  /** The runtime's client. The runtime is started when it is needed, and again if it has died. */
  const runningClient = async (): Promise<CopilotClient> => {
    const current = running;
    if (current !== undefined && (await isUp(await current))) return await current;
    // Another caller that found it dead may have restarted it already.
    if (running !== current && running !== undefined) return await running;
    const { folder, env } = options;
    const client = new sdk.CopilotClient({
      ...(folder !== undefined && { workingDirectory: folder }),
      ...(env !== undefined && { env }),
      ...options.client,
    });
    running = client.start().then(
      () => client,
      async (cause: unknown) => {
        running = undefined;
        await client.forceStop();
        throw runtimeFailure("Copilot did not start", cause);
      },
    );
    return await running;
  };
  const open = async (
    client: CopilotClient,
    { folder, model, system, agent, ...tools }: SessionOptions,
    openSession: (config: Record<string, unknown>) => Promise<SdkSession>,
  ): Promise<CopilotSession> => {
    const gate: PermissionGate = { turn: undefined };
    const { provider, sdk: more } = options;
    try {
      const session = await openSession({
        workingDirectory: folder,
        // The project's instructions, agents and skills, as in the program itself.
        enableConfigDiscovery: true,
        // A resumed session would otherwise receive only whole replies.
        streaming: true,
        ...(model !== undefined && { model }),
        ...(provider !== undefined && { provider }),
        ...(system !== undefined && { systemMessage: { mode: "append", content: system } }),
        ...(agent !== undefined && { customAgents: [{ ...agent, displayName: agent.name }], agent: agent.name }),
        ...toolOptions(tools),
        ...more,
        hooks: { ...(more?.hooks as object), onPreToolUse: (call: HookInput) => askFirst(call, folder) },
        onPermissionRequest: async (request: CopilotPermission) => {
          // Copilot asks before it reads any file. Inside its own folder it need not: the other hosts do not ask there.
          const { kind, path } = request;
          if (kind === "read" && path !== undefined && (await isInside(folder, path))) return { kind: "approve-once" };
          return gate.turn?.permission(request) ?? { kind: "reject", feedback: "No one is available to answer." };
        },
      });
      return new CopilotSession({ client, session, gate, turns });
    } catch (cause) {
      throw runtimeFailure("Copilot did not open a session", cause);
    }
  };
  return {
    name: "copilot",
    create: async (session) => {
      const client = await runningClient();
      return await open(client, session, async (config) => {
        const created = await client.createSession(config);
        if (session.title !== undefined) await created.rpc.name.set({ name: session.title });
        return created;
      });
    },
    resume: async (id, session) => {
      const client = await runningClient();
      if ((await client.getSessionMetadata(id)) === undefined) {
        throw new HostError("session-gone", {
          host: "copilot",
          message: `Copilot has no session ${id}.`,
          hint: "A session exists from its first prompt until it is deleted.",
        });
      }
      return await open(client, session, (config) => client.resumeSession(id, config));
    },
    // Copilot bills requests, and reports no dollars.
    modelWithoutPrice: async ({ model = "its model" }) => model,
    dispose: async () => {
      await Promise.all([...turns].map((turn) => turn.stop()));
      const client = await running;
      running = undefined;
      if (client === undefined) return;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<"late">((resolve) => {
        timer = setTimeout(resolve, stopDeadline, "late");
      });
      const outcome = await Promise.race([client.stop(), late]);
      clearTimeout(timer);
      if (outcome === "late") await client.forceStop();
    },
  };
}
