// Magnus Opus in one folder of one OpenCode: what the hooks, tools and commands share.
import type { PluginContext } from "@atomic/workflows/internal/plugin/opencode-config";
import { SerialQueue } from "../../sessions/serial-queue.ts";
import { type Workplace, workplaceOf } from "../../sessions/workplace.ts";
import { AgentPrograms } from "./agent-programs.ts";
import { OpenCalls, ShownPrompts } from "./calls.ts";
import { type ModelName, OpencodeApi } from "./opencode.ts";
import { MagnusRuns } from "./project-runs.ts";
import { MagnusSettings, type TaskParameters } from "./settings.ts";

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
  /** Sessions that review for `magnus_review`: each on the model it was launched for, and without writing files. */
  readonly reviewing: Set<string> = new Set();
  /** Sessions that were stopped here, not by a person. */
  readonly stoppedHere: Set<string> = new Set();
  /** Of sessions that were delegated by category. */
  readonly taskParameters: Map<string, TaskParameters> = new Map();
  readonly calls: OpenCalls = new OpenCalls();
  readonly programs: AgentPrograms = new AgentPrograms();
  /** A command to start a run, as a person typed it in a session. */
  readonly typed: Map<string, TypedCommand> = new Map();

  /** A session's background tasks, for its status. They are loaded when they are first used. */
  taskLines: (session: string) => readonly string[] = () => [];

  /** Stops them, and says which; undefined if none is open. */
  stopTasks: (session: string) => string | undefined = () => undefined;

  /** What works and what does not, for `/magnus-doctor`. Loaded when it is first used. */
  doctor: () => Promise<string> = async () => "";

  readonly prompts: ShownPrompts = new ShownPrompts();

  constructor(context: PluginContext, settings: MagnusSettings = new MagnusSettings(context)) {
    this.context = context;
    this.settings = settings;
    this.opencode = new OpencodeApi(context);
    this.workplace = workplaceOf(context);
    this.runs = new MagnusRuns(this.workplace, this.opencode, this.settings);
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
