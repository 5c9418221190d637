// Magnus Opus in one folder of one OpenCode: what the hooks, tools and commands share.
import type { PluginContext } from "@atomic/workflows/internal/plugin/opencode-config";
import { type Workplace, workplaceOf } from "../../sessions/workplace.ts";
import { AgentPrograms } from "./agent-programs.ts";
import { OpenCalls } from "./open-calls.ts";
import { type ModelName, Opencode } from "./opencode.ts";
import { Prompts } from "./prompts.ts";
import { Runs } from "./runs.ts";
import { Settings } from "./settings.ts";
import { Turns } from "./turns.ts";

export class Magnus {
  readonly settings: Settings;
  readonly opencode: Opencode;
  readonly workplace: Workplace;
  readonly runs: Runs;
  /** OpenCode does not wait for those who hear of its events. Whoever decides waits until all are dealt with. */
  readonly events: Turns = new Turns();
  /** Who speaks in a session. */
  readonly agents: Map<string, string> = new Map();
  readonly models: Map<string, ModelName> = new Map();
  readonly calls: OpenCalls = new OpenCalls();
  readonly programs: AgentPrograms = new AgentPrograms();
  /** A command to start a run, as a person typed it in a session. */
  readonly typed: Map<string, { readonly command: string; readonly arguments: string }> = new Map();

  readonly prompts: Prompts = new Prompts();

  constructor(context: PluginContext) {
    this.settings = new Settings(context);
    this.opencode = new Opencode(context);
    this.workplace = workplaceOf(context);
    this.runs = new Runs(this.workplace, this.opencode);
  }
}
