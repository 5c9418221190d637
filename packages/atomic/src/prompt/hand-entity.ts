// A command, a skill or an agent for the host: by its name if the host reads its file, and otherwise as the text it
// stands for, unless that would allow more than the file does.
import { safeLine } from "@atomic/terminal/safe-text";
import type { Entity } from "@atomic/workflows/internal/entities/entity";
import type { EntityRegistry } from "@atomic/workflows/internal/entities/registry";
import type { PromptSession } from "./enter-line.ts";
import { hostTitle } from "./line/host-command.ts";
import { handOver } from "./processes.ts";

export async function handEntity(
  session: PromptSession,
  entity: Entity,
  args: string,
  registry: EntityRegistry,
): Promise<string | undefined> {
  const [{ loadVerdicts }, { expandArguments }] = await Promise.all([
    import("@atomic/workflows/internal/entities/tools/load-verdicts"),
    import("@atomic/workflows/internal/entities/arguments"),
  ]);
  const { host } = session;
  const { type, displayName, disabledBecause, restrictions, source } = entity;
  const title = hostTitle(host);
  if (disabledBecause !== undefined)
    return `The ${type} ${safeLine(displayName)} cannot be used: ${safeLine(disabledBecause)}`;
  const verdict = loadVerdicts(entity, registry.entries()).find(({ tool }) => tool === host);
  const isRead = verdict?.loads === true && verdict.as !== undefined;
  if (type === "agent") {
    if (!isRead)
      return `${title} does not have the agent ${safeLine(displayName)}: ${safeLine(verdict?.because ?? "")} /host chooses another host.`;
    return await handOver(session, { agent: verdict.as, text: args === "" ? undefined : args });
  }
  if (isRead) return await handOver(session, { text: `/${verdict.as} ${args}`.trimEnd() });
  if (restrictions.allow !== undefined || restrictions.deny !== undefined || restrictions.ask !== undefined) {
    return `${title} does not read the ${type} ${safeLine(displayName)}, and would ignore the limits in its file. /host chooses another host.`;
  }
  const text = expandArguments(entity.prompt, args, { provider: source.provider, names: entity.argumentNames });
  return await handOver(session, { text });
}
