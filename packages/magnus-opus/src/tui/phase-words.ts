// What the terminal shows of a run, and what it asks. Pure.
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { truncate } from "@atomic/terminal/width";
import { paragraph } from "@atomic/terminal/wrap";
import type { DialogChoice } from "@atomic/workflows/internal/view/dialog";
import { later as laterValue } from "@atomic/workflows/internal/view/later";
import { subjectOf } from "../run/gates.ts";
import { nextStep } from "../run/next-step.ts";
import type { PhaseName } from "../run/phase-name.ts";
import { phases } from "../run/phases.ts";
import { isOver, type MagnusState } from "../run/state.ts";
import { routeWords } from "../words/status-words.ts";
import type { WatchedRun } from "./watched-runs.ts";

const paint = painter(true);

const colours = { "✓": "green", "~": "yellow", "↺": "yellow", "▶": "cyan", "■": "yellow", "·": "dim" } as const;

/** Gates of one phase that are listed. */
const mostGates = 5;

/** Lines that a refusal takes from the conversation. */
const mostRefusalLines = 3;

/** Opens what waits for you again. */
export const planCommand = "magnus-plan";

/** Phases, the gates of the current one, what the run waits for, and the last refusal with its reason. */
export function sidebarText({ state, refusal }: WatchedRun, columns: number): string {
  const page = { columns, colour: true };
  const lines = [paint("bold", "Magnus Opus"), truncate(safeLine(state.description), columns)];
  for (const line of routeWords(state)) {
    const symbol = line.slice(0, 1) as keyof typeof colours;
    const rest = truncate(line.slice(1), columns - 1);
    lines.push(paint(colours[symbol] ?? "dim", symbol) + (symbol === "·" ? paint("dim", rest) : rest));
    if (symbol === "▶") lines.push(...gateLines(state, columns));
  }
  const waits = waitingFor(state);
  const indent = { indent: "  " };
  if (waits !== undefined)
    lines.push(paragraph(safeLine(waits), page, { ...indent, lead: `${paint("yellow", "?")} ` }).trimEnd());
  if (refusal !== undefined)
    lines.push(paragraph(refusalWords(refusal), page, { ...indent, lead: `${paint("red", "✗")} ` }).trimEnd());
  return lines.join("\n");
}

/** Why runs cannot be shown; undefined if there are none. One message, as a folder can have many. */
export function damageMessage(damaged: ReadonlyMap<string, string>): string | undefined {
  const [first, ...others] = damaged;
  if (first === undefined) return undefined;
  const [run, why] = first;
  const more = others.length === 0 ? "See" : `${others.length} more cannot be shown either; see`;
  return safeLine(`Cannot show the run ${run}: ${why}. ${more} /magnus-status`);
}

/** Why a dialog closed by itself. `run` is its current state, or undefined if it is no longer shown. */
export function closedMessage(run: WatchedRun | undefined): string {
  if (run === undefined) return "The run was removed, or its session was deleted";
  return safeLine(`${run.state.description}: ${whyClosed(run.state)}`);
}

function whyClosed(state: MagnusState): string {
  if (isOver(state)) return "the run has ended";
  if (state.status.kind === "paused") return `the run is paused: ${state.status.detail}`;
  return questionOf(state) === undefined ? "this was decided elsewhere" : "what you were asked about has changed";
}

/** The end of a message about a dialog that closed by itself. */
export function notSent(typed: string): string {
  return typed === "" ? "" : safeLine(`. What you typed was not sent: ${typed}`);
}

/** What you have just decided about a run whose session is not on the screen. */
export function sentMessage({ description }: Pick<MagnusState, "description">, value: string): string {
  const [, type] = /^approve --type=(\S+)/.exec(value) ?? [];
  const decision = type ?? (value.startsWith("approve") ? "approved" : "rejected");
  return safeLine(`Sent to ${description}: ${decision}.`);
}

function refusalWords({ tool, missing }: NonNullable<WatchedRun["refusal"]>): string {
  return safeLine(`${tool} was refused: ${missing}`);
}

/** What the current phase still lacks while agents work on it. */
function gateLines(state: MagnusState, columns: number): readonly string[] {
  const step = nextStep(state);
  if (step.do !== "work") return [];
  const shown = step.missing.slice(0, mostGates).map(({ what }) => what);
  const more = step.missing.length - shown.length;
  const lacks = more > 0 ? [...shown, `${more} more`] : shown;
  return lacks.map((what) => paint("dim", truncate(`  ○ ${safeLine(what)}`, columns)));
}

/** Undefined while the agents have something to do, and when the run is over. */
function waitingFor(state: MagnusState): string | undefined {
  const step = nextStep(state);
  if (step.do === "paused") return `paused (${step.reason}): ${step.detail}`;
  if (step.do !== "wait") return undefined;
  return `waiting for ${step.missing.map(({ what }) => what).join(", ") || "you"}`;
}

/**
 * The run of the session on screen comes first, and one that is over last.
 *
 * @param runs The newest first.
 */
export function byNearness(runs: readonly WatchedRun[], session: string | undefined): readonly WatchedRun[] {
  const rank = ({ state }: WatchedRun): number => (isOf(state, session) ? 0 : 2) + (isOver(state) ? 1 : 0);
  return runs.toSorted((one, other) => rank(one) - rank(other));
}

/** A subagent's session belongs to the run, too. */
function isOf({ sessions }: MagnusState, session: string | undefined): boolean {
  return session !== undefined && Object.hasOwn(sessions, session);
}

/** Empty if no run waits. */
export function statusLine(runs: readonly WatchedRun[], columns: number): string {
  const waiting = runs.filter(({ state }) => !isOver(state) && waitingFor(state) !== undefined);
  const [first] = waiting;
  if (first === undefined) return "";
  const text = safeLine(`${first.state.description}: ${waitingFor(first.state)}`);
  const others = waiting.length === 1 ? "" : ` · ${waiting.length - 1} more`;
  const isAsked = waiting.some(({ state }) => questionOf(state) !== undefined);
  const more = others + (isAsked ? ` · /${planCommand}` : "");
  return `${paint("dim", "magnus")} ${paint("yellow", truncate(text, columns - 10 - more.length))}${paint("dim", more)}`;
}

/** The last refusal with its reason, for where no sidebar shows it. Empty if there is none. Of the session on screen if it has a run. */
export function refusalLines(runs: readonly WatchedRun[], columns: number, session: string | undefined): string {
  const open = runs.filter(({ state }) => !isOver(state));
  const own = open.filter(({ state }) => isOf(state, session));
  const refusal = (own.length > 0 ? own : open).find((run) => run.refusal !== undefined)?.refusal;
  if (refusal === undefined) return "";
  const lead = `${paint("dim", "magnus")} ${paint("red", "✗")} `;
  const margins = { lead, indent: " ".repeat(9), breakWords: true };
  const mark = " …";
  const page = { columns: columns - mark.length, colour: true };
  const lines = paragraph(refusalWords(refusal), page, margins).trimEnd().split("\n");
  const shown = lines.slice(0, mostRefusalLines);
  return lines.length > shown.length ? shown.join("\n") + mark : shown.join("\n");
}

/** What you type in the run's session for an answer: there, our commands can have other names than ours. */
export function answerCommand(
  { commandNames }: Pick<MagnusState, "commandNames">,
  value: string,
  words: string | undefined,
): { readonly command: string; readonly arguments: string } {
  const [name = "", ...flags] = value.split(" ");
  const command = Object.hasOwn(commandNames, name) ? (commandNames[name] ?? name) : name;
  // Your words are not options, even if they begin like some.
  return { command, arguments: [...flags, ...(words === undefined ? [] : ["--", words])].join(" ") };
}

/** What a run asks you: a command of Magnus Opus answers it. */
export interface PhaseQuestion {
  /** Changes with what is asked about, and when it was sent back, so a new plan is asked about again. */
  readonly key: string;
  readonly title: string;
  /** A file in the session folder. */
  readonly reads: string | undefined;
  /** What an approval would be of. */
  readonly covers: PhaseName | undefined;
  readonly choices: readonly DialogChoice[];
}

/** Comes first, because the first choice is selected when the dialog opens. */
const later: DialogChoice = {
  ...{ title: "Later", value: laterValue, description: "the status line keeps it" },
  isHarmless: true,
};
const types = ["UI_FOCUSED", "API_FOCUSED", "MIXED"] as const;

export function questionOf(state: MagnusState): PhaseQuestion | undefined {
  const step = nextStep(state);
  if (step.do !== "wait") return undefined;
  const { run, phase } = state;
  if (step.missing.some(({ what }) => what === "the workflow type")) {
    const choices = types.map((type) => ({ title: type, value: `approve --type=${type}` }));
    const kind = { title: "What kind of feature is it?", reads: undefined, covers: undefined };
    return { key: `${run} type`, ...kind, choices: [later, ...choices] };
  }
  if (!step.missing.some(({ gate }) => gate === "user_approval")) return undefined;
  const isResult = phase === "acceptance";
  const covers = isResult ? "acceptance" : "architecture";
  return {
    key: `${run} ${phase} ${state.rejections.length} ${subjectOf(state, covers)}`,
    title: isResult ? "Is the result what you wanted?" : "Is this the plan to build?",
    reads: phases[covers].outputs[0],
    covers,
    choices: [
      later,
      { title: "Approve", value: "approve", description: isResult ? "the run is done" : "building starts" },
      { title: "Reject and say why", value: "reject", asksFor: "What should change?", isHarmless: true },
    ],
  };
}
