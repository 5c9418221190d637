import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import type { ClaudeSdk } from "./claude/sdk.ts";
import { ClaudeSession } from "./claude/session.ts";
import type { ClaudeTurn } from "./claude/turn.ts";
import { type Host, HostError, type SessionOptions } from "./host.ts";
import { loadPeer, type PeerOptions } from "./load-peer.ts";

export interface ClaudeHostOptions extends PeerOptions {
  /** The whole environment of Claude. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Further options of the SDK for every session, put on top of ours. */
  readonly sdk?: Readonly<Record<string, unknown>>;
}

const peer = { host: "claude", name: "@anthropic-ai/claude-agent-sdk", version: "0.3" } as const;

/**
 * Claude Code, by the Claude Agent SDK. With nothing said it works as `claude` does for this user: the same login, settings
 * and models.
 *
 * ```ts
 * const host = await claudeHost({ folder: project });
 * const session = await host.create({ folder: project, model: "sonnet" });
 * for await (const event of session.send("fix the build")) if (event.type === "text") process.stdout.write(event.text);
 * ```
 */
export async function claudeHost(options: ClaudeHostOptions = {}): Promise<Host> {
  return new ClaudeHost((await loadPeer(peer, options)) as ClaudeSdk, options);
}

class ClaudeHost implements Host {
  readonly name = "claude";
  readonly #sdk: ClaudeSdk;
  readonly #options: ClaudeHostOptions;
  readonly #turns = new Set<ClaudeTurn>();

  constructor(sdk: ClaudeSdk, options: ClaudeHostOptions) {
    this.#sdk = sdk;
    this.#options = options;
  }

  async create(options: SessionOptions): Promise<ClaudeSession> {
    return this.#session(randomUUID(), options, true);
  }

  async resume(id: string, options: SessionOptions): Promise<ClaudeSession> {
    const session = this.#session(id, options, false);
    if (await session.exists()) return session;
    throw new HostError("session-gone", {
      host: this.name,
      message: `Claude has no session ${id} for ${options.folder}.`,
      hint: "A session exists once it has received a prompt, and only for the folder it was created in.",
    });
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#turns].map((turn) => turn.stop()));
  }

  #session(id: string, options: SessionOptions, isNew: boolean): ClaudeSession {
    const { env, sdk } = this.#options;
    const given = env ?? process.env;
    return new ClaudeSession({
      id,
      options,
      isNew,
      turns: this.#turns,
      sdk: this.#sdk,
      shared: { ...(env !== undefined && { env }), ...sdk },
      configFolder: given.CLAUDE_CONFIG_DIR || join(given.HOME || given.USERPROFILE || homedir(), ".claude"),
      isElsewhere: env !== undefined,
    });
  }
}
