// The tools for background tasks. OpenCode does not check arguments, so they are checked here.
import { join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { count } from "@atomic/terminal/count";
import { didYouMean } from "@atomic/terminal/suggest";
import * as z from "zod/mini";
import { whyNotLaunch } from "../../background/next.ts";
import { type BackgroundTask, isOpen, openBelow } from "../../background/task.ts";
import { categoryNames, categoryOf } from "../../delegate/category.ts";
import { withoutBlanks } from "../../delegate/without-blanks.ts";
import { packageRoot } from "../../package-root.ts";
import { list, say, words } from "../../words/template.ts";
import type { Call } from "../approval/ask-person.ts";
import type { Magnus } from "../live/magnus.ts";
import type { ModelName } from "../live/opencode.ts";
import { skillTexts } from "../setup/configure-agents.ts";
import { type ChildContext, launchChild } from "./launch-child.ts";
import { backgroundOf } from "./loaded.ts";
import { speakerOf, type TaskAgent, type TaskSession } from "./task-client.ts";
import { resultWords, taskLine } from "./task-words.ts";

const said = z.string().check(z.regex(/\S/, { error: "is empty" }));
const id = z.string().check(z.startsWith("ses", { error: "is not a task id: these begin with ses" }));

const delegation = z.strictObject({
  description: said,
  prompt: said,
  category: z.nullish(z.string()),
  subagent_type: z.nullish(z.string()),
  run_in_background: z.boolean(),
  skills: z.nullable(z.array(z.string())),
  resume: z.nullish(id),
});
const simple = z.strictObject({ description: said, prompt: said, agent: said });
const output = z.strictObject({
  task_id: id,
  wait: z.nullish(z.boolean()),
  timeout_seconds: z.nullish(z.number().check(z.gt(0))),
  detail: z.nullish(z.enum(["short", "whole", "summary"])),
});
const cancellation = z.strictObject({ task_id: z.nullish(id), all: z.nullish(z.boolean()) });

/** Long enough for most tasks; a model that needs more asks again. */
const waitSeconds = 600;
const shortText = 6_000;

export async function runBackgroundTool(name: string, magnus: Magnus, given: unknown, call: Call): Promise<string> {
  const background = await backgroundOf(magnus);
  const args = withoutBlanks(given);
  const context = { magnus, background, call };
  switch (name) {
    case "delegate_task": {
      const read = z.safeParse(delegation, args);
      return read.success ? await delegate(context, read.data) : wrongArguments(name, read.error);
    }
    case "background_task": {
      const read = z.safeParse(simple, args);
      if (!read.success) return wrongArguments(name, read.error);
      const { agent: subagent_type, ...rest } = read.data;
      return await delegate(context, { ...rest, subagent_type, run_in_background: true, skills: null });
    }
    case "background_output": {
      const read = z.safeParse(output, args);
      return read.success ? await show(context, read.data) : wrongArguments(name, read.error);
    }
    case "background_cancel": {
      const read = z.safeParse(cancellation, args);
      return read.success ? cancel(context, read.data) : wrongArguments(name, read.error);
    }
    default:
      return listTasks(context);
  }
}

function wrongArguments(tool: string, { issues }: z.core.$ZodError): string {
  const lines = issues.map((issue) => {
    const at = issue.path.join(".") || (issue.code === "unrecognized_keys" ? issue.keys.join(", ") : tool);
    if (issue.code === "unrecognized_keys") return `${at} is not an argument`;
    if (issue.code === "invalid_type")
      return `${at} is required: ${issue.expected}${at === "skills" ? " or null" : ""}`;
    return `${at} ${issue.message}`;
  });
  return `Nothing was done: ${lines.join("; ")}.`;
}

async function delegate(context: ChildContext, wanted: z.infer<typeof delegation>): Promise<string> {
  const { magnus, background, call } = context;
  const { client, limits } = background;
  const { description, run_in_background: isBackground, category: named, skills, resume } = wanted;
  const { config } = magnus.settings;
  if (named != null && wanted.subagent_type != null)
    return "Nothing was done: name either a `category` or a `subagent_type`, not both.";
  const category = named == null ? {} : categoryOf(magnus.settings, named);
  if (category === undefined) return nothingOf("category", named ?? "", categoryNames(config));
  const agentName = wanted.subagent_type ?? category.agent;
  if (agentName === undefined)
    return `Nothing was done: name a \`subagent_type\`${named == null ? " or a `category`" : `, because the category "${named}" has no agent`}.`;
  const agents = await client.agents();
  const agent = agents.find(({ name }) => name === agentName);
  const others = agents.filter(({ mode }) => mode !== "primary").map(({ name }) => name);
  if (agent === undefined) return nothingOf("agent", agentName, others);
  if (agent.mode === "primary")
    return `Nothing was done: ${agentName} is a primary agent, which only a person can use. There are ${others.join(", ")}.`;
  const system = systemText(
    context,
    [...(category.skills ?? []), ...(skills ?? []).filter((each) => each.trim() !== "")],
    category.prompt_append,
  );
  if ("problem" in system) return system.problem;
  const refused = await whyNotAllowed(call, agentName, description);
  if (refused !== undefined) return refused;
  const chain = await client.ancestry(call.session);
  const [parent, root] = [chain[0], chain.at(-1)];
  if (parent === undefined || root === undefined) return "Nothing was done: OpenCode does not know this session.";
  const limit = whyNotLaunch(background.state, limits, { root: root.id, depth: chain.length });
  if (limit !== undefined) return `Nothing was done: ${limit}.`;
  const earlier = resume == null ? undefined : await resumable(context, resume);
  if (typeof earlier === "string") return earlier;
  const { model, variant } = await modelFor(context, category, agent, parent);
  const { temperature, top_p, maxTokens, thinking, reasoningEffort } = category;
  let session: string | undefined;
  try {
    session = await launchChild(context, {
      ...{ chain, agent, description, prompt: wanted.prompt, model, variant, isAwaited: !isBackground },
      ...(named != null && { parameters: { temperature, top_p, maxTokens, thinking, reasoningEffort } }),
      system: system.text === "" ? undefined : system.text,
      resumed: earlier && { session: resume!, ...earlier },
    });
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    return `Nothing was done: ${error.message}. ${error.hint ?? ""}`;
  }
  if (session === undefined) return "Nothing was done: the user stopped the agents.";
  if (!isBackground) return await result(context, session, { detail: "whole" });
  const queued = background.state.tasks.get(session)?.stage.kind === "queued";
  const state = queued ? "queued until a slot is free" : "working";
  return say("background/launched", { id: session, agent: agentName, state, earlier: earlier?.text ?? "" });
}

function nothingOf(kind: string, name: string, known: readonly string[]): string {
  const [best] = didYouMean(name, known);
  const hint = best === undefined ? `There are ${known.join(", ")}.` : `Did you mean ${best}?`;
  return `Nothing was done: there is no ${kind} "${name}". ${hint}`;
}

/** Skills and additions to the prompt, for this task only. */
function systemText(
  { magnus }: ChildContext,
  names: readonly string[],
  append: string | undefined,
): { readonly text: string } | { readonly problem: string } {
  const { projectFolder, userFolder, config } = magnus.settings;
  const folders = [projectFolder, userFolder].flatMap((folder) => [join(folder, "skills"), join(folder, "skill")]);
  const known = new Map(names.length === 0 ? [] : skillTexts([...folders, join(packageRoot, "skills")]));
  for (const name of config.disabled_skills ?? []) known.delete(name);
  const missing = names.find((name) => !known.has(name));
  if (missing !== undefined) return { problem: nothingOf("skill", missing, [...known.keys()]) };
  const blocks = [...new Set(names)].map((name) => `<skill name="${name}">\n${known.get(name)!.text}\n</skill>`);
  return { text: [append ?? "", ...blocks].filter(Boolean).join("\n\n") };
}

/** The same question that OpenCode's own `task` asks, so the same rules apply. */
async function whyNotAllowed(
  { ask, agent: by }: Call,
  agent: string,
  description: string,
): Promise<string | undefined> {
  const metadata = { description, subagent_type: agent };
  const asked = ask({ permission: "task", patterns: [agent], always: ["*"], metadata });
  if (!(asked instanceof Promise))
    return "Nothing was done: this version of OpenCode cannot check the permission for it.";
  try {
    await asked;
    return undefined;
  } catch (error) {
    const { _tag, name, message } = error as { _tag?: unknown; name?: unknown; message?: unknown };
    if (!/Permission\w*Error|RejectedError|DeniedError|CorrectedError/.test(`${_tag ?? ""} ${name ?? ""}`)) throw error;
    return `Nothing was done: ${by} may not delegate to ${agent} (${message ?? "denied"}).`;
  }
}

interface EarlierTurn {
  readonly turn: number;
  readonly after: string;
  /** Its result, if the parent does not have it yet. */
  readonly text: string;
}

/** An ended task of this session or of one below it, or why it cannot be resumed. */
async function resumable({ background, call }: ChildContext, session: string): Promise<EarlierTurn | string> {
  const chain = await background.client.ancestry(session);
  if (!chain.slice(1).some((each) => each.id === call.session))
    return `Nothing was done: ${session} is not a task that this session has launched.`;
  const task =
    background.state.tasks.get(session) ?? background.earlier(chain.at(-1)!.id).find((each) => each.id === session);
  const isBusy = task === undefined ? await background.client.isBusy(session) : isOpen(task);
  if (isBusy) return `Nothing was done: ${session} is still working. \`background_output\` waits for it.`;
  const messages = (await background.client.messages(session)) ?? [];
  const isNew = task !== undefined && task.notice.kind === "due";
  if (isNew) background.dispatch({ type: "handed", parent: task.parent, delivery: call.id, tasks: [session] });
  return {
    ...{ turn: task?.turn ?? 0, after: messages.at(-1)?.info.id ?? "" },
    text: isNew ? `Its earlier result:\n${resultWords(task, shortText)}` : "",
  };
}

/** The category's model, the agent's own, the parent's, or what OpenCode chooses. */
async function modelFor(
  { magnus, background, call }: ChildContext,
  category: NonNullable<ReturnType<typeof categoryOf>>,
  agent: TaskAgent,
  parent: TaskSession,
): Promise<{ model: ModelName | undefined; variant: string | undefined }> {
  if (category.model !== undefined) {
    const { model: name, variant } = category;
    const slash = name.indexOf("/");
    if ((await magnus.opencode.models()).has(name))
      return { model: { providerID: name.slice(0, slash), modelID: name.slice(slash + 1) }, variant };
    background.client.toast(`The model ${name} is not connected; ${agent.name} uses another one.`, "warning");
  }
  if (agent.model !== undefined) return { model: agent.model, variant: undefined };
  const { model, variant } = speakerOf(parent) ?? { model: magnus.models.get(call.session) };
  return { model, variant };
}

/** The tasks that a session may ask about: its own, and those below them. */
async function ownTask({ background, call }: ChildContext, session: string): Promise<BackgroundTask | string> {
  const task = background.state.tasks.get(session);
  const above: string[] = [];
  for (let each = task; each !== undefined; each = background.state.tasks.get(each.parent)) above.push(each.parent);
  if (task !== undefined && above.includes(call.session)) return task;
  const known = [...background.state.tasks.values()].filter(({ parent }) => parent === call.session);
  const hint =
    known.length === 0 ? "It has launched none." : `It has launched ${known.map((each) => each.id).join(", ")}.`;
  return `There is no task ${session} of this session. ${hint}`;
}

async function show(context: ChildContext, wanted: z.infer<typeof output>): Promise<string> {
  const { background, call } = context;
  const task = await ownTask(context, wanted.task_id);
  if (typeof task === "string") {
    // Ended and delivered long ago, or before a restart: the journal still has it, or OpenCode has the session.
    const chain = await background.client.ancestry(wanted.task_id);
    if (!chain.slice(1).some((each) => each.id === call.session)) return task;
    const earlier = background.earlier(chain.at(-1)!.id).find((each) => each.id === wanted.task_id);
    if (earlier !== undefined && wanted.detail === "summary") return await summarized(context, earlier);
    if (earlier !== undefined) return resultWords(earlier, wanted.detail === "whole" ? undefined : shortText);
    const found = await background.client.look(wanted.task_id, "");
    return found.kind === "ended" ? found.text || "The agent ended without saying anything." : `It is ${found.kind}.`;
  }
  const detail = wanted.detail ?? "short";
  if (isOpen(task) && wanted.wait === false) return `${taskLine(task)}\n\nIt has not ended yet.`;
  if (detail === "summary") {
    const ended = await result(context, task.id, { detail: "short", seconds: wanted.timeout_seconds ?? undefined });
    const now = background.state.tasks.get(task.id);
    return now === undefined || isOpen(now) ? ended : await summarized(context, now);
  }
  return await result(context, task.id, { detail, seconds: wanted.timeout_seconds ?? waitSeconds });
}

/** The agent itself says what matters in its result. */
async function summarized(context: ChildContext, task: BackgroundTask): Promise<string> {
  const { id: resume, agent: subagent_type, description, stage } = task;
  if (stage.kind !== "over" || stage.outcome.kind !== "completed") return resultWords(task, shortText);
  const prompt = { description, prompt: words("background/summarize"), subagent_type, skills: null };
  return await delegate(context, { ...prompt, run_in_background: false, resume });
}

/** Waits for a task and returns its result, which counts as delivered once OpenCode has stored the call. */
async function result(
  { background, call }: ChildContext,
  session: string,
  { detail, seconds }: { detail: "short" | "whole"; seconds?: number | undefined },
): Promise<string> {
  background.dispatch({ type: "awaited", id: session, isAwaited: true });
  const ended = await background.ended(session, call.abort, seconds === undefined ? undefined : seconds * 1_000);
  if (ended === undefined) {
    background.dispatch({ type: "awaited", id: session, isAwaited: false });
    const task = background.state.tasks.get(session);
    return `${task === undefined ? session : taskLine(task)}\n\nIt has not ended yet. You will be notified when it does.`;
  }
  background.dispatch({ type: "handed", parent: ended.parent, delivery: call.id, tasks: [session] });
  return resultWords(ended, detail === "whole" ? undefined : shortText);
}

async function cancel(context: ChildContext, { task_id, all }: z.infer<typeof cancellation>): Promise<string> {
  const { background, call } = context;
  if ((task_id == null) === (all !== true)) return "Nothing was done: name a `task_id`, or set `all` to true.";
  const one = task_id == null ? undefined : await ownTask(context, task_id);
  if (typeof one === "string") return `Nothing was done. ${one}`;
  if (one !== undefined && !isOpen(one)) return `Nothing was done: ${taskLine(one)}`;
  const tasks = one === undefined ? openBelow(background.state, call.session) : [one];
  for (const { id: each } of tasks)
    background.dispatch({ type: "cancelled", id: each, why: `${call.agent} cancelled it` });
  const ended = tasks.filter((task) => task.parent === call.session).map((task) => task.id);
  background.dispatch({ type: "handed", parent: call.session, delivery: call.id, tasks: ended });
  return `Cancelled ${count(tasks.length, "task")}${tasks.length === 0 ? "" : `: ${tasks.map((task) => task.id).join(", ")}`}.`;
}

function listTasks({ background, call }: ChildContext): string {
  const all = [...background.state.tasks.values()];
  const root = all.find(({ id: each }) => each === call.session)?.root ?? call.session;
  const lines = all.filter((task) => task.root === root).map(taskLine);
  const earlier = background.earlier(root).length;
  if (earlier > 0)
    lines.unshift(
      `${count(earlier, "earlier task")}, ended and delivered; \`background_output\` returns their results`,
    );
  return lines.length === 0 ? "There are no background tasks." : list(lines);
}
