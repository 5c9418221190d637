// What the terminal shows of a run, and what it asks. Pure.
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { truncate } from "@atomic/terminal/width";
import { paragraph } from "@atomic/terminal/wrap";
import type { DialogChoice } from "@atomic/workflows/internal/view/dialog";
import { subjectOf } from "../run/gates.ts";
import { nextStep } from "../run/next-step.ts";
import { phases } from "../run/phases.ts";
import { isOver, type MagnusState } from "../run/state.ts";
import { routeWords } from "../words/status-words.ts";
import type { WatchedRun } from "./watched-runs.ts";

const paint = painter(true);

const colours = { "✓": "green", "~": "yellow", "↺": "yellow", "▶": "cyan", "■": "yellow", "·": "dim" } as const;

/** Gates of one phase that are listed. */
const mostGates = 5;

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
  if (refusal !== undefined) {
    const why = safeLine(`${refusal.tool} was refused: ${refusal.missing}`);
    lines.push(paragraph(why, page, { ...indent, lead: `${paint("red", "✗")} ` }).trimEnd());
  }
  return lines.join("\n");
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
  readonly choices: readonly DialogChoice[];
}

const later: DialogChoice = { title: "Later", value: "later", description: "the status line keeps it" };
const types = ["UI_FOCUSED", "API_FOCUSED", "MIXED"] as const;

export function questionOf(state: MagnusState): PhaseQuestion | undefined {
  const step = nextStep(state);
  if (step.do !== "wait") return undefined;
  const { run, phase } = state;
  if (step.missing.some(({ what }) => what === "the workflow type")) {
    const choices = types.map((type) => ({ title: type, value: `approve --type=${type}` }));
    return { key: `${run} type`, title: "What kind of feature is it?", reads: undefined, choices: [...choices, later] };
  }
  if (!step.missing.some(({ gate }) => gate === "user_approval")) return undefined;
  const isResult = phase === "acceptance";
  const covers = isResult ? "acceptance" : "architecture";
  return {
    key: `${run} ${phase} ${state.rejections.length} ${subjectOf(state, covers)}`,
    title: isResult ? "Is the result what you wanted?" : "Is this the plan to build?",
    reads: phases[covers].outputs[0],
    choices: [
      { title: "Approve", value: "approve", description: isResult ? "the run is done" : "building starts" },
      { title: "Reject and say why", value: "reject", asksFor: "What should change?" },
      later,
    ],
  };
}
