// A message in a session: which agent and model it uses, and what is sent with the request.

import { lookUp } from "../../run/state.ts";
import type { Magnus } from "../live/magnus.ts";
import type { ModelName, SessionInfo } from "../live/opencode.ts";
import type { MagnusSettings, ModelParameters, TaskParameters } from "../live/settings.ts";
import type { ChatMessage, ChatParams } from "./opencode-hooks.ts";

/** The models this workflow was designed with, used where their provider is connected (`model_preset: "classic"`). */
export const classicModels: Readonly<Record<string, string>> = {
  architect: "anthropic/claude-sonnet-4-5",
  developer: "anthropic/claude-sonnet-4-5",
  backend: "anthropic/claude-sonnet-4-5",
  designer: "google/gemini-2.5-pro",
  "ui-developer": "anthropic/claude-sonnet-4-5",
  reviewer: "anthropic/claude-sonnet-4-5",
  "plan-reviewer": "anthropic/claude-sonnet-4-5",
  tester: "anthropic/claude-haiku-4-5",
  explorer: "xai/grok-4",
  cleaner: "anthropic/claude-haiku-4-5",
};

/** Their thinking budgets in tokens, for providers that support it. */
const classicThinking: Readonly<Record<string, number>> = { orchestrator: 32_000, "plan-reviewer": 16_000 };

/** A message is the first sign of a working session. */
export async function onMessage(
  magnus: Magnus,
  input: ChatMessage["input"],
  message: ChatMessage["output"]["message"],
): Promise<void> {
  const { settings, opencode } = magnus;
  const { sessionID: session } = input;
  const agent = message.agent ?? input.agent ?? "";
  magnus.agents.set(session, agent);
  const typed = magnus.typed.get(session);
  if (typed?.isSent === true) typed.isAnswered = true;
  if (typed !== undefined) typed.isSent = true;
  const found = await magnus.runs.of(session);
  const run = found?.kind === "driven" ? found.run : undefined;
  if (run !== undefined && run.root !== session) {
    const info = await opencode.session(session);
    const isReviewing = magnus.reviewing.has(session);
    if (!isReviewing) warnOfHandedDownLimits(magnus, agent, info);
    const parent = info?.parentID ?? run.root;
    const isSet = settings.agents[agent]?.model !== undefined;
    const preset = settings.config.model_preset === "classic" ? classicModels[settings.roleOf(agent) ?? ""] : undefined;
    const now = nameOf(message.model);
    const mayChoose = !isReviewing && !settings.config.disabled_hooks?.includes("models");
    if (mayChoose && (isSet || preset !== undefined)) {
      const connected = await opencode.models();
      const model = chooseModel({ now, isSet, preset, parent: nameOf(magnus.models.get(parent)), connected });
      if (model !== undefined) {
        const slash = model.indexOf("/");
        message.model = { providerID: model.slice(0, slash), modelID: model.slice(slash + 1) };
        if (isSet) opencode.notify(`${agent}'s model ${now} is not connected; it uses ${model} instead.`);
      }
    }
    await run.join({ session, parent, agent, model: nameOf(message.model) });
  }
  if (message.model !== undefined) magnus.models.set(session, message.model);
}

function nameOf(model: ModelName | undefined): string | undefined {
  return model === undefined ? undefined : `${model.providerID}/${model.modelID}`;
}

interface Choices {
  /** What OpenCode would use, as `provider/model`. */
  readonly now: string | undefined;
  /** Whether the settings name a model for this agent. */
  readonly isSet: boolean;
  /** What the preset has for this agent, if one is on. */
  readonly preset: string | undefined;
  /** The model of the session that delegated. */
  readonly parent: string | undefined;
  readonly connected: ReadonlySet<string>;
}

/** The model to use instead; undefined to keep the current one, or if there is nothing better. */
export function chooseModel({ now, isSet, preset, parent, connected }: Choices): string | undefined {
  if (!isSet && preset !== undefined && connected.has(preset)) return preset === now ? undefined : preset;
  if (now === undefined || connected.has(now)) return undefined;
  return parent !== undefined && connected.has(parent) ? parent : undefined;
}

const warned = new WeakSet<Magnus>();

/**
 * Some versions of OpenCode (seen in 1.15.4, 1.15.13 and 1.17.0) pass an agent's denials on to the agents it delegates to. The
 * orchestrator may not change code, so no agent below it can either. The gates still hold; the person is warned once.
 */
function warnOfHandedDownLimits(magnus: Magnus, agent: string, session: SessionInfo | undefined): void {
  const isLimited = (session?.permission ?? []).some(
    ({ permission, pattern, action }) => permission === "edit" && pattern === "*" && action === "deny",
  );
  const edit = magnus.settings.agents[agent]?.permission?.edit;
  const mayEdit = typeof edit === "object" ? Object.values(edit).includes("allow") : edit === "allow";
  if (warned.has(magnus) || !isLimited || !mayEdit) return;
  warned.add(magnus);
  const which = session?.version === undefined ? "This OpenCode" : `OpenCode ${session.version}`;
  magnus.opencode.notify(
    `${which} passes the orchestrator's limits on to other agents, so the agents that build cannot change files. Use 1.17.11 or later.`,
  );
}

/** Adds the configured parameters to a model request, if the provider supports them. `ofTask`: of the category of its task. */
export function setParameters(
  settings: Pick<MagnusSettings, "config" | "parameters" | "roleOf">,
  { agent, model }: ChatParams["input"],
  output: ChatParams["output"],
  ofTask: TaskParameters = {},
): void {
  const { config, parameters } = settings;
  if (config.disabled_hooks?.includes("parameters")) return;
  // Settings override the preset.
  const budgetTokens = config.model_preset === "classic" ? classicThinking[settings.roleOf(agent) ?? ""] : undefined;
  const preset = budgetTokens === undefined ? undefined : ({ type: "enabled", budgetTokens } as const);
  const ofAgent: TaskParameters = lookUp(parameters, agent) ?? {};
  const { maxTokens, thinking = preset, reasoningEffort, temperature, top_p } = { ...ofAgent, ...ofTask };
  if (temperature !== undefined) output.temperature = temperature;
  if (top_p !== undefined) output.topP = top_p;
  if (maxTokens !== undefined) output.maxOutputTokens = maxTokens;
  const kind = thinkingKind(model);
  if (thinking !== undefined && kind !== undefined) Object.assign(output.options, kind(thinking));
  else if (reasoningEffort !== undefined && kind !== anthropic) output.options.reasoningEffort = reasoningEffort;
}

type Thinking = NonNullable<ModelParameters["thinking"]>;
type ThinkingKind = (thinking: Thinking) => Readonly<Record<string, unknown>>;

const anthropic: ThinkingKind = (thinking) => ({ thinking });
const google: ThinkingKind = ({ type, budgetTokens }) => ({
  thinkingConfig: type === "disabled" ? { thinkingBudget: 0 } : { includeThoughts: true, thinkingBudget: budgetTokens },
});

/** The providers whose models take a thinking budget, by the library that OpenCode uses for them. */
const thinkingKinds: Readonly<Record<string, ThinkingKind>> = {
  "@ai-sdk/anthropic": anthropic,
  "@ai-sdk/google-vertex/anthropic": anthropic,
  "@ai-sdk/google": google,
  "@ai-sdk/google-vertex": google,
  "@ai-sdk/amazon-bedrock": (thinking) => ({ reasoningConfig: thinking }),
  "@ai-sdk/alibaba": ({ type, budgetTokens }) => ({ enableThinking: type === "enabled", thinkingBudget: budgetTokens }),
  "@openrouter/ai-sdk-provider": ({ type, budgetTokens }) => ({
    reasoning: type === "disabled" ? { enabled: false } : { max_tokens: budgetTokens },
  }),
};

function thinkingKind(model: ChatParams["input"]["model"]): ThinkingKind | undefined {
  const { providerID = "", api } = model ?? {};
  const { npm = "", id = "" } = api ?? {};
  // A gateway passes on what the model's own provider takes.
  if (npm === "@ai-sdk/gateway")
    return id.startsWith("anthropic/") ? anthropic : id.startsWith("google/") ? google : undefined;
  // On Bedrock, only Anthropic's models have a budget.
  if (npm === "@ai-sdk/amazon-bedrock" && !/anthropic|claude/.test(id)) return undefined;
  return lookUp(thinkingKinds, npm) ?? (/anthropic/.test(`${providerID} ${npm}`) ? anthropic : undefined);
}
