import { randomBytes } from "node:crypto";
import { DurableError } from "@atomic/durable-files/errors";
import * as z from "zod/mini";
import { settledTests } from "../../evidence/test-command.ts";
import { nameInOpencode } from "../../run/agent-names.ts";
import { withCommands } from "../../run/command-names.ts";
import { detectWorkflowType } from "../../run/detect.ts";
import { journalVersion } from "../../run/event.ts";
import type { Flow, WorkflowType } from "../../run/phase-name.ts";
import { readStartArguments, type StartArguments } from "../../run/start-arguments.ts";
import { sessionId } from "../../sessions/session-id.ts";
import { expiredSessions, Sessions } from "../../sessions/sessions.ts";
import { folderOf } from "../../sessions/workplace.ts";
import { elsewhereWords } from "../../words/elsewhere-words.ts";
import { stepWords } from "../../words/step-words.ts";
import { say } from "../../words/template.ts";
import type { Call } from "../approval/ask-person.ts";
import { endedAt } from "../commands/cleanup.ts";
import type { Magnus } from "../live/magnus.ts";
import { runOptionsOf } from "../live/run-options-of.ts";
import type { ReviewRequest } from "../review/review-request.ts";
import { renamedCommands } from "../setup/name-commands.ts";
import { phaseTitle } from "./titles.ts";
import type { MagnusTool } from "./tool.ts";

interface Kind {
  readonly flow: Flow;
  /** Used in session ids. */
  readonly short: string;
  /** Fixed type; otherwise it is detected from the description. */
  readonly type?: WorkflowType;
  /** The default description. */
  readonly usually?: string;
}

const kinds: Readonly<Record<string, Kind>> = {
  implement: { flow: "implement", short: "impl" },
  "implement-api": { flow: "implement-api", short: "api", type: "API_FOCUSED" },
  "validate-ui": { flow: "validate-ui", short: "ui", type: "UI_FOCUSED" },
  "magnus-review": { flow: "review", short: "review", type: "MIXED", usually: "" },
};

const given = z.object({ command: z.enum(["implement", ...Object.keys(kinds)]), arguments: z.string() });

export const magnusStart: MagnusTool = {
  name: "magnus_start",
  title: phaseTitle,
  schema: {
    type: "object",
    properties: { command: { type: "string", enum: Object.keys(kinds) }, arguments: { type: "string" } },
    required: ["command", "arguments"],
  },
  async run(magnus, args, call) {
    const found = await magnus.runs.of(call.session);
    if (found?.kind === "closed") return elsewhereWords(magnus.settings.commandNames, found);
    const status = found?.kind === "driven" ? found.run.state.status.kind : "done";
    if (found?.kind === "driven" && (status === "running" || status === "paused")) {
      return `The run ${found.run.state.run} is already running in this session. Call \`magnus_next\`; the user can end it with ${withCommands("`/magnus-cancel`", magnus.settings.commandNames)}.`;
    }
    const parent = (await magnus.opencode.session(call.session))?.parentID;
    if (parent !== undefined) return "A run must start in your own session, not in a delegated one.";
    const wanted = readWanted(magnus, args, call);
    if ("problem" in wanted) return notStarted(wanted.problem);
    if (wanted.kind.flow !== "review") return await begin(magnus, call, wanted);
    const { reviewRequest } = await import("../review/review-request.ts");
    const request = await reviewRequest(magnus, wanted.description, wanted.models);
    if ("problem" in request) return notStarted(request.problem);
    return await begin(magnus, call, { ...wanted, description: request.about }, request);
  },
};

function notStarted(problem: string): string {
  return `${problem} Nothing was started: tell the user, and end your turn.`;
}

interface Wanted extends StartArguments {
  readonly kind: Kind;
}

/** What a person typed counts, not the model's version of it. A person who did not type a command has set no options. */
function readWanted(magnus: Magnus, args: unknown, call: Call): Wanted | { problem: string } {
  const typed = typedFor(magnus, args, call);
  const read = z.safeParse(given, typed ?? args);
  if (!read.success)
    return { problem: `\`magnus_start\` needs a command (${Object.keys(kinds).join(", ")}) and its arguments.` };
  const kind = kinds[read.data.command]!;
  const found = readStartArguments(kind.flow, read.data.arguments);
  if ("problem" in found) return found;
  const { figmaUrl, skipPlanReview, type, models } = found.ok;
  if (typed === undefined && (skipPlanReview || type !== undefined)) {
    return {
      problem: `Only the user may set --type and --skip-plan-review, by typing them after /${nameInOpencode(magnus.settings.commandNames, read.data.command)}.`,
    };
  }
  const description = found.ok.description || kind.usually;
  if (description === undefined) return { problem: "The description is missing." };
  return {
    ...{ kind, description, skipPlanReview },
    ...(figmaUrl && { figmaUrl }),
    ...(type && { type }),
    ...(models && { models }),
  };
}

/** The command that this call follows. After another message, it counts only if the model repeats it. */
function typedFor(magnus: Magnus, args: unknown, { session }: Call) {
  const typed = magnus.typed.get(session);
  const repeated = z.safeParse(given, args).data?.arguments.trim();
  return typed === undefined || !typed.isAnswered || repeated === typed.arguments.trim() ? typed : undefined;
}

async function begin(
  magnus: Magnus,
  call: Call,
  { kind, description, skipPlanReview, figmaUrl, type }: Wanted,
  request?: ReviewRequest,
): Promise<string> {
  const { config, roles, names, agents, stack } = magnus.settings;
  const detected = detectWorkflowType(description, stack.stack.words);
  const workflow = type ?? kind.type ?? detected.type;
  const isSaid = type !== undefined || kind.type !== undefined;
  const at = new Date();
  const descriptor = config.sessionSettings?.includeDescriptor === false ? {} : { descriptor: description };
  const id = sessionId({ command: kind.short, at, random: randomBytes(3).toString("hex"), ...descriptor });
  const folder = folderOf(magnus.workplace, id);
  const models = Object.entries(agents).filter(([, { model }]) => model);
  const connected = models.length === 0 ? new Set<string>() : await magnus.opencode.models();
  const { providerID, modelID } = magnus.models.get(call.session) ?? {};
  // A model that is not connected is replaced by the session's.
  const modelOf = (agent: string): string => {
    const { model } = agents[nameInOpencode(names, agent)] ?? {};
    return model !== undefined && connected.has(model) ? model : `${providerID}/${modelID}`;
  };
  try {
    const run = await magnus.runs.start({
      ...{ type: "run-started", at: at.getTime(), by: { kind: "plugin" }, run: id, flow: kind.flow, description },
      ...{ version: journalVersion, workflow, session: call.session, worktree: magnus.workplace.worktree, folder },
      options: {
        ...runOptionsOf(config, { skipPlanReview, figmaUrl, roles, modelOf }),
        ...settledTests(magnus.workplace.directory, config.tests, stack.stack),
        ...request?.options,
      },
    });
    magnus.typed.delete(call.session);
    magnus.agents.set(call.session, call.agent);
    const notes: string[] = [...(request?.notes ?? [])];
    // Old sessions are removed if the settings say so.
    const sessions = new Sessions(magnus.workplace.directory);
    const expired = expiredSessions(sessions.list(), config.sessionSettings, Date.now(), (each) =>
      endedAt(magnus, each),
    );
    for (const each of expired) {
      await magnus.runs.forget(each.id);
      await sessions.remove(each.id);
    }
    if (expired.length > 0) notes.push(`Removed ${expired.length} old sessions, as configured.`);
    for (const [name, { model = "" }] of models) {
      if (!connected.has(model))
        notes.push(`${name}'s model ${model} is not connected, so it uses the session's model.`);
    }
    notes.push(...Object.entries(names).map(([ours, name]) => say("renamed", { ours, name })));
    notes.push(...renamedCommands(magnus.settings.commandNames), ...Object.values(magnus.settings.unable));
    run.announcePhase();
    return say("started", {
      ...{ run: id, folder, type: workflow, figma: figmaUrl ?? "", notes: notes.join("\n") },
      step: stepWords(run.state, magnus.settings.unable),
      why: isSaid ? "chosen by the command" : `${Math.round(detected.confidence * 100)} % sure; ${detected.rationale}`,
    });
  } catch (error) {
    // The expected failure: the project or home folder is not writable.
    const { code, message } = error as NodeJS.ErrnoException;
    const isExpected = ["EACCES", "EPERM", "EROFS", "ENOSPC", "ENOTDIR", "EEXIST"].includes(code ?? "");
    if (!isExpected && !(error instanceof DurableError)) throw error;
    return `The run cannot start: ${message}. Nothing was started. Tell the user which folder needs to be writable.`;
  }
}
