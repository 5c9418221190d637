import { refuseAgent } from "@atomic/terminal/agent-at-keyboard";
import type { ArgumentSpecs, Command, Example, OptionSpecs } from "@atomic/terminal/command";
import { safe } from "@atomic/terminal/safe-text";
import type { ActName } from "../commands/person-act.ts";
import { decisionText } from "../run/held.ts";
import { describe, nameOf } from "../timeline/describe-event.ts";
import { statusOf } from "../timeline/summary.ts";
import { waiverWords } from "../words/waiver-words.ts";
import { actOn, type Done } from "./act.ts";
import { type Context, commandOf } from "./command.ts";

interface Text<Words extends ArgumentSpecs> {
  /** Behind the run. */
  readonly words: Words;
  readonly options: OptionSpecs;
  readonly summary: string;
  readonly details: readonly string[];
  readonly examples: readonly Example[];
}

const id = "impl-20260118-143052-a1b2c3-profile";

export const actCommands: Readonly<Record<ActName, Command<Context>>> = {
  approve: actCommand("approve", {
    words: {},
    summary: "Approve what the run waits for: its plan, or its result",
    details: [
      "An approval is of what is there now: if the plan changes afterwards, it is missing again. Read implementation-plan.md or final-summary.md in the session folder before.",
      "Where the run does not know what kind of feature it is, --type says it.",
    ],
    options: { type: { kind: "text", value: "type", summary: "UI_FOCUSED, API_FOCUSED or MIXED" } },
    examples: [
      { command: `magnus-opus approve ${id}`, shows: "The plan, while the run waits for that." },
      {
        command: "magnus-opus approve impl-20260118 --type MIXED",
        shows: "It is pages and functions. The beginning of an id will do.",
      },
    ],
  }),
  reject: actCommand("reject", {
    words: { change: { count: "some", term: "<what to change>", summary: "Your words to the agents" } },
    summary: "Send the work back, with what should change",
    details: ["Without --to it goes to where such work is done: the plan, or the implementation."],
    options: { to: { kind: "text", value: "phase", summary: "Where to, for example architecture" } },
    examples: [
      {
        command: `magnus-opus reject ${id} "a smaller plan, without the settings page"`,
        shows: "The architect reads these words.",
      },
    ],
  }),
  waive: actCommand("waive", {
    words: {
      why: {
        count: "some",
        term: "[gate] <why>",
        summary: "The gate, unless it is the one the run stands at, and your reason",
      },
    },
    summary: "Let the run pass a gate that is not met, on record with your reason",
    details: [
      "Gates are user_approval, pass_or_fix, all_tests_pass and all_reviewers_approve; `phase` leaves out all that the phase still lacks. Without one, it is the gate that the run stands at. It holds for this stay in the phase.",
    ],
    options: {},
    examples: [
      {
        command: `magnus-opus waive ${id} all_tests_pass "there is no test runner yet"`,
        shows: "Who and why stands in the timeline.",
      },
    ],
  }),
  resume: actCommand("resume", {
    words: {},
    summary: "Let a paused run go on",
    details: ["A run that has used up its budget needs `raise` first."],
    options: {},
    examples: [
      { command: `magnus-opus resume ${id}`, shows: "After Esc, an error, or a journal that somebody changed." },
    ],
  }),
  cancel: actCommand("cancel", {
    words: { why: { count: "many", summary: "Your reason" } },
    summary: "End a run for good; its folder stays",
    details: [],
    options: {},
    examples: [{ command: `magnus-opus cancel ${id} "we buy it instead"`, shows: "Nobody works on it any more." }],
  }),
  raise: actCommand("raise", {
    words: { limits: { count: "some", term: "<limit>=<amount>…", summary: "The new limits, each higher than before" } },
    summary: "Raise a budget that is used up",
    details: [
      "Limits are usd, tokens, minutes, sessions, depth and iterations (how often a review may send the work back); phase.usd is that of the present phase. An amount is the new limit, and higher than the old one.",
    ],
    options: {},
    examples: [
      { command: `magnus-opus raise ${id} usd=5 sessions=80`, shows: "The run goes on if it was paused for that." },
    ],
  }),
};

function actCommand<Words extends ArgumentSpecs>(name: ActName, { words, ...text }: Text<Words>): Command<Context> {
  const args = { run: { count: "one", summary: "Its id, or any unique prefix" }, ...words } as const;
  return commandOf({ ...text, name, arguments: args }, async ({ user, caller, now, project: find }, input) => {
    // What is recorded here is recorded as a person's.
    refuseAgent(caller, `magnus-opus ${name}`);
    const {
      run: typed,
      type,
      to,
      ...others
    } = input as Readonly<Record<string, string | readonly string[] | undefined>>;
    // As they are typed in OpenCode.
    const options = Object.entries({ type, to }).flatMap(([key, value]) =>
      value === undefined ? [] : [`--${key}=${value}`],
    );
    const typedWords = Object.keys(words).flatMap((key) => others[key] ?? []);
    const project = find();
    const run = project.named(String(typed));
    const act = { by: { kind: "person", how: "shell", name: user }, at: now() } as const;
    const done = await actOn(project, run, { name, words: [...options, ...typedWords].join(" "), act });
    return { text: () => doneText(done), json: jsonOf(run.id, done) };
  });
}

function doneText({ event, state, driver, held }: Done): string {
  if (held !== undefined) {
    return [
      safe`Held as number ${String(held)}: ${decisionText(event)}.`,
      "Agents of this run have had a shell, so nobody can know that this was you. It counts once you type",
      `\`/magnus-confirm ${held}\` in OpenCode, in the run's session. Until then the run is paused.\n`,
    ].join("\n");
  }
  const { what, detail } = describe(event);
  const lines = [
    safe`Recorded: ${nameOf(event.by)} ${what}${detail === "" ? "" : `: ${detail}`}.`,
    waiverWords(event),
    safe`The run is ${statusOf(state).status}.`,
  ].filter((line) => line !== "");
  if (driver === undefined) {
    const isOver = state.status.kind === "done" || state.status.kind === "cancelled";
    if (!isOver) lines.push("No OpenCode works on it now. Open its session there, and tell it to go on.");
  } else {
    lines.push("OpenCode works on it: tell its session to go on.");
  }
  return `${lines.join("\n")}\n`;
}

function jsonOf(run: string, { event, state, driver, held }: Done): object {
  const { status, phase } = state;
  return { run, recorded: event, status, phase, isDriven: driver !== undefined, ...(held !== undefined && { held }) };
}
