import { openJournal } from "@atomic/durable-files/journal/journal";
import { readJournal } from "@atomic/durable-files/journal/read-journal";
import { RunError } from "../run-error.ts";
import type { Letter, Message } from "../run-store.ts";
import { statOf } from "./run-files.ts";

/** Leaves a message for whoever works on the run. Of two signals with one key the first one is kept. */
export async function post(path: string, message: Message): Promise<"kept" | "ignored"> {
  let isKnown = false;
  const purpose = `leaving a ${message.type}`;
  const inbox = await openJournal(path, {
    purpose,
    replay: ({ event }) => {
      const known = event as Message;
      isKnown ||= known.type === "signal" && message.type === "signal" && known.key === message.key;
    },
  });
  try {
    if (!isKnown) await inbox.append(message);
  } finally {
    inbox.close();
  }
  return isKnown ? "ignored" : "kept";
}

export function lettersAfter(path: string, after: number): Letter[] {
  const records = statOf(path) === undefined ? [] : readJournal(path).records;
  // A message that comes now would have a number that was read long ago, and never be seen.
  if (records.length < after) {
    const message = `The inbox ${path} has lost messages: the journal has read ${after}, and there are ${records.length}`;
    throw new RunError("damaged", { message, at: path, hint: "Restore it from a copy, or start the run anew." });
  }
  return records.slice(after).map(({ n, event }) => ({ n, message: messageOf(event, n, path) }));
}

const types: readonly string[] = ["signal", "cancel", "budget"] satisfies Message["type"][];

function messageOf(event: unknown, n: number, path: string): Message {
  const { type } = (event ?? {}) as { type?: string };
  if (type !== undefined && types.includes(type)) return event as Message;
  throw new RunError("damaged", {
    message: `Record ${n} of the inbox ${path} is no message that this version knows`,
    at: `${path}:${n}`,
    hint: "Update atomic, or restore the file from a copy.",
  });
}
