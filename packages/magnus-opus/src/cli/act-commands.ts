// What a person decides about a run from a shell, with or without an OpenCode that drives it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { refuseAgent } from "@atomic/terminal/agent-at-keyboard";
import type { ArgumentSpecs, Command, CommandSpec, OptionSpecs } from "@atomic/terminal/command";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { processWords } from "../plugin/live/agent-programs.ts";
import { DrivenRun } from "../plugin/live/driven-run.ts";
import { withCommands } from "../run/command-names.ts";
import { isDecision, journalVersion, type PersonDecision } from "../run/event.ts";
import { agentsHadShell, decisionText, hold } from "../run/held.ts";
import { type ActName, personAct } from "../run/person-act.ts";
import type { Act } from "../run/person-actions.ts";
import { isOutput, phases } from "../run/phases.ts";
import { isOver, type MagnusState } from "../run/state.ts";
import { changedArtifacts } from "../sessions/artifacts.ts";
import { openRun, type RunJournal, type RunPlace } from "../sessions/journal.ts";
import { describe, nameOf } from "../timeline/describe-event.ts";
import { statusOf } from "../timeline/timeline.ts";
import { waiverWords } from "../words/status-words.ts";
import { commandOf, type MagnusContext } from "./command.ts";
import type { Project, RunName } from "./project.ts";

interface ActSpec extends Pick<CommandSpec, "summary" | "details" | "examples"> {
  /** The arguments after the run. */
  readonly words?: ArgumentSpecs;
  readonly options?: OptionSpecs;
}

const id = "impl-20260118-143052-a1b2c3-profile";

export const actCommands: Readonly<Record<ActName, Command<MagnusContext>>> = {
  approve: actCommand("approve", {
    summary: "Approve what the run is waiting for: its plan or its result",
    details: [
      "An approval covers the plan as it is now; if the plan changes, approve it again. Read implementation-plan.md or final-summary.md in the session folder first.",
      "If the run cannot tell what kind of feature it is building, set the type with --type.",
    ],
    options: { type: { kind: "text", value: "type", summary: "UI_FOCUSED, API_FOCUSED or MIXED" } },
    examples: [
      { command: `magnus-opus approve ${id}`, shows: "Approve the plan, if that is what the run is waiting for." },
      {
        command: "magnus-opus approve impl-20260118 --type MIXED",
        shows: "Set the type of a feature that has both UI and API parts. Any unique prefix of the id works.",
      },
    ],
  }),
  reject: actCommand("reject", {
    words: { change: { count: "some", term: "<what to change>", summary: "What the agents should change" } },
    summary: "Send the work back, and say what should change",
    details: ["Without --to, the work goes back to the phase that produced it: the plan or the implementation."],
    options: {
      to: { kind: "text", value: "phase", summary: "The phase to send the work back to, for example architecture" },
    },
    examples: [
      {
        command: `magnus-opus reject ${id} "a smaller plan, without the settings page"`,
        shows: "Send the plan back to the architect with your message.",
      },
    ],
  }),
  waive: actCommand("waive", {
    words: {
      why: { count: "some", term: "<gate> <reason>", summary: "The gate, and your reason" },
    },
    summary: "Let the run pass an unmet gate, and record your reason",
    details: [
      "The gates are user_approval, pass_or_fix, all_tests_pass, all_reviewers_approve and red_test; `phase` waives everything the phase still needs. A waiver releases only what it names, and stays in effect until the run leaves the phase.",
    ],
    examples: [
      {
        command: `magnus-opus waive ${id} all_tests_pass "there is no test runner yet"`,
        shows: "The timeline records who did it and why.",
      },
    ],
  }),
  resume: actCommand("resume", {
    summary: "Continue a paused run",
    details: ["A run that has used up its budget needs `raise` first."],
    examples: [
      {
        command: `magnus-opus resume ${id}`,
        shows: "Continue after Esc, an error, or an outside change to the journal.",
      },
    ],
  }),
  cancel: actCommand("cancel", {
    words: { why: { count: "many", term: "[reason…]", summary: "Your reason" } },
    summary: "End a run for good, but keep its folder",
    examples: [
      {
        command: `magnus-opus cancel ${id} "we are buying it instead"`,
        shows: "End the run; its agents can no longer work on it.",
      },
    ],
  }),
  raise: actCommand("raise", {
    words: {
      limits: { count: "some", term: "<limit>=<amount>…", summary: "The new limits, each higher than the old one" },
    },
    summary: "Raise a budget that has been used up",
    details: [
      "The limits are usd, tokens, minutes, sessions, depth and iterations (how often a review may send the work back); phase.usd is the current phase's dollar limit. The amount is the new limit, and must be higher than the old one.",
    ],
    examples: [
      {
        command: `magnus-opus raise ${id} usd=5 sessions=80`,
        shows: "Raise two limits; the run continues if it had paused because of its budget.",
      },
    ],
  }),
};

function actCommand(name: ActName, { words = {}, options = {}, ...text }: ActSpec): Command<MagnusContext> {
  const args = { run: { count: "one", summary: "The run's id or any unique prefix of it" }, ...words } as const;
  const spec = { ...text, name, arguments: args, options };
  return commandOf(spec, async ({ user, caller, now, project: find }, { run: typed, ...input }) => {
    const project = find();
    // An agent may not decide for you. Its attempt is recorded, so you learn of it even if the agent hides what we print.
    const agent = caller.agent()?.agent;
    const attempted = agent && project.runs().find(({ id }) => id.startsWith(String(typed)));
    if (agent !== undefined && attempted) {
      const missing = `magnus-opus ${name} needs the user's decision, but ${agent} is running this command`;
      const { journal } = await openRunFor(project.named(attempted.id).place);
      const refused = { type: "call-refused", at: now(), by: { kind: "plugin" }, session: "", agent } as const;
      try {
        await journal.append({ ...refused, tool: "bash", gate: "record", missing });
      } finally {
        journal.close();
      }
    }
    refuseAgent(caller, `magnus-opus ${name}`);
    const given = input as Readonly<Record<string, string | readonly string[] | undefined>>;
    // As they are typed in OpenCode.
    const flags = Object.keys(options).flatMap((key) => (given[key] === undefined ? [] : [`--${key}=${given[key]}`]));
    const typedWords = Object.keys(words).flatMap((key) => given[key] ?? []);
    const run = project.named(String(typed));
    const act = { by: { kind: "person", how: "shell", name: user }, at: now() } as const;
    const wanted = { name, words: [...flags, ...typedWords].join(" "), act };
    const { event, state, driver, held } = await actOn(project, run, wanted);
    return {
      text: () => {
        if (held !== undefined) {
          return [
            safe`Held as decision ${String(held)}: ${decisionText(event)}.`,
            "This run's agents have had shell access, so this decision may not be yours. It counts once you type",
            `${withCommands(`\`/magnus-confirm ${held}\``, state.commandNames)} in OpenCode, in the run's session. Until then the run is paused.\n`,
          ].join("\n");
        }
        const { what, detail } = describe(event);
        const lines = [
          safe`Recorded: ${nameOf(event.by)} ${what}${detail === "" ? "" : `: ${detail}`}.`,
          waiverWords(event, state),
          safe`The run is ${statusOf(state).status}.`,
        ].filter((line) => line !== "");
        if (driver !== undefined) lines.push("OpenCode is working on it: tell the run's session to continue.");
        else if (!isOver(state))
          lines.push("OpenCode is not working on it. Open the run's session in OpenCode and tell it to continue.");
        return `${lines.join("\n")}\n`;
      },
      json: {
        ...{ run: run.id, recorded: event, status: state.status, phase: state.phase, isDriven: driver !== undefined },
        held,
      },
    };
  });
}

interface Done {
  readonly event: PersonDecision;
  readonly state: MagnusState;
  /** Which process drives the run, in a sentence; undefined if none does. */
  readonly driver: string | undefined;
  /** Its number, if it is held: the run's agents have had a shell, so this may not have been a person. */
  readonly held: number | undefined;
}

/** One action of a person: its name, and the words after it. */
interface Wanted {
  readonly name: ActName;
  readonly words: string;
  readonly act: Act;
}

async function actOn({ directory }: Project, { place }: RunName, { name, words, act }: Wanted): Promise<Done> {
  const { journal, driver } = await openRunFor(place);
  const { worktree } = journal.state;
  const live = driver === undefined ? new DrivenRun(journal, { directory, worktree }) : undefined;
  try {
    if (live !== undefined && !existsSync(worktree)) {
      throw new Refusal("worktree-gone", {
        message: `${worktree} no longer exists.`,
        hint: "A run belongs to the folder in which it was started.",
      });
    }
    // Without a driver we look at the files ourselves, so the approval covers what is there now.
    await live?.record({ type: "run-opened", version: journalVersion });
    const before = live === undefined ? journal.state : await live.refreshWithFiles();
    const acted = personAct(name, words, before, act);
    if (!acted.ok) {
      throw new Refusal("not-now", { message: `Nothing was recorded: ${acted.because}.`, hint: acted.hint });
    }
    const { event } = acted;
    if (!isDecision(event)) throw new TypeError(`${event.type} cannot be decided in a shell.`);
    if (live === undefined && event.type === "approved") {
      // What the driver has not seen yet is not what would be approved.
      const { outputs } = phases[event.phase];
      const changed = changedArtifacts(join(before.worktree, before.folder), before.artifacts);
      const found = changed.find(({ path }) => outputs.some((output) => isOutput(output, path)));
      if (found !== undefined) {
        throw new Refusal("changed-meanwhile", {
          message: `Nothing was recorded: ${found.path} has changed since OpenCode looked at it.`,
          hint: withCommands("Read it again, type `/magnus-status` in OpenCode, and try again.", before.commandNames),
          exitCode: 3,
        });
      }
    }
    // Agents have a shell, too: from then on only OpenCode accepts a decision as a person's.
    const who = event.by.name ?? "the user";
    const recorded = agentsHadShell(before)
      ? hold(event, `${who} in a shell, ${processWords()}`, "decided in a shell after agents had shell access")
      : event;
    const state = await (live ?? journal).append(recorded);
    return { event, state, driver, held: state.heldSoFar > before.heldSoFar ? state.heldSoFar : undefined };
  } finally {
    if (live === undefined) journal.close();
    else await live.close();
  }
}

/** Opens the run as its driver, or alongside the process that drives it. */
async function openRunFor(place: RunPlace): Promise<{ journal: RunJournal; driver: string | undefined }> {
  try {
    return { journal: await openRun(place, { drive: true }), driver: undefined };
  } catch (error) {
    if (!(error instanceof DurableError && error.code === "locked")) throw error;
    return { journal: await openRun(place, { drive: false }), driver: error.message };
  }
}
