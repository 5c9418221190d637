// What the plugin does in OpenCode's sessions. Loaded with the first message, command or call, so OpenCode starts without it.
import { sep } from "node:path";
import type { PluginContext } from "@atomic/workflows/internal/plugin/opencode-config";
import { isOnPath } from "../on-path.ts";
import { packageRoot } from "../package-root.ts";
import { offerCommands } from "../run/person-commands.ts";
import type { Call } from "./approval/ask-person.ts";
import { backgroundOf, readyBackgroundOf, usedBackgroundOf } from "./background/loaded.ts";
import { beforeCommand } from "./hooks/command-before.ts";
import { closeEndedCall, handledEvents, onEvent } from "./hooks/event.ts";
import { onMessage, setParameters } from "./hooks/messages.ts";
import type {
  ChatMessage,
  ChatParams,
  CommandBefore,
  HookEvent,
  ShellEnv,
  ToolAfter,
  ToolBefore,
} from "./hooks/opencode-hooks.ts";
import { afterTool, beforeTool, markShell } from "./hooks/tool-calls.ts";
import { Magnus } from "./live/magnus.ts";
import type { MagnusSettings } from "./live/settings.ts";
import type { MagnusTool } from "./tools/tool.ts";
import { tools } from "./tools/tools.ts";
import { readyTurnHooksOf, turnHooksOf } from "./turn/loaded.ts";

/** What OpenCode passes to a tool. */
export interface ToolCallContext extends Omit<Call, "id" | "session"> {
  readonly sessionID: string;
  readonly callID: string;
}

export class SessionHooks {
  readonly #magnus: Magnus;

  constructor(context: PluginContext, settings: MagnusSettings) {
    this.#magnus = new Magnus(context, settings);
    this.#magnus.doctor = async () => (await import("./doctor/doctor-words.ts")).doctorWords(context);
    offerCommands({
      commands: isOnPath("magnus-opus", process.env.PATH) ? "shell" : "opencode",
      update: updateOf(packageRoot, settings.userFolder),
    });
  }

  /** An earlier process left tasks. */
  restoreTasks(): Promise<void> {
    return this.#orTell("restoring background tasks", async () => void (await backgroundOf(this.#magnus)));
  }

  schemaOf(name: string): object {
    return toolNamed(name).schema;
  }

  async runTool(
    name: string,
    args: unknown,
    { sessionID, callID, agent, abort, ask }: ToolCallContext,
  ): Promise<object> {
    const tool = toolNamed(name);
    const output = await tool.run(this.#magnus, args, { id: callID, session: sessionID, agent, abort, ask });
    const title = tool.title(this.#magnus.runs.known(sessionID)?.state, args, this.#magnus);
    // Its terminal shows the names of tools that it does not know, not their titles.
    if (name === "magnus_start" || name === "magnus_next") this.#magnus.opencode.show(title, "info");
    return { title, output };
  }

  async beforeTool(input: ToolBefore["input"], { args }: ToolBefore["output"]): Promise<void> {
    await beforeTool(this.#magnus, input, args);
    await readyTurnHooksOf(this.#magnus)?.beforeTool(input, args);
  }

  afterTool(input: ToolAfter["input"], output: ToolAfter["output"]): Promise<void> {
    return this.#orTell("checking what a tool did", async () => {
      await afterTool(this.#magnus, input, output);
      await readyTurnHooksOf(this.#magnus)?.afterTool(input, output);
    });
  }

  async onMessage(input: ChatMessage["input"], output: ChatMessage["output"]): Promise<void> {
    const { message, parts } = output;
    // They see what was said before results are added to it.
    await this.#orTell("loading the optional hooks", async () =>
      (await turnHooksOf(this.#magnus)).onMessage(input, output),
    );
    await this.#orTell("handling a message", () => onMessage(this.#magnus, input, message));
    await this.#orTell("handing over background results", async () =>
      (await usedBackgroundOf(this.#magnus))?.onMessage(input.sessionID, message, parts),
    );
  }

  setParameters(input: ChatParams["input"], output: ChatParams["output"]): void {
    setParameters(this.#magnus.settings, input, output, this.#magnus.taskParameters.get(input.sessionID ?? ""));
  }

  beforeCommand(input: CommandBefore["input"], { parts }: CommandBefore["output"]): Promise<void> {
    return beforeCommand(this.#magnus, input, parts);
  }

  markShell(input: ShellEnv["input"], output: ShellEnv["output"]): void {
    markShell(this.#magnus, input, output);
  }

  async onEvent(event: HookEvent): Promise<void> {
    const magnus = this.#magnus;
    closeEndedCall(magnus, event);
    readyBackgroundOf(magnus)?.onEvent(event.type, event.properties);
    readyTurnHooksOf(magnus)?.onEvent(event);
    if (handledEvents.has(event.type))
      await this.#orTell("handling an event", () => magnus.events.run(() => onEvent(magnus, event)));
  }

  async close(): Promise<void> {
    readyTurnHooksOf(this.#magnus)?.close();
    await readyBackgroundOf(this.#magnus)?.close();
    await this.#magnus.runs.close();
  }

  #orTell(what: string, act: () => Promise<void>): Promise<void> {
    return act().catch((error: unknown) => this.#magnus.opencode.notify(`${what} failed: ${error}`));
  }
}

/** How Hugo updates a package in this folder; undefined if it is not one of Hugo's. */
export function updateOf(root: string, userFolder: string): string | undefined {
  if (root.startsWith(userFolder + sep)) return "hugo update magnus-opus --global";
  return root.split(sep).includes(".opencode") ? "hugo update magnus-opus" : undefined;
}

function toolNamed(name: string): MagnusTool {
  return tools.find((tool) => tool.name === name)!;
}
