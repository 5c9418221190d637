import { CopilotRuntime, runtimeFailure } from "./copilot/runtime.ts";
import type { CopilotClient, CopilotPermission, CopilotSdk, SdkSession } from "./copilot/sdk.ts";
import { CopilotSession, type CopilotTurn, PermissionGate } from "./copilot/session.ts";
import { askFirst, type HookInput, toolOptions } from "./copilot/tools.ts";
import { type Host, HostError, type SessionOptions } from "./host.ts";
import { loadPeer, type PeerOptions } from "./load-peer.ts";

export interface CopilotHostOptions extends PeerOptions {
  /** The whole environment of the runtime. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A model of one's own instead of GitHub's, as the SDK has it: `{ type, baseUrl, apiKey, … }`. */
  readonly provider?: Readonly<Record<string, unknown>>;
  /** Further options of the SDK for its client, put on top of ours. */
  readonly client?: Readonly<Record<string, unknown>>;
  /** Further options of the SDK for every session, put on top of ours. */
  readonly sdk?: Readonly<Record<string, unknown>>;
}

const peer = { host: "copilot", name: "@github/copilot-sdk", version: "1" } as const;

/**
 * GitHub Copilot, by its SDK. With nothing said it works as `copilot` does for this user: the same login and settings. One
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
  const { folder, env, client } = options;
  const runtime = new CopilotRuntime(sdk, {
    ...(folder !== undefined && { workingDirectory: folder }),
    ...(env !== undefined && { env }),
    ...client,
  });
  return new CopilotHost(runtime, options);
}

class CopilotHost implements Host {
  readonly name = "copilot";
  readonly #runtime: CopilotRuntime;
  readonly #options: CopilotHostOptions;
  readonly #turns = new Set<CopilotTurn>();

  constructor(runtime: CopilotRuntime, options: CopilotHostOptions) {
    this.#runtime = runtime;
    this.#options = options;
  }

  async create(options: SessionOptions): Promise<CopilotSession> {
    const client = await this.#runtime.client();
    return await this.#open(client, options, async (config) => {
      const session = await client.createSession(config);
      if (options.title !== undefined) await session.rpc.name.set({ name: options.title });
      return session;
    });
  }

  async resume(id: string, options: SessionOptions): Promise<CopilotSession> {
    const client = await this.#runtime.client();
    if ((await client.getSessionMetadata(id)) === undefined) {
      throw new HostError("session-gone", {
        host: this.name,
        message: `Copilot has no session ${id}.`,
        hint: "A session exists from its first prompt until it is deleted.",
      });
    }
    return await this.#open(client, options, (config) => client.resumeSession(id, config));
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#turns].map((turn) => turn.stop()));
    await this.#runtime.stop();
  }

  async #open(
    client: CopilotClient,
    options: SessionOptions,
    open: (config: Record<string, unknown>) => Promise<SdkSession>,
  ): Promise<CopilotSession> {
    const gate = new PermissionGate(options.folder);
    const { folder, model, system, agent } = options;
    const { provider, sdk } = this.#options;
    try {
      const session = await open({
        workingDirectory: folder,
        // Instructions, agents and skills of the project, as the program itself has them.
        enableConfigDiscovery: true,
        // A resumed session would ask for whole replies.
        streaming: true,
        ...(model !== undefined && { model }),
        ...(provider !== undefined && { provider }),
        ...(system !== undefined && { systemMessage: { mode: "append", content: system } }),
        ...(agent !== undefined && { customAgents: [{ ...agent, displayName: agent.name }], agent: agent.name }),
        ...toolOptions(options),
        ...sdk,
        hooks: { ...(sdk?.hooks as object), onPreToolUse: (call: HookInput) => askFirst(call, folder) },
        onPermissionRequest: (request: CopilotPermission) => gate.ask(request),
      });
      return new CopilotSession({ client, session, gate, turns: this.#turns });
    } catch (cause) {
      throw runtimeFailure("Copilot did not open a session", cause);
    }
  }
}
