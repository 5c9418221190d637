// Shortens what a tool returned to the context that is left. The whole text stays on disk.
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { homeFolder } from "@atomic/terminal/home-folder";
import { estimateTokens, outputLimit, shorten, tokensOf } from "../../turn/shorten-output.ts";
import { say } from "../../words/template.ts";
import type { Magnus } from "../live/magnus.ts";
import { modelFacts } from "./model-facts.ts";
import type { EventProperties, ToolResult, TurnHook } from "./turn-hook.ts";

interface Use {
  readonly tokens: number;
  readonly model: string;
  /** What tools have returned since, as an estimate. */
  added: number;
}

class ToolOutputTruncator implements TurnHook {
  readonly #magnus: Magnus;
  readonly #limits: ReturnType<typeof modelFacts>;
  readonly #used = new Map<string, Use>();

  constructor(magnus: Magnus) {
    this.#magnus = magnus;
    this.#limits = modelFacts(magnus.context);
  }

  onEvent(type: string, { sessionID, info }: EventProperties): void {
    if (type === "session.compacted" && sessionID !== undefined) this.#used.delete(sessionID);
    if (type !== "message.updated" || info?.role !== "assistant" || info.tokens === undefined) return;
    const tokens = tokensOf(info.tokens);
    const { sessionID: session = sessionID ?? "", providerID = "", modelID = "" } = info;
    // A message that has just begun has used nothing yet.
    if (tokens > 0 && this.#used.get(session)?.tokens !== tokens)
      this.#used.set(session, { tokens, model: `${providerID}/${modelID}`, added: 0 });
  }

  async afterTool({ session, tool, metadata, output }: ToolResult): Promise<string | undefined> {
    const use = this.#used.get(session);
    const { config } = this.#magnus.settings;
    const used = use === undefined ? undefined : use.tokens + use.added;
    if (outputLimit(tool, config, { used: undefined, limit: undefined }) === undefined) {
      if (use !== undefined) use.added += estimateTokens(output);
      return undefined;
    }
    const limit = use === undefined ? undefined : (await this.#limits()).get(use.model);
    const most = outputLimit(tool, config, { used, limit })!;
    const shortened = shorten(output, most);
    if (use !== undefined) use.added += Math.min(estimateTokens(output), most);
    if (shortened === undefined) return undefined;
    const { head, tail, leftOut } = shortened;
    const { outputPath } = (metadata ?? {}) as { readonly outputPath?: unknown };
    const path = typeof outputPath === "string" ? outputPath : await keep(output);
    return say("turn/shortened", { head, tail, lines: String(leftOut), tokens: String(most), path });
  }

  forget(session: string): void {
    this.#used.delete(session);
  }
}

/** Where OpenCode keeps long outputs: agents may read there, and it removes them after a week. */
async function keep(text: string): Promise<string> {
  const folder = join(
    process.env.XDG_DATA_HOME || join(homeFolder(process.env), ".local", "share"),
    "opencode",
    "tool-output",
  );
  await mkdir(folder, { recursive: true });
  const path = join(folder, `tool_${randomUUID()}`);
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

export const toolOutputTruncator = (magnus: Magnus): TurnHook => new ToolOutputTruncator(magnus);
