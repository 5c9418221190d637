// A person decides something about a run.
import { userInfo } from "node:os";
import type { LiveRun } from "../live/live-run.ts";
import type { Magnus } from "../live/magnus.ts";
import { whyNotAPerson } from "../live/open-calls.ts";
import type { PersonEvent } from "../run/event.ts";
import { phases } from "../run/phases.ts";
import { waiverWords } from "../words/waiver-words.ts";
import { meantRun } from "./find-run.ts";
import { type ActName, personAct } from "./person-act.ts";

const aboutFiles: ReadonlySet<ActName> = new Set(["approve", "reject", "waive"]);

/** As a person types them. */
const typedNames: Readonly<Record<ActName, string>> = {
  ...{ approve: "approve", reject: "reject", waive: "waive" },
  ...{ resume: "magnus-resume", cancel: "magnus-cancel", raise: "magnus-raise" },
};

export async function decideRun(magnus: Magnus, session: string, name: ActName, words: string): Promise<string> {
  const meant = await meantRun(magnus, session, words);
  if ("answer" in meant) return meant.answer;
  const { run, rest } = meant;
  const why = await whyNotAPerson(magnus.calls, run, `/${typedNames[name]}`);
  if (why !== undefined) return why;
  // To end or resume a run is possible whatever has become of the files.
  const state = await (aboutFiles.has(name) ? run.lookAtFiles() : run.look());
  const by = { kind: "person", how: "command", name: userInfo().username } as const;
  const acted = personAct(name, rest, state, { by, at: Date.now() });
  if (!acted.ok) return `Nothing was recorded: ${acted.because}. ${acted.hint}`;
  await run.append(acted.event);
  return [recorded(acted.event), standing(run), session === run.root ? "" : elsewhere(run)].filter(Boolean).join(" ");
}

export function recorded(event: PersonEvent): string {
  switch (event.type) {
    case "approved":
      return `Recorded: a person approved ${phases[event.phase].outputs.join(" and ")} as it is now.`;
    case "rejected":
      return `Recorded: a person sent the work back to ${phases[event.to].title}: ${event.notes}`;
    case "waived":
      return `Recorded: a person waived ${event.gate} in ${phases[event.phase].title}: ${event.why}. ${waiverWords(event)}`.trim();
    case "type-chosen":
      return `Recorded: a person says that it is ${event.workflow}.`;
    case "resumed":
      return "Recorded: a person resumed the run.";
    case "cancelled":
      return "Recorded: a person cancelled the run.";
    case "budget-raised":
      return "Recorded: a person raised the budget.";
  }
}

function standing({ state }: LiveRun): string {
  const { status, phase, run, folder } = state;
  if (status.kind === "running") return `The run is in the phase ${phases[phase].title}.`;
  if (status.kind === "paused") return `The run is paused (${status.reason}): ${status.detail}.`;
  return `The run ${run} is ${status.kind}; its folder is ${folder}.`;
}

/** A run stays with the session that it began in. */
function elsewhere({ root }: LiveRun): string {
  return `It goes on in its own session ${root}: open that one (\`/sessions\`), and let it call \`magnus_next\`.`;
}
