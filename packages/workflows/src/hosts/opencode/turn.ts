// What the events of a server mean for one turn. Pure: it asks nobody anything.
import { isAbsolute } from "node:path";
import { canonicalToolNames } from "../../entities/normalize/tool-names.ts";
import type { Usage } from "../../run/budget.ts";
import type { Json } from "../../run/json.ts";
import type { HostEvent, PermissionEvent } from "../host.ts";
import type { StoredMessage } from "./client.ts";
import type { OpencodeEvent } from "./event.ts";
import { amount, type Loose, object, text } from "./loose.ts";
import { keyOf } from "./messages.ts";

export type Asked = Omit<PermissionEvent, "answer" | "type">;

export type TurnNews =
  | { readonly kind: "event"; readonly event: Exclude<HostEvent, PermissionEvent> }
  | { readonly kind: "asked"; readonly asked: Asked }
  /** The session is idle: it may be over. */
  | { readonly kind: "idle" }
  /** `isSure` if it is about this turn, and not the echo of one before. */
  | { readonly kind: "failed"; readonly error: Loose; readonly isSure: boolean }
  | { readonly kind: "delayed"; readonly status: Loose };

export class Turn {
  readonly #session: string;
  readonly #key: string;
  readonly #fromFolder: (path: string) => string;
  #hasBegun = false;
  readonly #replies = new Set<string>();
  /** What has been told of each piece of text. */
  readonly #texts = new Map<string, string>();
  readonly #tools = new Map<string, { readonly name: string; isRunning: boolean; hasEnded: boolean }>();
  /** What is told only once: permissions and steps. */
  readonly #told = new Set<string>();

  /** @param fromFolder A path from OpenCode's root, as it is from the folder that the agent works in. */
  constructor(session: string, key: string, fromFolder: (path: string) => string = (path) => path) {
    this.#session = session;
    this.#key = key;
    this.#fromFolder = fromFolder;
  }

  take({ type, session, properties }: OpencodeEvent): TurnNews[] {
    if (type === "permission.asked") return this.#asked(properties);
    const part = object(properties.part);
    // Of sub-agents, only what they cost.
    if (session !== this.#session) return part.type === "step-finish" ? this.#used(part) : [];
    if (type === "session.error") {
      return [{ kind: "failed", error: object(properties.error), isSure: this.#hasBegun }];
    }
    if (type === "message.part.updated" && keyOf(part) === this.#key) this.#hasBegun = true;
    return this.#hasBegun ? this.#takeOwn(type, properties, part) : [];
  }

  /** What is stored of the turn, which may be more than events have told. */
  catchUp(messages: readonly StoredMessage[]): TurnNews[] {
    this.#hasBegun = true;
    return messages.flatMap(({ info, parts }) => {
      this.#reply(info);
      return parts.flatMap((part) => this.#part(part));
    });
  }

  #takeOwn(type: string, properties: Loose, part: Loose): TurnNews[] {
    switch (type) {
      case "message.updated":
        this.#reply(object(properties.info));
        return [];
      case "message.part.updated":
        return this.#part(part);
      case "message.part.delta":
        return this.#delta(properties);
      case "session.status": {
        const status = object(properties.status);
        return status.type === "retry" ? [{ kind: "delayed", status }] : [];
      }
      case "session.idle":
        return [{ kind: "idle" }];
      default:
        return [];
    }
  }

  #reply({ id, role, summary }: Loose): void {
    if (role === "assistant" && summary !== true && typeof id === "string") this.#replies.add(id);
  }

  #part(part: Loose): TurnNews[] {
    if (!this.#replies.has(text(part.messageID) ?? "")) return [];
    if (part.type === "text") return this.#text(text(part.id) ?? "", text(part.text) ?? "");
    if (part.type === "tool") return this.#tool(part);
    return part.type === "step-finish" ? this.#used(part) : [];
  }

  /** Pieces come first, the whole text last. If pieces were missed, the end of the turn tells the text. */
  #text(id: string, whole: string): TurnNews[] {
    const told = this.#texts.get(id) ?? "";
    if (!whole.startsWith(told)) return [];
    this.#texts.set(id, whole);
    return said(whole.slice(told.length));
  }

  #delta({ partID, field, delta }: Loose): TurnNews[] {
    const told = this.#texts.get(text(partID) ?? "");
    // Thoughts come in pieces, too, but are not known as a text.
    if (told === undefined || field !== "text" || typeof delta !== "string") return [];
    this.#texts.set(String(partID), told + delta);
    return said(delta);
  }

  #tool(part: Loose): TurnNews[] {
    const id = text(part.callID) ?? "";
    const known = this.#tools.get(id);
    const tool = known ?? { name: toolName(text(part.tool) ?? ""), isRunning: false, hasEnded: false };
    this.#tools.set(id, tool);
    const { status, input, output, error } = object(part.state);
    const news: TurnNews[] = [];
    if (status !== "pending" && !tool.isRunning) {
      tool.isRunning = true;
      news.push(told({ type: "tool-started", id, tool: tool.name, input: object(input) as Json }));
    }
    if ((status === "completed" || status === "error") && !tool.hasEnded) {
      tool.hasEnded = true;
      const ok = status === "completed";
      news.push(told({ type: "tool-ended", id, tool: tool.name, ok, output: text(ok ? output : error) ?? "" }));
    }
    return news;
  }

  #used(part: Loose): TurnNews[] {
    return this.#isNew(part.id) ? [told({ type: "usage", usage: usageOf(part) })] : [];
  }

  #asked({ id, permission, patterns, metadata, tool }: Loose): TurnNews[] {
    if (typeof id !== "string" || !this.#isNew(id)) return [];
    const { command, filepath } = object(metadata);
    const name = text(permission) ?? "";
    const paths = (Array.isArray(patterns) ? patterns : []).map(String);
    const isAboutFiles = name === "read" || name === "edit";
    const about = (isAboutFiles ? paths.map(this.#fromFolder) : paths).join(", ");
    // One permission covers all tools that change files.
    const caller = name === "edit" ? this.#tools.get(text(object(tool).callID) ?? "")?.name : undefined;
    const given = text(filepath);
    const detail = text(command) ?? (given === undefined || (isAboutFiles && !isAbsolute(given)) ? about : given);
    return [{ kind: "asked", asked: { id, tool: caller ?? toolName(name), detail } }];
  }

  #isNew(id: unknown): boolean {
    if (typeof id !== "string" || this.#told.has(id)) return false;
    this.#told.add(id);
    return true;
  }
}

function said(text: string): TurnNews[] {
  return text === "" ? [] : [told({ type: "text", text })];
}

function told(event: Exclude<HostEvent, PermissionEvent>): TurnNews {
  return { kind: "event", event };
}

function toolName(name: string): string {
  return canonicalToolNames(name, "opencode")[0] ?? name;
}

function usageOf({ cost, tokens }: Loose): Usage {
  const { input, output, reasoning, cache } = object(tokens);
  const { read, write } = object(cache);
  return {
    usd: amount(cost),
    inputTokens: amount(input) + amount(read) + amount(write),
    outputTokens: amount(output) + amount(reasoning),
  };
}
