import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import type { ClaudeSdk } from "./claude/sdk.ts";
import { ClaudeSession } from "./claude/session.ts";
import type { ClaudeTurn } from "./claude/turn.ts";
import { type Host, HostError, type SessionOptions } from "./host.ts";
import { loadPeer, type PeerOptions } from "./load-peer.ts";

export interface ClaudeHostOptions extends PeerOptions {
  /** Claude's whole environment. Default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Further SDK options for every session; they override ours. */
  readonly sdk?: Readonly<Record<string, unknown>>;
}

const peer = { host: "claude", name: "@anthropic-ai/claude-agent-sdk", version: "0.3" } as const;

/**
 * Claude Code, through the Claude Agent SDK. Without options it works as `claude` does for this user: the same login,
 * settings and models.
 *
 * ```ts
 * const host = await claudeHost({ folder: project });
 * const session = await host.create({ folder: project, model: "sonnet" });
 * for await (const event of session.send("fix the build")) if (event.type === "text") process.stdout.write(event.text);
 * ```
 */
export async function claudeHost(options: ClaudeHostOptions = {}): Promise<Host> {
  const sdk = (await loadPeer(peer, options)) as ClaudeSdk;
  const turns = new Set<ClaudeTurn>();
  const open = (id: string, session: SessionOptions, isNew: boolean): ClaudeSession => {
    const env = options.env ?? process.env;
    return new ClaudeSession({
      id,
      options: session,
      isNew,
      turns,
      sdk,
      shared: { ...(options.env !== undefined && { env }), ...options.sdk },
      configFolder: env.CLAUDE_CONFIG_DIR || join(env.HOME || env.USERPROFILE || homedir(), ".claude"),
      isElsewhere: options.env !== undefined,
    });
  };
  return {
    name: "claude",
    create: async (session) => open(randomUUID(), session, true),
    resume: async (id, session) => {
      const resumed = open(id, session, false);
      if (await resumed.exists()) return resumed;
      throw new HostError("session-gone", {
        host: "claude",
        message: `Claude has no session ${id} for ${session.folder}.`,
        hint: "A session exists once it has received a prompt, and only for the folder it was created in.",
      });
    },
    dispose: async () => {
      await Promise.all([...turns].map((turn) => turn.stop()));
    },
  };
}
