// A child session of the calling one, launched as a background task. Inside a run it belongs to the run, so every gate applies.
import type { Call } from "../approval/ask-person.ts";
import type { Magnus } from "../live/magnus.ts";
import type { ModelName, ResolvedRule } from "../live/opencode.ts";
import type { TaskParameters } from "../live/settings.ts";
import type { BackgroundTasks } from "./background-tasks.ts";
import { speakerOf, type TaskAgent, type TaskSession } from "./task-client.ts";

export interface ChildContext {
  readonly magnus: Magnus;
  readonly background: BackgroundTasks;
  readonly call: Call;
}

export interface ChildTask {
  /** From the calling session up to the one that a person uses. */
  readonly chain: readonly TaskSession[];
  readonly agent: TaskAgent;
  readonly description: string;
  readonly prompt: string;
  readonly model: ModelName | undefined;
  readonly variant?: string | undefined;
  readonly system?: string | undefined;
  /** It reviews: the settings do not replace its model, and it writes no file. */
  readonly isReviewing?: boolean;
  readonly isAwaited: boolean;
  /** Of its requests, as its category says. */
  readonly parameters?: { readonly [Name in keyof TaskParameters]: TaskParameters[Name] | undefined };
  /** An ended task that gets another turn, with its last message before it. */
  readonly resumed?: { readonly session: string; readonly turn: number; readonly after: string } | undefined;
}

/** The child's session; undefined if the user has stopped the agents meanwhile. */
export async function launchChild(
  { magnus, background, call }: ChildContext,
  {
    chain,
    agent,
    description,
    prompt,
    model,
    variant,
    system,
    isReviewing = false,
    isAwaited,
    parameters,
    resumed,
  }: ChildTask,
): Promise<string | undefined> {
  const parent = chain[0]!;
  const session =
    resumed?.session ??
    (await background.client.create({
      ...{
        parentID: call.session,
        agent: agent.name,
        permission: childPermission(parent, agent, isReviewing ? ["edit"] : []),
      },
      title: `${description} (@${agent.name} background)`,
    }));
  if (call.abort.aborted) return undefined;
  if (isReviewing) magnus.reviewing.add(session);
  if (parameters !== undefined) {
    const said = Object.entries(parameters).filter(([, value]) => value !== undefined);
    magnus.taskParameters.set(session, Object.fromEntries(said));
  }
  const name = model === undefined ? "" : `${model.providerID}/${model.modelID}`;
  const found = await magnus.runs.of(call.session);
  if (found?.kind === "driven")
    await found.run.join({ session, parent: call.session, agent: agent.name, ...(name !== "" && { model: name }) });
  await background.launch(
    {
      ...{ id: session, turn: (resumed?.turn ?? 0) + 1, parent: call.session, root: chain.at(-1)!.id },
      ...{ depth: chain.length, agent: agent.name, description, model: name, after: resumed?.after ?? "" },
    },
    { agent: agent.name, model, variant, system, parts: [{ type: "text", text: prompt }] },
    { isAwaited, by: speakerOf(parent) ?? { agent: call.agent, model: magnus.models.get(call.session) } },
  );
  return session;
}

/** As OpenCode's own `task` does: what the parent's session may not do, and no todos or tasks unless the agent says so. */
function childPermission(
  { permission: above = [] }: TaskSession,
  { permission }: TaskAgent,
  more: readonly string[],
): readonly ResolvedRule[] {
  const own: readonly ResolvedRule[] = Array.isArray(permission) ? permission : [];
  const denied = ["todowrite", "task"].filter((name) => !own.some((rule) => rule.permission === name));
  return [
    ...above.filter(({ permission: name, action }) => name === "external_directory" || action === "deny"),
    ...[...denied, ...more].map((name) => ({ permission: name, pattern: "*", action: "deny" })),
  ];
}
