// A person decides something about a run.
import { userName } from "@atomic/workflows/internal/run/user-name";
import { withCommands } from "../../run/command-names.ts";
import { isDecision, type PersonDecision, type PersonEvent } from "../../run/event.ts";
import { agentsHadShell, decisionText, heldLine, heldText, hold } from "../../run/held.ts";
import { type ActName, personAct } from "../../run/person-act.ts";
import { confirm, dismiss } from "../../run/person-actions.ts";
import { phases } from "../../run/phases.ts";
import type { MagnusState } from "../../run/state.ts";
import { openRun } from "../../sessions/journal.ts";
import { runPlace } from "../../sessions/workplace.ts";
import { waiverWords } from "../../words/status-words.ts";
import { processWords } from "../live/agent-programs.ts";
import type { DrivenRun } from "../live/driven-run.ts";
import type { Magnus } from "../live/magnus.ts";
import { type CommandTarget, findTarget } from "./find-run.ts";

const aboutFiles: ReadonlySet<ActName> = new Set(["approve", "reject", "waive"]);

export async function decideRun(magnus: Magnus, session: string, name: ActName, words: string): Promise<string> {
  const meant = await findTarget(magnus, session, words);
  if ("answer" in meant) return meant.elsewhere === undefined ? meant.answer : await holdElsewhere(magnus, name, meant);
  const { run, rest } = meant;
  const doubt = magnus.whyDoubted(run.state.run);
  // Ending or resuming a run does not depend on its files.
  const state = await (aboutFiles.has(name) ? run.refreshWithFiles() : run.refresh());
  const acted = personAct(name, rest, state, { by: personTyping(), at: Date.now() });
  if (!acted.ok) {
    // You answered in a dialog, which is closed: the model may not repeat why it did not count.
    if (rest.trim().startsWith("--shown=")) magnus.opencode.show(`Nothing was approved: ${acted.because}.`, "warning");
    return `Nothing was recorded: ${acted.because}. ${acted.hint}`;
  }
  if (doubt !== undefined && isDecision(acted.event)) return await holdTyped(run, acted.event, doubt);
  await run.append(acted.event);
  // A run stays in the session where it began.
  const elsewhere = `The run continues in its own session, ${run.root}: open that session (\`/sessions\`) and have it call \`magnus_next\`.`;
  return [recordedText(acted.event, run.state), statusLine(run), session === run.root ? "" : elsewhere]
    .filter(Boolean)
    .join(" ");
}

/** Records a decision that counts once you confirm it. */
export async function holdTyped(run: DrivenRun, decision: PersonDecision, why: string): Promise<string> {
  const state = await run.append(hold(decision, `${userName()}, in OpenCode`, why));
  const ways = "type `/magnus-confirm <number>` to confirm a decision or `/magnus-dismiss <number>` to discard it";
  return `Not counted yet. ${heldText(state.held)}. The run is paused. When the agents have stopped (Esc stops them), ${withCommands(ways, state.commandNames)}.`;
}

/** Agents can start another OpenCode, so what is typed there needs confirmation in the one that drives the run. */
async function holdElsewhere(
  magnus: Magnus,
  name: ActName,
  { answer, elsewhere }: Extract<CommandTarget, { answer: string }>,
): Promise<string> {
  const { id, rest } = elsewhere!;
  const state = magnus.runs.stateOf(id);
  if (state === undefined || !agentsHadShell(state)) return answer;
  const acted = personAct(name, rest, state, { by: personTyping(), at: Date.now() });
  if (!acted.ok || !isDecision(acted.event)) return answer;
  await using journal = await openRun(runPlace(magnus.workplace, id), { drive: false });
  const from = `${personTyping().name} in another OpenCode, ${processWords()}`;
  await journal.append(hold(acted.event, from, "typed in an OpenCode instance that is not working on the run"));
  return `${answer}\n\nThe decision is held: it counts once you confirm it in the OpenCode instance working on the run.`;
}

function personTyping() {
  return { kind: "person", how: "command", name: userName() } as const;
}

/** `/magnus-confirm 1 3`, `/magnus-dismiss all`; without a number it lists the held decisions. */
export async function answerHeld(
  magnus: Magnus,
  session: string,
  name: "confirm" | "dismiss",
  words: string,
): Promise<string> {
  const meant = await findTarget(magnus, session, words);
  if ("answer" in meant) return meant.answer;
  const { run, rest } = meant;
  const doubt = magnus.whyDoubted(run.state.run);
  const { held } = await run.refreshWithFiles();
  if (held.length === 0) return "No decision is waiting for your confirmation.";
  const numbers = rest.trim() === "all" ? held.map(({ number }) => number) : (rest.match(/\d+/g) ?? []).map(Number);
  if (numbers.length === 0) {
    const lines = held.map((each) => heldLine(each)).join("\n");
    const ways = "`/magnus-confirm <number>` confirms a decision; `/magnus-dismiss <number>` discards it.";
    return `An agent may have made these decisions. None of them counts until you confirm it:\n\n${lines}\n\n${withCommands(ways, run.state.commandNames)}`;
  }
  // A program that can type a decision can also type its confirmation.
  if (doubt !== undefined)
    return `Nothing was recorded: this was ${doubt}. Type it again once that has ended; Esc stops the agents.`;
  const said: string[] = [];
  for (const number of numbers) {
    const what = run.state.held.find((each) => each.number === number);
    const acted = (name === "confirm" ? confirm : dismiss)(run.state, { by: personTyping(), at: Date.now() }, number);
    if (acted.ok) await run.append(acted.event);
    said.push(
      acted.ok
        ? `${recordedText(acted.event, run.state)} (${decisionText(what!.decision)})`
        : `Nothing was recorded: ${acted.because}. ${acted.hint}`,
    );
  }
  return [...said, statusLine(run)].join("\n");
}

export function recordedText(event: PersonEvent, state: MagnusState): string {
  switch (event.type) {
    case "approved":
      return `Recorded: the user approved the current version of ${phases[event.phase].outputs.join(" and ")}.`;
    case "rejected":
      return `Recorded: the user sent the work back to ${phases[event.to].title}: ${event.notes}`;
    case "waived":
      return `Recorded: the user waived ${event.gate} in ${phases[event.phase].title}: ${event.why}. ${waiverWords(event, state)}`.trim();
    case "type-chosen":
      return `Recorded: the user chose ${event.workflow}.`;
    case "resumed":
      return "Recorded: the user resumed the run.";
    case "cancelled":
      return "Recorded: the user cancelled the run.";
    case "budget-raised":
      return "Recorded: the user raised the budget.";
    case "confirmed":
      return `Recorded: the user confirmed the held decision ${event.held}.`;
    case "dismissed":
      return `Recorded: the user dismissed the held decision ${event.held}.`;
  }
}

function statusLine({ state }: DrivenRun): string {
  const { status, phase, run, folder } = state;
  if (status.kind === "running") return `The run is in ${phases[phase].title}.`;
  if (status.kind === "paused") return `The run is paused (${status.reason}): ${status.detail}.`;
  return `The run ${run} is ${status.kind}; its folder is ${folder}.`;
}
