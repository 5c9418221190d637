import { refuseAgent } from "@atomic/terminal/agent-at-keyboard";
import type { ArgumentSpecs, Command, Example, OptionSpecs } from "@atomic/terminal/command";
import { safe } from "@atomic/terminal/safe-text";
import { decisionText } from "../run/held.ts";
import type { ActName } from "../run/person-act.ts";
import { describe, nameOf } from "../timeline/describe-event.ts";
import { statusOf } from "../timeline/summary.ts";
import { waiverWords } from "../words/waiver-words.ts";
import { actOn, type Done, recordAttempt } from "./act.ts";
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
    summary: "Approve what the run is waiting for: its plan or its result",
    details: [
      "An approval covers the plan as it is now; if the plan changes, approve it again. Read implementation-plan.md or final-summary.md in the session folder first.",
      "If the run does not know what kind of feature it is, say so with --type.",
    ],
    options: { type: { kind: "text", value: "type", summary: "UI_FOCUSED, API_FOCUSED or MIXED" } },
    examples: [
      { command: `magnus-opus approve ${id}`, shows: "Approve the plan, if that is what the run is waiting for." },
      {
        command: "magnus-opus approve impl-20260118 --type MIXED",
        shows: "The feature has both UI and API. Any unique prefix of the id will do.",
      },
    ],
  }),
  reject: actCommand("reject", {
    words: { change: { count: "some", term: "<what to change>", summary: "What you tell the agents" } },
    summary: "Send the work back, with what should change",
    details: ["Without --to it goes back to where such work is done: the plan or the implementation."],
    options: {
      to: { kind: "text", value: "phase", summary: "The phase to send it back to, for example architecture" },
    },
    examples: [
      {
        command: `magnus-opus reject ${id} "a smaller plan, without the settings page"`,
        shows: "The architect gets your message.",
      },
    ],
  }),
  waive: actCommand("waive", {
    words: {
      why: {
        count: "some",
        term: "[gate] <why>",
        summary: "The gate (default: the one the run is at), and your reason",
      },
    },
    summary: "Let the run pass a gate that is not met, and record your reason",
    details: [
      "The gates are user_approval, pass_or_fix, all_tests_pass and all_reviewers_approve; `phase` waives everything that the phase still lacks. Without one, it is the gate that the run is at. A waiver holds until the run leaves the phase.",
    ],
    options: {},
    examples: [
      {
        command: `magnus-opus waive ${id} all_tests_pass "there is no test runner yet"`,
        shows: "The timeline records who did it and why.",
      },
    ],
  }),
  resume: actCommand("resume", {
    words: {},
    summary: "Continue a paused run",
    details: ["A run that has used up its budget needs `raise` first."],
    options: {},
    examples: [
      { command: `magnus-opus resume ${id}`, shows: "Continue after Esc, an error, or a journal that was changed." },
    ],
  }),
  cancel: actCommand("cancel", {
    words: { why: { count: "many", summary: "Your reason" } },
    summary: "End a run for good; its folder stays",
    details: [],
    options: {},
    examples: [{ command: `magnus-opus cancel ${id} "we buy it instead"`, shows: "No one works on it anymore." }],
  }),
  raise: actCommand("raise", {
    words: {
      limits: { count: "some", term: "<limit>=<amount>…", summary: "The new limits, each higher than the old one" },
    },
    summary: "Raise a budget that is used up",
    details: [
      "The limits are usd, tokens, minutes, sessions, depth and iterations (how often a review may send the work back); phase.usd is the current phase's own. The amount is the new limit, and must be higher than the old one.",
    ],
    options: {},
    examples: [
      {
        command: `magnus-opus raise ${id} usd=5 sessions=80`,
        shows: "The run continues if it was paused for its budget.",
      },
    ],
  }),
};

function actCommand<Words extends ArgumentSpecs>(name: ActName, { words, ...text }: Text<Words>): Command<Context> {
  const args = { run: { count: "one", summary: "Its id or any unique prefix" }, ...words } as const;
  return commandOf({ ...text, name, arguments: args }, async ({ user, caller, now, project: find }, input) => {
    // What is recorded here is recorded as a person's.
    const agent = caller.agent();
    if (agent !== undefined) {
      await recordAttempt(find(), String(input.run), { agent: agent.agent, command: `magnus-opus ${name}`, at: now() });
    }
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
      "This run's agents have had a shell, so there is no way to know that this was you. It counts once you type",
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
    if (!isOver) lines.push("No OpenCode is working on it. Open its session in OpenCode and tell it to continue.");
  } else {
    lines.push("OpenCode is working on it: tell its session to continue.");
  }
  return `${lines.join("\n")}\n`;
}

function jsonOf(run: string, { event, state, driver, held }: Done): object {
  const { status, phase } = state;
  return { run, recorded: event, status, phase, isDriven: driver !== undefined, ...(held !== undefined && { held }) };
}
