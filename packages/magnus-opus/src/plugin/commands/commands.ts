// What the typed commands do. OpenCode calls this before the model sees the command.

import { helpWords } from "../../words/help-words.ts";
import type { Magnus } from "../live/magnus.ts";
import { cleanUp } from "./cleanup.ts";
import { answerHeld, decideRun } from "./decide-run.ts";
import { statusOf } from "./status.ts";

type Answer = (magnus: Magnus, session: string, words: string) => Promise<string>;

const answers: Readonly<Record<string, Answer>> = {
  approve: (magnus, session, words) => decideRun(magnus, session, "approve", words),
  reject: (magnus, session, words) => decideRun(magnus, session, "reject", words),
  waive: (magnus, session, words) => decideRun(magnus, session, "waive", words),
  "magnus-resume": (magnus, session, words) => decideRun(magnus, session, "resume", words),
  "magnus-cancel": (magnus, session, words) => decideRun(magnus, session, "cancel", words),
  "magnus-raise": (magnus, session, words) => decideRun(magnus, session, "raise", words),
  "magnus-confirm": (magnus, session, words) => answerHeld(magnus, session, "confirm", words),
  "magnus-dismiss": (magnus, session, words) => answerHeld(magnus, session, "dismiss", words),
  "magnus-status": statusOf,
  "magnus-stop": async (magnus, session) =>
    magnus.stopTasks(session) ?? "No background task of this session is working.",
  "magnus-doctor": (magnus) => magnus.doctor(),
  "magnus-help": async ({ settings }, _, words) => helpWords(words, settings),
  cleanup: (magnus, _, words) => cleanUp(magnus, words),
};

const starting: ReadonlySet<string> = new Set(["implement", "implement-api", "validate-ui", "magnus-review"]);

/** The answer to one of our commands, by our name for it; undefined if it has none. */
export async function answerCommand(
  magnus: Magnus,
  session: string,
  { name, words }: { readonly name: string; readonly words: string },
): Promise<string | undefined> {
  if (starting.has(name)) {
    // Without arguments the person is asked, and the answer counts.
    if (words.trim() === "") magnus.typed.delete(session);
    else magnus.typed.set(session, { command: name, arguments: words });
    return undefined;
  }
  // `opencode run --command waive -- "phase too small"` puts quotes around words with spaces in them.
  const [, inside] = /^"((?:[^"\\]|\\.)*)"$/s.exec(words.trim()) ?? [];
  const said = inside === undefined ? words : inside.replaceAll('\\"', '"');
  return Object.hasOwn(answers, name) ? await answers[name]!(magnus, session, said) : undefined;
}
