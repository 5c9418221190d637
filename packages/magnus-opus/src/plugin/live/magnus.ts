// Magnus Opus in one folder of one OpenCode: what the hooks, tools and commands share.
import type { PluginContext } from "@atomic/workflows/internal/plugin/opencode-config";
import { SerialQueue } from "../../sessions/serial-queue.ts";
import { type Workplace, workplaceOf } from "../../sessions/workplace.ts";
import { AgentPrograms } from "./agent-programs.ts";
import { OpenCalls, ShownPrompts } from "./calls.ts";
import { type ModelName, OpencodeApi } from "./opencode.ts";
import { MagnusRuns } from "./project-runs.ts";
import { MagnusSettings } from "./settings.ts";

export interface TypedCommand {
  readonly command: string;
  readonly arguments: string;
  /** Its own message has been sent. */
  isSent?: boolean;
  /** The user has said something else since. */
  isAnswered?: boolean;
}

export class Magnus {
  readonly context: PluginContext;
  readonly settings: MagnusSettings;
  readonly opencode: OpencodeApi;
  readonly workplace: Workplace;
  readonly runs: MagnusRuns;
  /** OpenCode does not wait for event listeners, so every decision first waits until all events are handled. */
  readonly events: SerialQueue = new SerialQueue();
  /** The agent in each session. */
  readonly agents: Map<string, string> = new Map();
  readonly models: Map<string, ModelName> = new Map();
  readonly calls: OpenCalls = new OpenCalls();
  readonly programs: AgentPrograms = new AgentPrograms();
  /** A command to start a run, as a person typed it in a session. */
  readonly typed: Map<string, TypedCommand> = new Map();

  /** A session's background tasks, for its status. They are loaded when they are first used. */
  taskLines: (session: string) => readonly string[] = () => [];

  readonly prompts: ShownPrompts = new ShownPrompts();

  constructor(context: PluginContext) {
    this.context = context;
    this.settings = new MagnusSettings(context);
    this.opencode = new OpencodeApi(context);
    this.workplace = workplaceOf(context);
    this.runs = new MagnusRuns(this.workplace, this.opencode);
  }

  /** Why an agent may have typed a command; undefined if nothing suggests it. OpenCode's port cannot tell programs from people. */
  whyDoubted(id: string): string | undefined {
    const call = this.calls.find(id);
    if (call === undefined) return this.programs.doubt(this.runs.ids());
    const { agent, tool, session, run } = call;
    const whose = run === id ? "" : ` for the run ${run}`;
    return `typed while ${agent || "an agent"} was using the shell${whose} (${tool} in ${session})`;
  }
}
