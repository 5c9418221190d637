// Runs the optional hooks. None of them can break a turn, or hold it up for long.

import { ContextCollector } from "../../turn/context-collector.ts";
import { type TurnHookName, turnHookNames } from "../../turn/hook-names.ts";
import { partId } from "../background/part-id.ts";
import type { ChatMessage, HookEvent, ToolAfter, ToolBefore } from "../hooks/opencode-hooks.ts";
import type { Magnus } from "../live/magnus.ts";
import { commentChecker } from "./comment-checker.ts";
import { contextInjector } from "./context-injector.ts";
import { directoryAgents } from "./directory-agents.ts";
import { firstMessageVariant } from "./first-message-variant.ts";
import { rules } from "./rules.ts";
import { todoContinuation } from "./todo-continuation.ts";
import { toolOutputTruncator } from "./tool-output-truncator.ts";
import type { EventProperties, MakeTurnHook, TurnHook } from "./turn-hook.ts";
import { ultraworkKeyword } from "./ultrawork-keyword.ts";

const makers: Readonly<Record<TurnHookName, MakeTurnHook>> = {
  "first-message-variant": firstMessageVariant,
  "ultrawork-keyword": ultraworkKeyword,
  rules,
  "directory-agents": directoryAgents,
  "comment-checker": commentChecker,
  "context-injector": contextInjector,
  "todo-continuation": todoContinuation,
  "tool-output-truncator": toolOutputTruncator,
};

/** How long one hook may hold up a turn. */
const budgetMs = 2_000;

interface TextPart {
  readonly type?: string;
  readonly text?: string;
  readonly synthetic?: boolean;
}

export class TurnHooks {
  readonly #magnus: Magnus;
  readonly #hooks: readonly { readonly name: TurnHookName; readonly hook: TurnHook }[];
  readonly #budgetMs: number;

  constructor(magnus: Magnus, { all = makers, budget = budgetMs } = {}) {
    this.#magnus = magnus;
    this.#budgetMs = budget;
    const { disabled_hooks: disabled = [] } = magnus.settings.config;
    const names = turnHookNames.filter((name) => !disabled.includes(name));
    const collector = new ContextCollector();
    this.#hooks = names.map((name) => ({ name, hook: all[name](magnus, collector) }));
  }

  async onMessage(
    { sessionID, agent }: ChatMessage["input"],
    { message, parts }: ChatMessage["output"],
  ): Promise<void> {
    const texts = (parts as TextPart[]).filter(({ type, synthetic }) => type === "text" && synthetic !== true);
    const typed = texts.map(({ text = "" }) => text).join("\n");
    const { id: messageID, model } = message;
    const about = { session: sessionID, agent: message.agent ?? agent ?? "", model, typed };
    for (const { name, hook } of this.#hooks) {
      const { text, variant } = (await this.#within(name, () => hook.onMessage?.(about))) ?? {};
      if (variant !== undefined && model !== undefined) Object.assign(model, { variant });
      // OpenCode orders parts by their ids, so it comes last.
      if (text !== undefined && messageID !== undefined)
        parts.push({ id: partId(), messageID, sessionID, type: "text", synthetic: true, text });
    }
  }

  async beforeTool({ tool, sessionID: session }: ToolBefore["input"], args: unknown): Promise<void> {
    for (const { name, hook } of this.#hooks)
      if (hook.beforeTool !== undefined) await this.#within(name, () => hook.beforeTool!({ session, tool, args }));
  }

  async afterTool({ tool, sessionID, args }: ToolAfter["input"], result: ToolAfter["output"]): Promise<void> {
    for (const { name, hook } of this.#hooks) {
      const { output, metadata } = result;
      if (typeof output !== "string" || hook.afterTool === undefined) continue;
      const changed = await this.#within(name, () =>
        hook.afterTool!({ session: sessionID, tool, args, metadata, output }),
      );
      if (changed !== undefined) result.output = changed;
    }
  }

  onEvent({ type, properties }: HookEvent): void {
    const about = (properties ?? {}) as EventProperties;
    const deleted = type === "session.deleted" ? (about.info?.id ?? about.sessionID) : undefined;
    for (const { name, hook } of this.#hooks) {
      try {
        hook.onEvent?.(type, about);
        if (deleted !== undefined) hook.forget?.(deleted);
      } catch (error) {
        this.#tell(name, error);
      }
    }
  }

  close(): void {
    for (const { hook } of this.#hooks) hook.close?.();
  }

  async #within<Result>(name: TurnHookName, act: () => Result | Promise<Result>): Promise<Result | undefined> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it took longer than ${this.#budgetMs} ms`)), this.#budgetMs);
    });
    try {
      return await Promise.race([(async () => await act())(), late]);
    } catch (error) {
      this.#tell(name, error);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  #tell(name: TurnHookName, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    this.#magnus.opencode.notify(`The hook ${name} failed: ${why}. "disabled_hooks": ["${name}"] switches it off.`);
  }
}
