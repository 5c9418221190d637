// Who decides about a tool call. Claude asks us only where its settings say nothing and it sees no harm itself, so its rules,
// its hooks and its own list of harmless commands would all come before the policy of the run. Two things put the policy first:
// a hook of ours, which is asked before all of these, and rules that make Claude ask even if nobody answers that hook.
import { staysInside } from "../own-files.ts";
import type { ToolDecision } from "./sdk.ts";
import { canonicalTool } from "./tools.ts";

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Claude's own flow, in which its settings have a say, is enough for these: they look, or note something down. */
const harmless: ReadonlySet<string> = new Set(
  [
    "AskUserQuestion EnterPlanMode ExitPlanMode Glob Grep LS LSP ListAgents NotebookRead Read ReportFindings",
    "BashOutput TaskCreate TaskGet TaskList TaskOutput TaskUpdate TodoRead TodoWrite ToolSearch",
  ].flatMap((line) => line.split(" ")),
);
const harmful = "Agent Bash Edit NotebookEdit PowerShell Skill Task WebFetch WebSearch Workflow Write".split(" ");

/** Rules of the highest rank: of all that settings say about a tool, a denial counts most, and then a question. */
export const askingSettings: Readonly<Record<string, unknown>> = { permissions: { ask: harmful } };

/** In seconds. A person may take days, and the timers of a runtime end after 24. */
const patience = 2_000_000;

/** The options of the SDK by which `decide` is asked about every call that could do harm. */
export function gateHooks(
  folder: string,
  decide: (call: ToolCall) => Promise<ToolDecision>,
  others: Readonly<Record<string, readonly unknown[]>> = {},
): Readonly<Record<string, unknown>> {
  const hook = async (call: HookInput): Promise<HookOutput> => {
    const { tool_use_id: id, tool_name: name, tool_input: input } = call;
    if (await isHarmless(folder, call)) return {};
    const decision = await decide({ id, name, input });
    return {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: decision.behavior,
        ...(decision.behavior === "deny" && { permissionDecisionReason: decision.message }),
      },
    };
  };
  return { ...others, PreToolUse: [...(others.PreToolUse ?? []), { timeout: patience, hooks: [hook] }] };
}

async function isHarmless(folder: string, { tool_name: name, tool_input: input }: HookInput): Promise<boolean> {
  // A path that cannot be followed, whatever the reason, is for the policy.
  return harmless.has(name) && (await staysInside(folder, canonicalTool(name), input).catch(() => false));
}

interface HookInput {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly tool_use_id: string;
}

interface HookOutput {
  readonly hookSpecificOutput?: {
    readonly hookEventName: "PreToolUse";
    readonly permissionDecision: "allow" | "deny";
    readonly permissionDecisionReason?: string;
  };
}
