// OpenCode's own prompt as a way to approve, if it is enabled.
import { userName } from "@atomic/workflows/internal/run/user-name";
import { withCommands } from "../../run/command-names.ts";
import { isDecision } from "../../run/event.ts";
import { nextStep } from "../../run/next-step.ts";
import { type Act, type Approvable, approvable, approve, reject } from "../../run/person-actions.ts";
import { phases } from "../../run/phases.ts";
import type { MagnusState } from "../../run/state.ts";
import { say } from "../../words/template.ts";
import { holdTyped, recordedText } from "../commands/decide-run.ts";
import type { DrivenRun } from "../live/driven-run.ts";
import type { Magnus } from "../live/magnus.ts";
import { approvalPermission, approvalRule, isPrompt, permissionFor } from "./approval-rule.ts";
import { commandLine, saysYesToAll } from "./command-line.ts";

/** A prompt as OpenCode shows it. `always`: patterns that it does not ask about again. */
interface Prompt {
  readonly permission: string;
  readonly patterns: readonly string[];
  readonly always: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A model's tool call. */
export interface Call {
  readonly id: string;
  readonly session: string;
  readonly agent: string;
  readonly abort: AbortSignal;
  /** Asks a person, if the rules say so. */
  ask(prompt: Prompt): unknown;
}

/** A person's answer to a prompt. OpenCode throws unless it is a yes. */
type Answer =
  | { readonly kind: "yes" }
  | { readonly kind: "no"; readonly notes: string }
  /** Esc, or an OpenCode without a screen, which rejects prompts itself. */
  | { readonly kind: "none" };

/** The version that was asked about last: each version is asked about once. */
const askedAbout = new WeakMap<DrivenRun, string>();

/** Asks if the run is waiting for an approval. Returns the result as text; empty if no prompt was needed. */
export async function askPerson(magnus: Magnus, run: DrivenRun, call: Call): Promise<string> {
  const shown = awaited(run.state);
  if (magnus.settings.config.gates?.approvalPrompt !== true || shown === undefined) return "";
  const version = JSON.stringify([run.state.visits.length, shown]);
  if (askedAbout.get(run) === version) return "";
  askedAbout.set(run, version);
  const { outputs } = phases[shown.phase];
  const { run: id, folder } = run.state;
  const what = `${outputs.join(" and ")} in ${folder}`;
  const permission = permissionFor(
    `${what} (current version). To send it back, choose Reject, then type ${withCommands("/reject <what to change>", run.state.commandNames)}`,
  );
  const why = await whyUnasked(magnus, call, permission);
  if (why !== undefined) {
    askedAbout.delete(run);
    return say("not-asked", { why });
  }
  const files = outputs.map((name) => `${folder}/${name}`);
  const prompt = call.ask({ permission, patterns: [what], always: [], metadata: { run: id, ...shown, files } });
  // Some versions of OpenCode return a description of the prompt instead of showing it.
  const answer: Answer = prompt instanceof Promise ? await answerTo(prompt, call.abort) : { kind: "none" };
  const isUnseen = answer.kind === "yes" && !(await magnus.prompts.wasShown(call.id));
  if (answer.kind === "none" || isUnseen) return say("unanswered");
  // The answer can come through OpenCode's port as well.
  const doubt = magnus.whyDoubted(id);
  // A yes is about what was shown; a no also counts if that has changed a little since.
  const state = await run.refreshWithFiles();
  const now = awaited(state);
  const isSame = now?.phase === shown.phase && (answer.kind === "no" || now.subject === shown.subject);
  if (!isSame) return say("changed-meanwhile", { files: outputs.join(" or ") });
  const act: Act = { by: { kind: "person", how: "permission", name: userName() }, at: Date.now() };
  const acted = answer.kind === "yes" ? approve(state, act) : reject(state, act, { notes: answer.notes });
  if (!acted.ok) return `Nothing was recorded: ${acted.because}. ${acted.hint}`;
  if (doubt !== undefined && isDecision(acted.event)) return await holdTyped(run, acted.event, doubt);
  await run.append(acted.event);
  return recordedText(acted.event, run.state);
}

function awaited(state: MagnusState): Approvable | undefined {
  return nextStep(state).do === "wait" ? approvable(state) : undefined;
}

/** Why no prompt can be shown: it would not be a person who answers it. */
async function whyUnasked(
  { opencode }: Magnus,
  { agent, session }: Call,
  permission: string,
): Promise<string | undefined> {
  const words = await commandLine();
  if (words === undefined)
    return "Magnus Opus cannot tell whether OpenCode was started with `--auto`, in which case OpenCode would answer the prompt itself";
  if (saysYesToAll(words)) return "OpenCode was started with `--auto`, so it would answer the prompt itself";
  const rule = approvalRule(await opencode.rules(agent, session), permission);
  if (isPrompt(rule)) return undefined;
  const found =
    rule === undefined ? "no such rule exists" : `"${rule.permission}" says "${rule.action}" for "${rule.pattern}"`;
  return `\`${agent}\` needs the rule "ask" for \`${approvalPermission}\`, but ${found}`;
}

/** OpenCode drops the prompts of an aborted turn, so the answer may never come. */
export async function answerTo(prompt: Promise<unknown>, abort: AbortSignal): Promise<Answer> {
  const ended = new Promise<Answer>((resolve) => {
    if (abort.aborted) resolve({ kind: "none" });
    abort.addEventListener("abort", () => resolve({ kind: "none" }), { once: true });
  });
  const answered = prompt.then(
    (): Answer => ({ kind: "yes" }),
    (error: { _tag?: unknown; name?: unknown; feedback?: unknown }): Answer => {
      const { _tag, name, feedback } = error;
      if (!/^Permission\w*Error$/.test(String(_tag ?? name))) throw error;
      const notes = typeof feedback === "string" ? feedback.trim() : "";
      return notes === "" ? { kind: "none" } : { kind: "no", notes };
    },
  );
  return await Promise.race([ended, answered]);
}
