import { opencodeRoot } from "../entities/worktree.ts";
import type { PromptReply } from "../graph/services.ts";
import type { Usage } from "../run/budget.ts";
import type { Json } from "../run/json.ts";
import type { StepInfo } from "../run/run-ctx.ts";
import { PermanentError } from "../run/step-errors.ts";
import type { HostEvent, PermissionEvent } from "./host.ts";
import { decidePermission, type PermissionLayers } from "./permission-policy.ts";

export interface TurnContext {
  readonly info: StepInfo;
  readonly layers: PermissionLayers;
  /** The one that the agent works in. */
  readonly folder: string;
  /** Where a question comes from, for whoever is to answer it. */
  readonly about: { readonly [key: string]: Json };
}

/** Follows a turn to its end: tells what happens, counts what it costs, and answers what it asks. */
export async function readTurn(
  begin: (signal: AbortSignal) => Promise<AsyncIterable<HostEvent>>,
  context: TurnContext,
): Promise<PromptReply> {
  const { info } = context;
  const broken = new AbortController();
  const signal = AbortSignal.any([info.signal, broken.signal]);
  let usd: number | undefined;
  let text = "";
  for await (const event of await begin(signal)) {
    if (event.type === "usage") {
      info.spend(event.usage);
      usd = addUsd(usd, event.usage);
    } else if (event.type === "permission") {
      // What was asked before the turn was stopped must not be allowed after it.
      if (signal.aborted) continue;
      // Meanwhile the agent may go on with something else, even to the end if somebody has answered it elsewhere.
      answer(event, context).catch((error: unknown) => broken.abort(error));
    } else if (event.type === "end") text = event.text;
    else info.note(noteOf(event));
  }
  return { text, ...(usd !== undefined && { usd }) };
}

function addUsd(sum: number | undefined, { usd }: Usage): number | undefined {
  return usd === undefined ? sum : (sum ?? 0) + usd;
}

function noteOf(event: Exclude<HostEvent, PermissionEvent | { type: "usage" } | { type: "end" }>): Json {
  if (event.type !== "tool-ended") return event;
  const { type, id, tool, ok } = event;
  return { type, id, tool, ok };
}

async function answer(event: PermissionEvent, { info, layers, folder, about }: TurnContext): Promise<void> {
  const { tool, detail } = event;
  const decided = decidePermission(layers, { tool, detail, folder, root: opencodeRoot(folder) });
  if (decided !== "ask") return await event.answer(decided);
  const { isAllowed, reason } = await askPerson(info, { ...about, tool, detail });
  await event.answer(isAllowed ? "allow" : "deny", reason);
}

interface Decided {
  readonly isAllowed: boolean;
  readonly reason?: string;
}

/** All of it is shown: nobody can decide about a part. */
async function askPerson(
  info: StepInfo,
  question: { readonly tool: string; readonly detail: string },
): Promise<Decided> {
  try {
    return readAnswer(await info.ask(question));
  } catch (error) {
    if (!(error instanceof PermanentError) || error.code !== "question-too-large") throw error;
    const reason = `It has ${question.detail.length} characters, which cannot be shown to whoever decides. Take smaller steps.`;
    info.note({ type: "permission-denied", tool: question.tool, reason });
    return { isAllowed: false, reason };
  }
}

const yes = new Set(["allow", "approve", "approved", "yes", "y", "true"]);
const no = new Set(["deny", "no", "n", "false", ""]);

/** `true`, `"allow"`, `{ answer: "deny", reason: "…" }` …; anything else is a no, and the reason for it. */
function readAnswer(value: Json): Decided {
  if (typeof value === "boolean") return { isAllowed: value };
  if (typeof value === "string") {
    const word = value.trim().toLowerCase();
    return { isAllowed: yes.has(word), ...(!yes.has(word) && !no.has(word) && { reason: value }) };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { isAllowed: false };
  const { answer: given = null, reason } = value as { answer?: Json; reason?: Json };
  return { ...readAnswer(given), ...(typeof reason === "string" && { reason }) };
}
