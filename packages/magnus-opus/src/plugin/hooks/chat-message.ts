// The first thing that is known of a session at work: who speaks in it, and with which model.
import { chooseModel } from "../agents/choose-model.ts";
import { classicModels } from "../agents/classic-models.ts";
import { tellOfHandedDownLimits } from "../live/handed-down-limits.ts";
import type { Magnus } from "../live/magnus.ts";
import type { ModelName } from "../live/opencode.ts";
import type { ChatMessage } from "./opencode-hooks.ts";

type Message = ChatMessage["output"]["message"];

export async function onMessage(magnus: Magnus, input: ChatMessage["input"], message: Message): Promise<void> {
  const { sessionID: session } = input;
  const agent = message.agent ?? input.agent ?? "";
  magnus.agents.set(session, agent);
  const found = await magnus.runs.of(session);
  const run = found?.kind === "driven" ? found.run : undefined;
  if (run !== undefined && run.root !== session) {
    const info = await magnus.opencode.session(session);
    tellOfHandedDownLimits(magnus, agent, info);
    const parent = info?.parentID ?? run.root;
    await adaptModel(magnus, agent, message, magnus.models.get(parent));
    const model = nameOf(message.model);
    await run.join({ session, parent, agent, ...(model !== undefined && { model }) });
  }
  if (message.model !== undefined) magnus.models.set(session, message.model);
}

async function adaptModel(
  magnus: Magnus,
  agent: string,
  message: Message,
  parent: ModelName | undefined,
): Promise<void> {
  const { settings, opencode } = magnus;
  if (settings.config.disabled_hooks?.includes("models")) return;
  const isSet = settings.agents[agent]?.model !== undefined;
  const preset = settings.config.model_preset === "classic" ? classicModels[agent] : undefined;
  if (!isSet && preset === undefined) return;
  const connected = await opencode.models();
  const now = nameOf(message.model);
  const model = chooseModel({ now, isSet, preset, parent: nameOf(parent), connected });
  if (model === undefined) return;
  message.model = modelNamed(model);
  if (isSet) opencode.tell(`The model ${now} of ${agent} is not connected; it uses ${model}.`);
}

function nameOf(model: ModelName | undefined): string | undefined {
  return model === undefined ? undefined : `${model.providerID}/${model.modelID}`;
}

function modelNamed(model: string): ModelName {
  const at = model.indexOf("/");
  return { providerID: model.slice(0, at), modelID: model.slice(at + 1) };
}
